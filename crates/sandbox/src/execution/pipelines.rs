//! The stored pipelines that runs begin from.

use serde_json::Value;

use crate::reply::Reply;
use crate::request::Request;
use crate::scope::Scope;
use crate::store::{Key, Store};
use crate::yaml;

/// A pipeline as far as a run needs it.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline {
    /// Identifier.
    pub(crate) id: String,
    /// Name.
    pub(crate) name: String,
    /// Tags.
    pub(crate) tags: Value,
    /// `{pipeline: …}`.
    pub(crate) document: Value,
}

/// The pipeline of a scope, or the refusal.
pub(crate) fn wanted(store: &Store, scope: &Scope, id: &str) -> Result<Pipeline, Reply> {
    let missing = || {
        let message = format!(
            "Pipeline [{id}] under Project[{}], Organization [{}] doesn't exist or has been deleted.",
            scope.project, scope.org
        );
        Reply::ng_error(404, "ENTITY_NOT_FOUND", &message)
    };
    let found = store.get(&Key::new("pipeline", scope, id))?.ok_or_else(missing)?;
    let text = found.body.get("yaml").and_then(Value::as_str).unwrap_or_default();
    from_yaml(id, text)
}

/// A pipeline from YAML text.
pub(crate) fn from_yaml(id: &str, text: &str) -> Result<Pipeline, Reply> {
    let document = yaml::parse(text).map_err(|error| {
        Reply::ng_error(400, "INVALID_YAML_ERROR", &format!("Invalid pipeline YAML: {error}"))
    })?;
    let field = |name: &str| document.pointer(&format!("/pipeline/{name}"));
    let name = field("name").and_then(Value::as_str).unwrap_or(id).to_owned();
    let tags = field("tags").cloned().unwrap_or_else(|| Value::Object(Default::default()));
    Ok(Pipeline { id: id.to_owned(), name, tags, document })
}

/// A YAML or JSON body as a value: an empty one is `{}`.
pub(crate) fn body_value(request: &Request) -> Result<Value, Reply> {
    if request.is_bodiless() {
        return Ok(Value::Object(Default::default()));
    }
    let value = request.yaml_or_json().map_err(|error| {
        Reply::ng_error(400, "INVALID_YAML_ERROR", &format!("the body is not YAML: {error}"))
    })?;
    match value {
        Value::Null => Ok(Value::Object(Default::default())),
        Value::Object(_) => Ok(value),
        _ => Err(Reply::invalid("the body must be a YAML object like `pipeline: …`")),
    }
}
