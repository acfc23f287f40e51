//! A JSON schema of resource files, for editors; the loader itself says more.

use serde_json::{Map, Value, json};

use crate::catalog::Catalog;
use crate::read::words::{KINDS, OPERATIONS, RETRIES, RISKS, SCOPES};

/// The schema (JSON Schema 2020-12) of a resource file of this catalogue.
#[must_use]
pub fn resource_file(catalog: &Catalog) -> Value {
    let toolsets: Vec<&str> = catalog.toolsets.iter().map(|set| set.name.as_str()).collect();
    let dialects: Vec<&str> = catalog.dialects.keys().map(String::as_str).collect();
    let plain = OPERATIONS.iter().map(|name| ((*name).to_owned(), reference("operation")));
    let properties = [
        ("resource", told("The name, as `resource_type` takes it", text())),
        ("title", told("The name for people", text())),
        ("toolset", json!({"enum": toolsets})),
        ("about", told("One or two sentences for the agent", text())),
        ("dialect", json!({"enum": dialects})),
        ("scopes", told("The default one first", list(words(&SCOPES)))),
        ("scope_optional", flag()),
        ("ids", told("The identifier inputs, outermost first", list(text()))),
        ("also_called", list(text())),
        ("link", told("The page in the console, with `{places}`", text())),
        ("hint_not_found", text()),
        ("hint_execute", text()),
        ("related", list(object([("resource", text()), ("how", text())], &["resource", "how"]))),
        ("compact", told("Keys a compact list keeps", list(text()))),
        ("replaces", told("In a user's file: override the built-in type", flag())),
        ("inputs", map_of(reference("input"))),
        ("functions", told("jq definitions for the programs of this file", text())),
        (
            "operations",
            json!({
                "type": "object", "additionalProperties": false, "properties": plain.collect::<Map<_, _>>()
            }),
        ),
        ("actions", map_of(reference("operation"))),
    ];
    let required = ["resource", "title", "toolset", "about", "dialect", "scopes"];
    let mut schema = object(properties, &required);
    if let Value::Object(members) = &mut schema {
        members.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        members.insert("title".to_owned(), json!("Checkrein resource file"));
        members.insert(
            "$defs".to_owned(),
            json!({"input": input(), "operation": operation(), "field": field(), "query": query()}),
        );
    }
    schema
}

fn input() -> Value {
    let properties = [
        ("is", words(&KINDS)),
        ("about", text()),
        ("values", told("The known values", list(text()))),
        ("field", told("What the platform's replies call it", text())),
    ];
    object(properties, &[])
}

fn field() -> Value {
    let properties = [
        ("is", words(&KINDS)),
        ("need", flag()),
        ("about", text()),
        ("fields", map_of(reference("field"))),
    ];
    object(properties, &[])
}

fn query() -> Value {
    json!({"anyOf": [
        told("A text, or an input as `$name`", json!({"type": ["string", "number", "boolean"]})),
        object([("input", text()), ("or", text())], &["input"]),
        object([("one_based", text())], &["one_based"]),
        object([("jq", text())], &["jq"]),
    ]})
}

fn operation() -> Value {
    let request = || told("`METHOD /path/{input}`", text());
    let properties = [
        ("about", text()),
        ("request", request()),
        (
            "variants",
            list(object([("when", text()), ("request", request())], &["when", "request"])),
        ),
        ("risk", words(&RISKS)),
        ("retry", words(&RETRIES)),
        ("query", map_of(reference("query"))),
        ("headers", map_of(text())),
        ("body", body()),
        ("fields", map_of(reference("field"))),
        ("wrapper", told("The key the body's fields are under", text())),
        ("scope_in_body", flag()),
        ("account_in_body", flag()),
        ("org_fallback", flag()),
        ("need", told("Inputs without which no request is sent", list(text()))),
        ("takes", told("Inputs that only the hook reads", list(text()))),
        (
            "shorthands",
            list(object(
                [("input", text()), ("unless", text()), ("expand", text())],
                &["input", "expand"],
            )),
        ),
        ("reply", reply()),
        ("binary", flag()),
        ("hook", text()),
        ("never_compact", flag()),
    ];
    object(properties, &["request"])
}

fn body() -> Value {
    let document = object(
        [
            ("unwrap", text()),
            ("wrap", text()),
            ("id", map_of(text())),
            ("fill", map_of(text())),
            ("yaml_of", text()),
        ],
        &[],
    );
    json!({"anyOf": [
        {"const": "none"},
        object([("json", text())], &["json"]),
        object([("text", text()), ("media_type", text())], &["text"]),
        object([("document", document)], &["document"]),
        object([("multipart", text())], &["multipart"]),
    ]})
}

fn reply() -> Value {
    json!({"anyOf": [
        {"enum": ["raw", "data", "page", "resource", "array"]},
        object([("unwrap", text())], &["unwrap"]),
        object([("page_of", text())], &["page_of"]),
        object([("array_of", text())], &["array_of"]),
        object([("jq", text())], &["jq"]),
    ]})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn flag() -> Value {
    json!({"type": "boolean"})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn map_of(values: Value) -> Value {
    json!({"type": "object", "additionalProperties": values})
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

fn words<T>(table: &[(&str, T)]) -> Value {
    json!({"enum": table.iter().map(|(word, _)| *word).collect::<Vec<_>>()})
}

fn told(about: &str, mut schema: Value) -> Value {
    if let Value::Object(members) = &mut schema {
        members.insert("description".to_owned(), json!(about));
    }
    schema
}

fn object<const N: usize>(properties: [(&str, Value); N], required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        properties.into_iter().map(|(key, schema)| (key.to_owned(), schema)).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(schema: &Value) -> Vec<&str> {
        let mut keys: Vec<&str> =
            schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }

    fn sorted(mut known: Vec<&'static str>) -> Vec<&'static str> {
        known.sort_unstable();
        known
    }

    #[test]
    fn the_schema_has_exactly_the_keys_the_loader_takes() {
        let schema = resource_file(&crate::request::tests::catalog());
        assert_eq!(keys(&schema), sorted(crate::read::RESOURCE_KEYS.to_vec()));
        let operation = &schema["$defs"]["operation"];
        assert_eq!(keys(operation), sorted(crate::read::OPERATION_KEYS.to_vec()));
    }
}
