//! Arguments as JSON Schema, as small as agents can bear.

use serde_json::{Map, Value, json};

use super::{Argument, Is, SCOPES};

/// The input schema of a tool: one object, no combinators at its root (clients refuse them there).
pub(crate) fn input_schema(declared: &[&Argument]) -> Map<String, Value> {
    let properties: Map<String, Value> =
        declared.iter().map(|argument| (argument.name.to_owned(), property(argument))).collect();
    let required: Vec<&str> = declared
        .iter()
        .filter(|argument| argument.required)
        .map(|argument| argument.name)
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

fn property(argument: &Argument) -> Value {
    let schema = match argument.is {
        Is::Text => json!({ "type": "string" }),
        Is::Flag => json!({ "type": "boolean" }),
        Is::Whole { least, .. } => json!({ "type": "integer", "minimum": least }),
        Is::Seconds { least, most } => {
            json!({ "type": "number", "minimum": least, "maximum": most })
        }
        Is::Object => json!({ "type": "object" }),
        Is::ObjectOrText => json!({ "anyOf": [{ "type": "object" }, { "type": "string" }] }),
        Is::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Is::Objects { most } => {
            json!({ "type": "array", "items": { "type": "object" }, "maxItems": most })
        }
        Is::Scope => json!({ "type": "string", "enum": SCOPES }),
    };
    let Value::Object(mut schema) = schema else { return schema };
    if let Is::Whole { most, usual, .. } = argument.is {
        if most < i64::MAX {
            schema.insert("maximum".to_owned(), most.into());
        }
        if let Some(usual) = usual {
            schema.insert("default".to_owned(), usual.into());
        }
    }
    if !argument.about.is_empty() {
        schema.insert("description".to_owned(), argument.about.into());
    }
    schema.into()
}
