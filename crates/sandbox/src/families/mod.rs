//! The families of entities, one file each, and the few lines several of them share.

mod access;
mod audit_event;
mod connector;
mod connector_catalogue;
mod delegate;
mod delegate_token;
mod environment;
mod file_store;
mod freeze;
pub mod freeze_window;
mod infrastructure;
mod organization;
mod permission;
pub mod pipeline;
mod pipeline_v1;
mod project;
mod resource_group;
mod role;
mod role_assignment;
mod runs;
mod secret;
mod service;
mod service_account;
mod service_override;
mod setting;
pub mod template;
mod template_v1;
mod trigger;
mod user;
mod user_group;

use serde_json::{Value, json};

use crate::crud::{self, settle};
use crate::family::{Family, Fields};
use crate::reply::{FieldError, Reply};
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Document, Key, Store};
use crate::world::World;
use crate::yaml;

/// The routes of every family in this module.
pub fn routes() -> Vec<Route> {
    [
        organization::routes(),
        project::routes(),
        pipeline::routes(),
        pipeline_v1::routes(),
        trigger::routes(),
        service::routes(),
        environment::routes(),
        infrastructure::routes(),
        connector::routes(),
        secret::routes(),
        delegate::routes(),
        delegate_token::routes(),
        template::routes(),
        template_v1::routes(),
        user::routes(),
        user_group::routes(),
        service_account::routes(),
        role::routes(),
        role_assignment::routes(),
        resource_group::routes(),
        permission::routes(),
        freeze_window::routes(),
        setting::routes(),
        service_override::routes(),
        file_store::routes(),
        audit_event::routes(),
    ]
    .concat()
}

/// True when a field says `true`.
fn field_true(body: &Value, field: &str) -> bool {
    body.get(field).and_then(Value::as_bool).unwrap_or_default()
}

/// A text field of a document, or empty.
fn text<'a>(document: &'a Document, field: &str) -> &'a str {
    document.body.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Governance of a write that no policy stops.
fn governance_pass() -> Value {
    json!({"deny": false, "status": "pass", "message": null, "details": []})
}

/// Whether a filter's list of values is absent, empty or holds `value`.
fn listed_in(filter: &Value, field: &str, value: &str) -> bool {
    let wanted = filter.get(field).and_then(Value::as_array);
    wanted.is_none_or(|wanted| wanted.is_empty() || wanted.iter().any(|one| one == value))
}

/// Whether a document carries every tag of a filter, `[{key,value}]` or `{key: value}`.
fn tag_matches(document: &Document, wanted: Option<&Value>) -> bool {
    let tags = document.body.get("tags");
    let has = |key: &str, value: Option<&Value>| {
        let found = tags.and_then(|tags| tags.get(key));
        let is_any = value.is_none_or(|value| value.is_null() || value == "");
        found.is_some_and(|found| is_any || value == Some(found))
    };
    match wanted {
        Some(Value::Array(pairs)) => pairs.iter().all(|pair| {
            has(pair.get("key").and_then(Value::as_str).unwrap_or_default(), pair.get("value"))
        }),
        Some(Value::Object(pairs)) => pairs.iter().all(|(key, value)| has(key, Some(value))),
        _ => true,
    }
}

/// The entity with the fields that say where it lives in front.
fn placed(world: &World, document: &Document) -> Fields {
    let mut fields = Fields::new();
    fields.insert("accountId".to_owned(), json!(world.account));
    fields.insert("identifier".to_owned(), json!(document.key.id));
    for (field, level) in
        [("orgIdentifier", &document.key.org), ("projectIdentifier", &document.key.project)]
    {
        let level = if level.is_empty() { Value::Null } else { json!(level) };
        fields.insert(field.to_owned(), level);
    }
    for (field, value) in document.body.as_object().into_iter().flatten() {
        fields.entry(field.clone()).or_insert_with(|| value.clone());
    }
    fields
}

/// Checks a YAML text inside a JSON body against the fields beside it, and gives its root object.
fn agreeing_yaml(body: &Fields, root: &str, fields: &[&str]) -> Result<Option<Value>, Reply> {
    let text = body.get("yaml").and_then(Value::as_str).unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(None);
    }
    let parsed = yaml::parse(text).map_err(|error| {
        Reply::ng_error(400, "INVALID_YAML_ERROR", &format!("Invalid YAML: {error}"))
    })?;
    let Some(inner) = parsed.get(root).filter(|inner| inner.is_object()) else {
        return Err(Reply::invalid(&format!("Invalid YAML: the root element `{root}` is missing")));
    };
    for field in fields {
        let (said, meant) = (inner.get(*field), body.get(*field));
        let (Some(Value::String(said)), Some(Value::String(meant))) = (said, meant) else {
            continue;
        };
        if said != meant {
            return Err(Reply::invalid(&format!(
                "{field} [{meant}] in the request does not match {field} [{said}] in the YAML"
            )));
        }
    }
    Ok(Some(inner.clone()))
}

/// A field error about one field.
fn refuse(field: &str, error: &str) -> Reply {
    Reply::field_failure(&[FieldError::new(field, error)])
}

/// Moves an entity between the platform and a repository.
fn move_config<F: Family>(
    world: &World,
    request: &Request,
    params: &Params,
    answer_field: &str,
) -> Reply {
    settle(|| {
        let store = world.store();
        let document = crud::find::<F>(&store, &crud::key::<F>(&store, request, params)?)?;
        let kind = request
            .query
            .first("moveConfigType")
            .or(request.query.first("moveConfigOperationType"));
        let store_type = match kind {
            Some("INLINE_TO_REMOTE") => "REMOTE",
            Some("REMOTE_TO_INLINE") => "INLINE",
            _ => {
                let known = "must be INLINE_TO_REMOTE or REMOTE_TO_INLINE";
                return Err(refuse("moveConfigType", known));
            }
        };
        let mut body = document.body.clone();
        if let Some(fields) = body.as_object_mut() {
            fields.insert("storeType".to_owned(), json!(store_type));
            for field in ["connectorRef", "repoName", "branch", "filePath"] {
                match request.query.first(field).filter(|_| store_type == "REMOTE") {
                    Some(value) => fields.insert(field.to_owned(), json!(value)),
                    None => fields.shift_remove(field),
                };
            }
        }
        store.put(&document.key, &body, world.now_ms())?;
        let mut answer = Fields::new();
        answer.insert(answer_field.to_owned(), json!(document.key.id));
        Ok(Reply::ng(Value::Object(answer)))
    })
}

/// Refuses a reference to an entity that is not there.
fn require(store: &Store, kind: &str, scope: &Scope, reference: &str) -> Result<(), Reply> {
    let (scope, id) = scope.of_reference(reference);
    if store.get(&Key::new(kind, &scope, id))?.is_some() {
        return Ok(());
    }
    let noun = kind.replace('_', " ");
    Err(Reply::ng_error(
        400,
        "INVALID_IDENTIFIER_REF",
        &format!("There is no {noun} with identifier [{reference}] at {} scope", scope.level()),
    ))
}
