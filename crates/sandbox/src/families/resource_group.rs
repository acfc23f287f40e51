//! Resource groups, own and managed ones.

use serde_json::{Value, json};

use super::{access, field_true, refuse, role};
use crate::crud::{self, settle};
use crate::family::{Draft, Family, page};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Document, Store};
use crate::world::World;

const SCOPE_FILTERS: [&str; 2] = ["EXCLUDING_CHILD_SCOPES", "INCLUDING_CHILD_SCOPES"];

struct ResourceGroup;

impl Family for ResourceGroup {
    const KIND: &'static str = "resource_group";
    const NOUN: &'static str = "Resource Group";
    const RESOURCE_TYPE: &'static str = "RESOURCE_GROUP";
    const WRAPPER: &'static str = "resourceGroup";
    const WRAPPER_IS_NEEDED: bool = true;

    fn check(world: &World, _: &Store, draft: &mut Draft) -> Result<(), Reply> {
        role::own_identifier(&draft.key.id)?;
        let included = draft.body.get("includedScopes").and_then(Value::as_array);
        for scope in included.into_iter().flatten() {
            let filter = scope.get("filter").and_then(Value::as_str).unwrap_or_default();
            if !SCOPE_FILTERS.contains(&filter) {
                let error = format!("must be one of {}", SCOPE_FILTERS.join(", "));
                return Err(refuse("resourceGroup.includedScopes.filter", &error));
            }
        }
        let resources = draft.body.get("resourceFilter").and_then(|f| f.get("resources"));
        for resource in resources.and_then(Value::as_array).into_iter().flatten() {
            if resource.get("resourceType").and_then(Value::as_str).is_none() {
                let field = "resourceGroup.resourceFilter.resources.resourceType";
                return Err(refuse(field, "must not be null"));
            }
        }
        let scope = draft.key.scope();
        for (field, value) in world.scope_json(&scope).as_object().into_iter().flatten() {
            draft.body.insert(field.clone(), value.clone());
        }
        let mut own = world.scope_json(&scope);
        if let Some(fields) = own.as_object_mut() {
            fields.insert("filter".to_owned(), json!("EXCLUDING_CHILD_SCOPES"));
        }
        for (field, absent) in [
            ("allowedScopeLevels", json!([scope.level()])),
            ("includedScopes", json!([own])),
            ("resourceFilter", json!({"includeAllResources": false, "resources": []})),
        ] {
            draft.body.entry(field).or_insert(absent);
        }
        draft.body.insert("harnessManaged".to_owned(), json!(false));
        Ok(())
    }

    fn guard(document: &Document, _: bool) -> Result<(), Reply> {
        access::refuse_managed(document, Self::NOUN)
    }

    fn view(_: &World, _: &Store, document: &Document) -> Value {
        json!({
            "resourceGroup": access::plain(document), "createdAt": document.created_ms,
            "lastModifiedAt": document.updated_ms,
            "harnessManaged": field_true(&document.body, "harnessManaged"),
        })
    }
}

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = ResourceGroup::scope(request, params);
        let found = role::visible::<ResourceGroup>(&store, request, &scope)?;
        page::<ResourceGroup, _>(request, found, |one| ResourceGroup::view(world, &store, &one))
    })
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let key = crud::key::<ResourceGroup>(&store, request, params)?;
        let found = access::visible(&store, ResourceGroup::KIND, &key.scope(), &key.id)?;
        let found = found.ok_or_else(|| crud::gone::<ResourceGroup>(&key))?;
        Ok(Reply::ng(ResourceGroup::view(world, &store, &found)))
    })
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/authz/api/v2/resourcegroup";
    const ONE: &str = "/authz/api/v2/resourcegroup/{id}";
    vec![
        Route::new("GET", PATH, list),
        Route::new("POST", PATH, crud::create::<ResourceGroup>),
        Route::new("GET", ONE, get),
        Route::new("PUT", ONE, crud::update::<ResourceGroup>),
        Route::new("DELETE", ONE, crud::delete::<ResourceGroup>),
    ]
}
