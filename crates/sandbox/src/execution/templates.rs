//! Putting templates where a document refers to them, with the inputs it gives them.

use serde_json::{Map, Value};

use super::inputs::merge::fill;
use super::inputs::resolve::resolve;
use crate::families::template;
use crate::scope::Scope;
use crate::store::Store;
use crate::yaml;

/// Templates inside templates, at most.
const DEEPEST: usize = 8;

/// The same document with each template in place of its reference; one that is not there stays as
/// it is, and its step or stage is shown as a template.
pub(crate) fn expanded(store: &Store, scope: &Scope, value: &Value) -> Value {
    expand(store, scope, value, 0)
}

fn expand(store: &Store, scope: &Scope, value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| expand(store, scope, item, depth)).collect(),
        Value::Object(fields) => {
            let is_reference = value.pointer("/template/templateRef").is_some();
            let filled = is_reference && depth < DEEPEST;
            if let Some(filled) = filled.then(|| filled_in(store, scope, fields)).flatten() {
                return expand(store, scope, &filled, depth + 1);
            }
            let expanded = |(name, field): (&String, &Value)| {
                (name.clone(), expand(store, scope, field, depth))
            };
            fields.iter().map(expanded).collect()
        }
        other => other.clone(),
    }
}

/// A step or stage with its template in it; `None` when there is no such template.
fn filled_in(store: &Store, scope: &Scope, fields: &Map<String, Value>) -> Option<Value> {
    let resolved = template::resolved(store, scope, &Value::Object(fields.clone())).ok()?;
    let parsed = yaml::parse(resolved.as_str()?).ok()?;
    let mut filled = parsed.get("pipeline")?.clone();
    if let Some(inputs) = fields.get("template").and_then(|one| one.get("templateInputs")) {
        fill(&mut filled, inputs);
    }
    // What the reference leaves open takes its default; what has none stays open.
    Some(resolve(&filled, &[]).map_or(filled, |done| done.document))
}
