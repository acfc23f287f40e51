//! Audit events: every write by anybody leaves one.

use serde_json::{Value, json};

use crate::ids;
use crate::scope::Scope;
use crate::store::{Key, Store, StoreError};
use crate::world::{CALLER, World};
use crate::yaml;

/// Kind of the stored events.
pub const KIND: &str = "audit_event";

/// The trail keeps this many events; a store that is used for months must not grow for ever.
const MOST_EVENTS: u64 = 20_000;
/// How often the trail is cut back.
const CUT_EVERY: u64 = 500;

/// A write, as its audit event tells it.
#[derive(Debug, Clone, Default)]
pub struct Event<'a> {
    /// `CREATE`, `UPDATE`, `DELETE`, `START`, `ABORT`, …
    pub action: &'a str,
    /// `PIPELINE`, `SERVICE`, …
    pub resource_type: &'a str,
    /// Identifier of what was written.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its scope.
    pub scope: Scope,
    /// `CORE`, `PMS`, `CD`, …; empty means `CORE`.
    pub module: &'a str,
    /// YAML before the write, or empty.
    pub old_yaml: String,
    /// YAML after the write, or empty.
    pub new_yaml: String,
}

impl Event<'_> {
    /// Sets old and new YAML from JSON values.
    #[must_use]
    pub fn with_values(mut self, old: Option<&Value>, new: Option<&Value>) -> Self {
        self.old_yaml = old.map(yaml::write).unwrap_or_default();
        self.new_yaml = new.map(yaml::write).unwrap_or_default();
        self
    }
}

/// Writes an audit event; its id is given back.
pub fn record(world: &World, store: &Store, event: &Event<'_>) -> Result<String, StoreError> {
    record_at(world, store, event, world.now_ms())
}

/// Writes an audit event of a given time; the seed uses it for the past.
pub fn record_at(
    world: &World,
    store: &Store,
    event: &Event<'_>,
    at_ms: i64,
) -> Result<String, StoreError> {
    let id = ids::uuid();
    let method = match event.action {
        "CREATE" | "START" => "POST",
        "DELETE" => "DELETE",
        _ => "PUT",
    };
    let body = json!({
        "auditId": id, "insertId": ids::uuid(),
        "resourceScope": world.scope_json(&event.scope),
        "httpRequestInfo": {"requestMethod": method},
        "requestMetadata": {"clientIP": "127.0.0.1"},
        "timestamp": at_ms,
        "authenticationInfo": {
            "principal": {"type": "USER", "identifier": CALLER.email},
            "labels": {"username": CALLER.name, "userId": CALLER.uuid},
        },
        "module": if event.module.is_empty() { "CORE" } else { event.module },
        "resource": {
            "type": event.resource_type, "identifier": event.id,
            "labels": {"resourceName": event.name},
        },
        "action": event.action, "auditEventData": null, "internalInfo": null,
        "yaml": {"old": event.old_yaml, "new": event.new_yaml},
    });
    store.insert(&Key::new(KIND, &event.scope, &id), &body, at_ms)?;
    if store.next_number(KIND)?.is_multiple_of(CUT_EVERY) {
        store.keep_newest(KIND, MOST_EVENTS)?;
    }
    Ok(id)
}
