//! Pipelines with what their template references point at.

use serde_json::{Value, json};

use super::super::text;
use super::version;
use crate::family::Fields;
use crate::reply::Reply;
use crate::scope::Scope;
use crate::store::Store;
use crate::yaml;
/// A pipeline with its template references replaced by what they point at, as YAML.
pub(crate) fn resolved(store: &Store, scope: &Scope, pipeline: &Value) -> Result<Value, Reply> {
    let resolved = expand(store, scope, pipeline, 0)?;
    Ok(json!(yaml::write(&json!({"pipeline": resolved}))))
}

/// Templates inside templates go no deeper than this.
const DEEPEST: usize = 10;

fn expand(store: &Store, scope: &Scope, value: &Value, depth: usize) -> Result<Value, Reply> {
    if depth > DEEPEST {
        return Err(Reply::invalid("Templates are nested too deep"));
    }
    match value {
        Value::Array(items) => items.iter().map(|item| expand(store, scope, item, depth)).collect(),
        Value::Object(fields) => {
            let reference = fields.get("template").and_then(|t| t.get("templateRef"));
            let Some(reference) = reference.and_then(Value::as_str) else {
                let expanded = fields
                    .iter()
                    .map(|(name, field)| Ok((name.clone(), expand(store, scope, field, depth)?)));
                return expanded.collect::<Result<Fields, Reply>>().map(Value::Object);
            };
            let label = fields.get("template").and_then(|t| t.get("versionLabel"));
            let (there, id) = scope.of_reference(reference);
            let found = version(store, &there, id, label.and_then(Value::as_str))?;
            let parsed = yaml::parse(text(&found, "yaml")).unwrap_or_default();
            let spec = parsed.get("template").and_then(|template| template.get("spec"));
            let mut merged = fields.clone();
            merged.shift_remove("template");
            let spec = expand(store, scope, spec.unwrap_or(&Value::Null), depth + 1)?;
            for (name, field) in spec.as_object().into_iter().flatten() {
                merged.entry(name.clone()).or_insert_with(|| field.clone());
            }
            Ok(Value::Object(merged))
        }
        other => Ok(other.clone()),
    }
}
