//! What pipelines show of their neighbours: recent runs, and YAML kept in repositories.

use serde_json::Value;

use super::refuse;
use crate::reply::Reply;
use crate::request::Request;
use crate::scope::Scope;
use crate::store::Store;

/// True when a run ended badly.
pub(super) fn is_broken(run: &Value) -> bool {
    let status = run.get("status").and_then(Value::as_str).unwrap_or_default();
    ["Failed", "Errored", "Expired", "ApprovalRejected"].contains(&status)
}

/// The text of the file an import names.
pub(super) fn repository_file(_: &Store, request: &Request, _: &Scope) -> Result<String, Reply> {
    for field in ["repoName", "branch", "filePath"] {
        if request.query.first(field).is_none() {
            return Err(refuse(field, "must not be null"));
        }
    }
    Err(Reply::invalid("The repository holds no such file"))
}
