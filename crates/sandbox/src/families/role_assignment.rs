//! Role assignments: who has which role on what.

use serde_json::{Value, json};

use super::{access, listed_in, refuse, text};
use crate::crud;
use crate::family::{Draft, Family, Fields, read_json};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::Route;
use crate::rules::IdRule;
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store};
use crate::world::World;

const PRINCIPALS: [&str; 5] = ["USER", "USER_GROUP", "SERVICE", "API_KEY", "SERVICE_ACCOUNT"];

struct RoleAssignment;

impl Family for RoleAssignment {
    const KIND: &'static str = "role_assignment";
    const NOUN: &'static str = "Role Assignment";
    const RESOURCE_TYPE: &'static str = "ROLE_ASSIGNMENT";
    const ID_RULE: IdRule = IdRule::Free;
    const REQUIRED: &'static [&'static str] =
        &["identifier", "resourceGroupIdentifier", "roleIdentifier", "principal"];

    /// An assignment without identifier gets one.
    fn read(request: &Request) -> Result<Fields, Reply> {
        let mut fields = read_json::<Self>(request)?;
        if fields.get("identifier").is_none_or(Value::is_null) {
            let id = format!("role_assignment_{}", crate::ids::short());
            fields.insert("identifier".to_owned(), json!(id));
        }
        Ok(fields)
    }

    fn check(_: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        let scope = draft.key.scope();
        let (role, group) = (draft.text("roleIdentifier"), draft.text("resourceGroupIdentifier"));
        for (kind, noun, id) in
            [("role", "role", role), ("resource_group", "resource group", group)]
        {
            if access::visible(store, kind, &scope, id)?.is_none() {
                return Err(Reply::invalid(&format!("Did not find {noun} in scope: [{id}]")));
            }
        }
        check_principal(store, &scope, draft.body.get("principal").unwrap_or(&Value::Null))?;
        let others = store.list(&Filter::kind(Self::KIND).scope(&scope))?;
        let triple = |body: &Value| {
            ["roleIdentifier", "resourceGroupIdentifier", "principal"]
                .map(|field| body.get(field).cloned().unwrap_or_default())
        };
        let wanted = triple(&Value::Object(draft.body.clone()));
        if others.iter().any(|other| triple(&other.body) == wanted) {
            let message =
                "This role assignment already exists: same role, resource group, principal";
            return Err(Reply::ng_error(400, "DUPLICATE_FIELD", message));
        }
        for (field, absent) in [("disabled", json!(false)), ("managed", json!(false))] {
            draft.body.entry(field).or_insert(absent);
        }
        for field in ["description", "tags"] {
            draft.body.shift_remove(field);
        }
        Ok(())
    }

    fn view(world: &World, _: &Store, document: &Document) -> Value {
        access::scoped_view(world, document, "roleAssignment")
    }

    fn lists(document: &Document, _: &Request, filter: &Value) -> bool {
        let principal = document.body.get("principal").cloned().unwrap_or_default();
        let field = |name: &str| principal.get(name).and_then(Value::as_str).unwrap_or_default();
        let wanted = filter.get("principalFilter").and_then(Value::as_array);
        let is_principal = wanted.is_none_or(|wanted| {
            wanted.is_empty()
                || wanted.iter().any(|one| {
                    one.get("identifier").is_some_and(|id| id == field("identifier"))
                        && one.get("type").is_none_or(|kind| kind == field("type"))
                })
        });
        is_principal
            && listed_in(filter, "roleFilter", text(document, "roleIdentifier"))
            && listed_in(filter, "resourceGroupFilter", text(document, "resourceGroupIdentifier"))
            && listed_in(filter, "principalTypeFilter", field("type"))
    }
}

fn check_principal(store: &Store, scope: &Scope, principal: &Value) -> Result<(), Reply> {
    let field = |name: &str| principal.get(name).and_then(Value::as_str).unwrap_or_default();
    let (kind, id) = (field("type"), field("identifier"));
    if !PRINCIPALS.contains(&kind) {
        return Err(refuse("principal.type", &format!("must be one of {}", PRINCIPALS.join(", "))));
    }
    if id.is_empty() {
        return Err(refuse("principal.identifier", "must not be null"));
    }
    let key = match kind {
        "USER" => Key::account("user", id),
        "USER_GROUP" => Key::new("user_group", &level_of(scope, field("scopeLevel")), id),
        "SERVICE_ACCOUNT" => Key::new("service_account", &level_of(scope, field("scopeLevel")), id),
        _ => return Ok(()),
    };
    if store.get(&key)?.is_some() {
        return Ok(());
    }
    let noun = kind.to_lowercase().replace('_', " ");
    let hint = "; give principal.scopeLevel when it lives in a scope above";
    Err(Reply::invalid(&format!("Did not find {noun} [{id}]{hint}")))
}

fn level_of(scope: &Scope, level: &str) -> Scope {
    match level {
        "account" => Scope::account(),
        "organization" | "org" => Scope::organization(&scope.org),
        _ => scope.clone(),
    }
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/authz/api/roleassignments";
    const ONE: &str = "/authz/api/roleassignments/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<RoleAssignment>),
        Route::new("POST", "/authz/api/roleassignments/filter", crud::list::<RoleAssignment>),
        Route::new("POST", PATH, crud::create::<RoleAssignment>),
        Route::new("GET", ONE, crud::get::<RoleAssignment>),
        Route::new("DELETE", ONE, crud::delete::<RoleAssignment>),
    ]
}
