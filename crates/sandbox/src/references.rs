//! Who refers to whom: the reason a delete may be refused.

use serde_json::Value;

use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store, StoreError};

/// Kinds that may hold references.
const REFERRERS: [&str; 8] = [
    "pipeline",
    "template",
    "service",
    "environment",
    "infrastructure",
    "connector",
    "service_override",
    "secret",
];

/// How many entities refer to the one at `key`.
pub fn count(store: &Store, key: &Key) -> Result<usize, StoreError> {
    if !is_referable(&key.kind) {
        return Ok(0);
    }
    let mut count = 0;
    for kind in REFERRERS {
        let documents = store.list(&Filter::kind(kind))?;
        count += documents.iter().filter(|document| refers(document, key)).count();
    }
    Ok(count)
}

fn is_referable(kind: &str) -> bool {
    matches!(kind, "connector" | "secret" | "service" | "environment" | "template")
}

fn refers(document: &Document, key: &Key) -> bool {
    // An environment takes its infrastructures with it, so those do not hold it.
    let goes_too = document.key.kind == "infrastructure" && key.kind == "environment";
    // Most documents never say the name; looking for it first spares parsing their YAML.
    if goes_too || document.key == *key || !names(&document.body, wanted(key)) {
        return false;
    }
    let scope = document.key.scope();
    let yaml = document.body.get("yaml").and_then(Value::as_str).unwrap_or_default();
    let parsed = crate::yaml::parse(yaml).unwrap_or_default();
    holds(&parsed, &scope, key) || holds(&document.body, &scope, key)
}

/// What references call it: a template lives below its identifier, one document per version.
fn wanted(key: &Key) -> &str {
    if key.kind == "template" { &key.parent } else { &key.id }
}

fn names(value: &Value, id: &str) -> bool {
    match value {
        Value::String(text) => text.contains(id),
        Value::Array(items) => items.iter().any(|item| names(item, id)),
        Value::Object(fields) => fields.values().any(|field| names(field, id)),
        _ => false,
    }
}

fn holds(value: &Value, scope: &Scope, key: &Key) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| holds(item, scope, key)),
        Value::Object(fields) => fields.iter().any(|(name, field)| match field {
            Value::String(text) => {
                kind_of(name) == Some(key.kind.as_str()) && points_at(text, scope, key)
                    || key.kind == "secret" && expression_names(text, scope, key)
            }
            Value::Array(items) if name.ends_with("Ref") || name == "values" => {
                items.iter().any(|item| holds(item, scope, key))
            }
            other => holds(other, scope, key),
        }),
        _ => false,
    }
}

/// The kind a reference field points at, by its name.
fn kind_of(field: &str) -> Option<&'static str> {
    match field {
        "connectorRef" | "secretManagerIdentifier" => Some("connector"),
        "serviceRef" => Some("service"),
        "environmentRef" => Some("environment"),
        "templateRef" => Some("template"),
        "infrastructureDefinitionRef" | "pipelineRef" | "envRef" => None,
        _ if field.ends_with("Ref") => Some("secret"),
        _ => None,
    }
}

fn points_at(reference: &str, scope: &Scope, key: &Key) -> bool {
    let (target, id) = scope.of_reference(reference);
    id == wanted(key) && target == key.scope()
}

fn expression_names(text: &str, scope: &Scope, key: &Key) -> bool {
    text.split("secrets.getValue(").skip(1).any(|rest| {
        let reference = rest.trim_start_matches(['"', '\'']);
        let reference = reference.split(['"', '\'', ')']).next().unwrap_or_default();
        points_at(reference, scope, key)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Key, Scope, Store, count};

    #[test]
    fn references_in_yaml_and_json_count_by_scope() {
        let store = Store::in_memory().unwrap();
        let here = Scope::project("o", "p");
        let yaml =
            "pipeline:\n  connectorRef: account.git\n  run: <+secrets.getValue(\"org.key\")>\n";
        let pipeline = Key::new("pipeline", &here, "build");
        store.insert(&pipeline, &json!({"yaml": yaml}), 1).unwrap();
        let git = json!({"spec": {"authentication": {"tokenRef": "account.token"}}});
        store.insert(&Key::account("connector", "git"), &git, 1).unwrap();
        for (key, expected) in [
            (Key::account("connector", "git"), 1),
            (Key::new("connector", &here, "git"), 0),
            (Key::new("secret", &Scope::organization("o"), "key"), 1),
            (Key::account("secret", "token"), 1),
            (Key::account("secret", "other"), 0),
        ] {
            assert_eq!(count(&store, &key).unwrap(), expected, "{key:?}");
        }
    }
}
