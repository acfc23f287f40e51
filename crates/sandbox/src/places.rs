//! Whether the organization and project a request names are there.

use crate::reply::{FieldError, Reply};
use crate::scope::Scope;
use crate::store::{Key, Store};

/// Kind of organizations.
pub const ORGANIZATION: &str = "organization";
/// Kind of projects; they are kept in the scope of their organization.
pub const PROJECT: &str = "project";

/// Refuses a scope whose organization or project does not exist.
pub fn require(store: &Store, scope: &Scope) -> Result<(), Reply> {
    let Scope { org, project } = scope;
    if org.is_empty() && project.is_empty() {
        return Ok(());
    }
    if org.is_empty() {
        return Err(Reply::invalid("orgIdentifier is needed when projectIdentifier is given"));
    }
    if store.get(&Key::account(ORGANIZATION, org))?.is_none() {
        let message = format!("Organization with identifier [{org}] not found");
        return Err(Reply::ng_error(404, "ENTITY_NOT_FOUND", &message));
    }
    if project.is_empty() {
        return Ok(());
    }
    let key = Key::new(PROJECT, &Scope::organization(org), project);
    if store.get(&key)?.is_none() {
        let message =
            format!("Project with orgIdentifier [{org}] and identifier [{project}] not found");
        return Err(Reply::ng_error(404, "ENTITY_NOT_FOUND", &message));
    }
    Ok(())
}

/// Refuses a scope that is not a project.
pub fn is_project(scope: &Scope) -> Result<(), Reply> {
    let mut missing = Vec::new();
    if scope.org.is_empty() {
        missing.push(FieldError::new("orgIdentifier", "must not be null"));
    }
    if scope.project.is_empty() {
        missing.push(FieldError::new("projectIdentifier", "must not be null"));
    }
    if missing.is_empty() { Ok(()) } else { Err(Reply::field_failure(&missing)) }
}
