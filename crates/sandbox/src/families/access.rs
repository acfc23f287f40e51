//! What the access control families share: managed entities, and who is assigned what.

use serde_json::{Value, json};

use super::{field_true, text};
use crate::family::Fields;
use crate::reply::Reply;
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store};
use crate::world::World;

/// Refuses to change or remove what the platform manages itself.
pub(super) fn refuse_managed(document: &Document, noun: &str) -> Result<(), Reply> {
    if !field_true(&document.body, "harnessManaged") {
        return Ok(());
    }
    let id = &document.key.id;
    let message =
        format!("{noun} [{id}] is managed by the platform and cannot be changed or deleted");
    Err(Reply::invalid(&message))
}

/// The document's fields without the marks the sandbox keeps in them.
pub(super) fn plain(document: &Document) -> Fields {
    let mut fields = document.body.as_object().cloned().unwrap_or_default();
    fields.shift_remove("harnessManaged");
    fields
}

/// `{wrapper: entity, scope, harnessManaged, createdAt, lastModifiedAt}`.
pub(super) fn scoped_view(world: &World, document: &Document, wrapper: &str) -> Value {
    let mut view = Fields::new();
    view.insert(wrapper.to_owned(), Value::Object(plain(document)));
    view.insert("scope".to_owned(), world.scope_json(&document.key.scope()));
    let managed = field_true(&document.body, "harnessManaged");
    view.insert("harnessManaged".to_owned(), json!(managed));
    view.insert("createdAt".to_owned(), json!(document.created_ms));
    view.insert("lastModifiedAt".to_owned(), json!(document.updated_ms));
    Value::Object(view)
}

/// The entity of a kind a scope sees: its own, or one the platform manages at account level.
pub(super) fn visible(
    store: &Store,
    kind: &str,
    scope: &Scope,
    id: &str,
) -> Result<Option<Document>, Reply> {
    if let Some(found) = store.get(&Key::new(kind, scope, id))? {
        return Ok(Some(found));
    }
    let managed = store.get(&Key::account(kind, id))?;
    Ok(managed.filter(|document| field_true(&document.body, "harnessManaged")))
}

/// The assignments of a principal in a scope, as user and service account lists show them.
pub(super) fn assignments_of(
    store: &Store,
    scope: &Scope,
    principal: (&str, &str),
) -> Result<Vec<Value>, Reply> {
    let (kind, id) = principal;
    let all = store.list(&Filter::kind("role_assignment").scope(scope))?;
    let mut shown = Vec::new();
    for assignment in all {
        let said = assignment.body.get("principal");
        let field = |name: &str| {
            said.and_then(|said| said.get(name)).and_then(Value::as_str).unwrap_or_default()
        };
        if field("type") != kind || field("identifier") != id {
            continue;
        }
        let (role, group) =
            (text(&assignment, "roleIdentifier"), text(&assignment, "resourceGroupIdentifier"));
        let role_document = visible(store, "role", scope, role)?;
        let group_document = visible(store, "resource_group", scope, group)?;
        let name = |document: &Option<Document>, id: &str| {
            let name = document.as_ref().map(|document| text(document, "name").to_owned());
            name.unwrap_or_else(|| id.to_owned())
        };
        let is_managed = |document: &Option<Document>| {
            document.as_ref().is_some_and(|one| field_true(&one.body, "harnessManaged"))
        };
        shown.push(json!({
            "identifier": assignment.key.id, "roleIdentifier": role,
            "roleName": name(&role_document, role), "resourceGroupIdentifier": group,
            "resourceGroupName": name(&group_document, group),
            "managedRole": is_managed(&role_document), "managedRoleAssignment": false,
        }));
    }
    Ok(shown)
}
