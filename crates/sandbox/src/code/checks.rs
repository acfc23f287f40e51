//! Status checks that were reported for commits.

use serde_json::{Value, json};

use super::repo::Repo;
use crate::store::StoreError;

/// Kind of checks in the store; the id is `sha/identifier`.
pub(crate) const KIND: &str = "code_check";

/// The checks of a commit.
pub(crate) fn of(repo: &Repo<'_>, sha: &str) -> Result<Vec<Value>, StoreError> {
    let prefix = format!("{sha}/");
    let all = repo.all(KIND)?.into_iter().filter(|one| one.key.id.starts_with(&prefix));
    Ok(all.map(|one| one.body).collect())
}

/// Identifiers of the checks of a commit that succeeded.
pub(crate) fn passed(repo: &Repo<'_>, sha: &str) -> Result<Vec<String>, StoreError> {
    let succeeded =
        of(repo, sha)?.into_iter().filter(|check| check.get("status") == Some(&json!("success")));
    let id = |check: Value| Some(check.get("identifier")?.as_str()?.to_owned());
    Ok(succeeded.filter_map(id).collect())
}

/// Writes a check of a commit and gives it back.
pub(crate) fn report(
    repo: &Repo<'_>,
    sha: &str,
    given: &Value,
    now_ms: i64,
) -> Result<Value, StoreError> {
    let text = |field: &str| given.get(field).and_then(Value::as_str).unwrap_or_default();
    let key = repo.key(KIND, &format!("{sha}/{}", text("identifier")));
    let old = repo.store.get(&key)?;
    let id = match old.as_ref().and_then(|one| one.body.get("id")?.as_u64()) {
        Some(id) => id,
        None => repo.store.next_number("code-check")?,
    };
    let ended = matches!(text("status"), "success" | "failure" | "error");
    let created = old.map_or(now_ms, |one| one.created_ms);
    let check = json!({
        "id": id, "created": created, "updated": now_ms, "identifier": text("identifier"),
        "status": text("status"), "summary": text("summary"), "link": text("link"),
        "payload": given.get("payload").cloned().unwrap_or_else(|| json!({"kind": "", "version": "", "data": {}})),
        "started": created, "ended": if ended { now_ms } else { 0 },
    });
    repo.store.put(&key, &check, now_ms)?;
    Ok(check)
}
