//! What pipelines show of their neighbours: how runs ended, and YAML kept in repositories.

use serde_json::Value;

use super::refuse;
use crate::code;
use crate::reply::Reply;
use crate::request::Request;
use crate::scope::Scope;
use crate::store::Store;
use crate::world::World;

/// True when a run ended badly.
pub(super) fn is_broken(run: &Value) -> bool {
    let status = run.get("status").and_then(Value::as_str).unwrap_or_default();
    ["Failed", "Errored", "Expired", "ApprovalRejected"].contains(&status)
}

/// The text of the file an import names.
pub(super) fn repository_file(
    world: &World,
    store: &Store,
    request: &Request,
    scope: &Scope,
) -> Result<String, Reply> {
    let asked =
        |field: &str| request.query.first(field).ok_or_else(|| refuse(field, "must not be null"));
    let (repository, branch, path) = (asked("repoName")?, asked("branch")?, asked("filePath")?);
    code::file_text(world, store, scope, repository, branch, path)?.ok_or_else(|| {
        Reply::invalid(&format!(
            "File [{path}] not found on branch [{branch}] of repository [{repository}]"
        ))
    })
}
