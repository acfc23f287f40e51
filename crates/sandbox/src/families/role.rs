//! Roles, own and managed ones.

use serde_json::{Value, json};

use super::{access, permission, refuse};
use crate::crud::{self, settle};
use crate::family::{Draft, Family, page};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Document, Store};
use crate::world::World;

struct Role;

impl Family for Role {
    const KIND: &'static str = "role";
    const NOUN: &'static str = "Role";
    const RESOURCE_TYPE: &'static str = "ROLE";

    fn check(_: &World, _: &Store, draft: &mut Draft) -> Result<(), Reply> {
        own_identifier(&draft.key.id)?;
        let known: Vec<String> = permission::names().collect();
        let asked = draft.body.get("permissions").and_then(Value::as_array);
        let unknown = asked.into_iter().flatten().filter_map(Value::as_str).find(|asked| {
            // Modules the sandbox does not play have permissions of their own.
            asked.starts_with("core_") && !known.iter().any(|known| known == asked)
        });
        if let Some(unknown) = unknown {
            let message = format!("Some of the specified permissions do not exist: [{unknown}]");
            return Err(Reply::invalid(&message));
        }
        let level = draft.key.scope().level();
        for (field, absent) in [("permissions", json!([])), ("allowedScopeLevels", json!([level]))]
        {
            draft.body.entry(field).or_insert(absent);
        }
        draft.body.insert("harnessManaged".to_owned(), json!(false));
        Ok(())
    }

    fn guard(document: &Document, _: bool) -> Result<(), Reply> {
        access::refuse_managed(document, Self::NOUN)
    }

    fn view(world: &World, _: &Store, document: &Document) -> Value {
        access::scoped_view(world, document, "role")
    }
}

/// Identifiers with a leading `_` are the platform's own.
pub(super) fn own_identifier(id: &str) -> Result<(), Reply> {
    if id.starts_with('_') {
        return Err(refuse("identifier", "may not start with _, which marks built-in ones"));
    }
    Ok(())
}

/// The own ones of a scope, and the managed ones that apply there.
pub(super) fn visible<F: Family>(
    store: &Store,
    request: &Request,
    scope: &Scope,
) -> Result<Vec<Document>, Reply> {
    let mut found = crud::search::<F>(store, request, scope)?;
    if scope.level() == "account" {
        return Ok(found);
    }
    let level = json!(scope.level());
    let above = crud::search::<F>(store, request, &Scope::account())?;
    found.extend(above.into_iter().filter(|document| {
        let levels = document.body.get("allowedScopeLevels").and_then(Value::as_array);
        super::field_true(&document.body, "harnessManaged")
            && levels.is_some_and(|levels| levels.contains(&level))
    }));
    Ok(found)
}

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let found = visible::<Role>(&store, request, &Role::scope(request, params))?;
        page::<Role, _>(request, found, |one| Role::view(world, &store, &one))
    })
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let key = crud::key::<Role>(&store, request, params)?;
        let found = access::visible(&store, Role::KIND, &key.scope(), &key.id)?;
        let found = found.ok_or_else(|| crud::gone::<Role>(&key))?;
        Ok(Reply::ng(Role::view(world, &store, &found)))
    })
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/authz/api/roles";
    const ONE: &str = "/authz/api/roles/{id}";
    vec![
        Route::new("GET", PATH, list),
        Route::new("POST", PATH, crud::create::<Role>),
        Route::new("GET", ONE, get),
        Route::new("PUT", ONE, crud::update::<Role>),
        Route::new("DELETE", ONE, crud::delete::<Role>),
    ]
}
