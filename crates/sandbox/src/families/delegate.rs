//! Delegates: listed only, as an API cannot install one.

use serde_json::{Value, json};

use super::{field_true, text};
use crate::crud::settle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Document, Filter};
use crate::world::World;

/// Kind of delegates in the store.
pub(super) const KIND: &str = "delegate";

/// A delegate as lists show it; a connected one was always heard a moment ago.
pub(super) fn view(world: &World, document: &Document) -> Value {
    let mut view = document.body.clone();
    let is_connected = field_true(&view, "connected");
    let heard = if is_connected { world.now_ms() } else { document.updated_ms };
    if let Some(fields) = view.as_object_mut() {
        fields.shift_remove("tokenName");
        fields.insert("lastHeartBeat".to_owned(), json!(heard));
        let replicas = fields.get_mut("delegateReplicas").and_then(Value::as_array_mut);
        for replica in replicas.into_iter().flatten().filter_map(Value::as_object_mut) {
            replica.insert("lastHeartbeat".to_owned(), json!(heard));
        }
    }
    view
}

fn list(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        crate::places::require(&store, &request.scope())?;
        let mut wanted = Filter::kind(KIND);
        if !request.query.flag("all") {
            wanted = wanted.scope(&request.scope());
        }
        let filter = request.filter();
        let found = store.list(&wanted)?;
        let shown = found.iter().filter(|document| is_wanted(document, &filter));
        let items: Vec<Value> = shown.map(|document| view(world, document)).collect();
        Ok(Reply::rest_resource(Value::Array(items)))
    })
}

fn is_wanted(document: &Document, filter: &Value) -> bool {
    let asked = |field: &str| filter.get(field).and_then(Value::as_str).filter(|t| !t.is_empty());
    let is_connected = field_true(&document.body, "connected");
    let in_state = match asked("status") {
        Some("CONNECTED" | "ENABLED") => is_connected,
        Some("DISCONNECTED") => !is_connected,
        Some(_) => false,
        None => true,
    };
    let says = |field: &str, value: Option<&str>| {
        value.is_none_or(|value| {
            text(document, field).to_lowercase().contains(&value.to_lowercase())
        })
    };
    let tags = document.body.get("tags").and_then(Value::as_array);
    let has_tag = |tag: &Value| tags.is_some_and(|tags| tags.contains(tag));
    in_state
        && says("name", asked("delegateName"))
        && says("name", asked("delegateGroupIdentifier"))
        && says("type", asked("delegateType"))
        && says("description", asked("description"))
        && asked("autoUpgrade").is_none_or(|wanted| wanted == text(document, "autoUpgrade"))
        && filter.get("delegateTags").and_then(Value::as_array).into_iter().flatten().all(has_tag)
}

pub(super) fn routes() -> Vec<Route> {
    vec![Route::new("POST", "/ng/api/delegate-setup/listDelegates", list)]
}
