//! Delegate tokens; their value is shown redacted.

use serde_json::{Value, json};

use super::{delegate, refuse, text};
use crate::audit::{self, Event};
use crate::crud::settle;
use crate::ids;
use crate::places;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Document, Filter, Key, Store, StoreError};
use crate::world::{CALLER, World};

const KIND: &str = "delegate_token";
/// What is shown in place of a token's value.
const REDACTED: &str = "***";

fn view(document: &Document) -> Value {
    let mut view = document.body.clone();
    if let Some(fields) = view.as_object_mut() {
        fields.insert("value".to_owned(), json!(REDACTED));
    }
    view
}

fn name<'a>(request: &'a Request, params: &'a Params) -> Result<&'a str, Reply> {
    let in_path = Some(params.get("id")).filter(|id| !id.is_empty());
    let asked = in_path.or(request.query.first("tokenName"));
    asked.ok_or_else(|| refuse("tokenName", "must not be null"))
}

fn find(store: &Store, request: &Request, name: &str) -> Result<Document, Reply> {
    store.get(&Key::new(KIND, &request.scope(), name))?.ok_or_else(|| {
        Reply::ng_error(404, "ENTITY_NOT_FOUND", &format!("Delegate token [{name}] not found"))
    })
}

fn list(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        places::require(&store, &request.scope())?;
        let state = request.query.first("status");
        let name = request.query.first("name").or(request.query.first("tokenName"));
        let found = store.list(&Filter::kind(KIND).scope(&request.scope()))?;
        let shown = found.iter().filter(|token| {
            state.is_none_or(|state| state == text(token, "status"))
                && name.is_none_or(|name| text(token, "name").contains(name))
        });
        Ok(Reply::rest_resource(shown.map(view).collect()))
    })
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let token = find(&store, request, name(request, params)?)?;
        Ok(Reply::rest_resource(view(&token)))
    })
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        places::require(&store, &request.scope())?;
        let name = name(request, params)?;
        let now = world.now_ms();
        let revoke_after = request.query.first("revokeAfter").and_then(|t| t.parse::<i64>().ok());
        let body = json!({
            "uuid": ids::short(), "accountId": world.account, "name": name,
            "createdBy": CALLER.name,
            "createdByNgUser": {"type": "USER", "name": CALLER.email},
            "createdAt": now, "status": "ACTIVE", "ownerIdentifier": null,
            "parentUniqueId": null, "revokeAfter": revoke_after,
        });
        let key = Key::new(KIND, &request.scope(), name);
        let token = match store.insert(&key, &body, now) {
            Err(StoreError::Exists { .. }) => {
                return Err(Reply::invalid(&format!("A delegate token [{name}] already exists")));
            }
            other => other?,
        };
        record(world, &store, "CREATE", &token)?;
        Ok(Reply::rest_resource(view(&token)))
    })
}

/// A token is revoked; nothing else about it can change.
fn revoke(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let status = request.query.first("status").unwrap_or("REVOKED");
        if status != "REVOKED" {
            return Err(refuse("status", "must be REVOKED"));
        }
        let token = find(&store, request, name(request, params)?)?;
        let mut body = token.body.clone();
        if let Some(fields) = body.as_object_mut() {
            fields.insert("status".to_owned(), json!(status));
        }
        let token = store.put(&token.key, &body, world.now_ms())?;
        record(world, &store, "REVOKE_TOKEN", &token)?;
        Ok(Reply::rest_resource(view(&token)))
    })
}

fn delete(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let token = find(&store, request, name(request, params)?)?;
        store.remove(&token.key)?;
        record(world, &store, "DELETE", &token)?;
        Ok(Reply::rest_resource(Value::Bool(true)))
    })
}

fn delegates_of(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let Some(name) = request.query.first("delegateTokenName") else {
            return Err(refuse("delegateTokenName", "must not be null"));
        };
        find(&store, request, name)?;
        let all = store.list(&Filter::kind(delegate::KIND))?;
        let using = all.iter().filter(|delegate| text(delegate, "tokenName") == name);
        let groups: Vec<Value> = using.map(|one| delegate::view(world, one)).collect();
        Ok(Reply::rest_resource(json!({"delegateGroupDetails": groups})))
    })
}

fn record(world: &World, store: &Store, action: &str, token: &Document) -> Result<(), StoreError> {
    let id = token.key.id.as_str();
    let event = Event {
        action,
        resource_type: "DELEGATE_TOKEN",
        id,
        name: id,
        scope: token.key.scope(),
        ..Event::default()
    };
    audit::record(world, store, &event.with_values(None, Some(&token.body))).map(|_| ())
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/delegate-token-ng";
    const ONE: &str = "/ng/api/delegate-token-ng/{id}";
    vec![
        Route::new("GET", PATH, list),
        Route::new("POST", PATH, create),
        Route::new("PUT", PATH, revoke),
        Route::new("DELETE", PATH, delete),
        Route::new("GET", "/ng/api/delegate-token-ng/delegate-groups", delegates_of),
        Route::new("GET", ONE, get),
        Route::new("PUT", ONE, revoke),
        Route::new("DELETE", ONE, delete),
    ]
}
