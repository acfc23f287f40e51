//! A toolset, or everything about one type.

use serde_json::{Map, Value, json};

use super::{Unknown, is_required, parameters};
use crate::catalog::Catalog;
use crate::jq;
use crate::model::{Body, Field, Operation, ResourceType, Shorthand};

/// Examples shown with a type; more are in the reference.
const MAX_EXAMPLES: usize = 6;

/// The types of a toolset.
pub fn toolset(catalog: &Catalog, name: &str) -> Result<Value, Unknown> {
    let toolset = catalog.toolsets.iter().find(|toolset| toolset.name == name);
    let toolset = toolset.ok_or_else(|| Unknown::toolset(catalog, name))?;
    let resources: Vec<Value> = catalog.of_toolset(name).map(summary).collect();
    Ok(json!({
        "toolset": toolset.name,
        "displayName": toolset.title,
        "description": toolset.about,
        "resources": resources,
    }))
}

fn summary(resource: &ResourceType) -> Value {
    let mut members = head(resource);
    members.shift_remove("toolset");
    let names = |map: &indexmap::IndexMap<String, Operation>| {
        map.keys().map(String::as_str).map(Value::from).collect::<Value>()
    };
    members.insert("operations".to_owned(), names(&resource.operations));
    if !resource.actions.is_empty() {
        members.insert("executeActions".to_owned(), names(&resource.actions));
    }
    members.insert("identifierFields".to_owned(), json!(resource.ids));
    if let Some(list) = resource.operations.get("list")
        && !list.filters.is_empty()
    {
        let filters = list.filters.iter().map(|name| match is_required(list, name) {
            true => json!({"name": name, "required": true}),
            false => json!({"name": name}),
        });
        members.insert("listFilterFields".to_owned(), filters.collect());
    }
    Value::Object(members)
}

/// Name, title, sentence, toolset and scopes.
fn head(resource: &ResourceType) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("resource_type".to_owned(), json!(resource.name));
    members.insert("displayName".to_owned(), json!(resource.title));
    members.insert("description".to_owned(), json!(resource.about));
    members.insert("toolset".to_owned(), json!(resource.toolset));
    let scopes: Vec<&str> = resource.scopes.iter().map(|scope| scope.word()).collect();
    members.insert("scope".to_owned(), json!(scopes.first()));
    if scopes.len() > 1 {
        members.insert("supportedScopes".to_owned(), json!(scopes));
    }
    members
}

/// Everything about one type.
pub fn resource_type(catalog: &Catalog, name: &str) -> Result<Value, Unknown> {
    let resource = catalog.get(name).ok_or_else(|| Unknown::resource_type(catalog, name))?;
    let mut members = head(resource);
    if let Some(hint) = scope_hint(resource) {
        members.insert("scopeHint".to_owned(), json!(hint));
    }
    if !resource.also_called.is_empty() {
        members.insert("aliases".to_owned(), json!(resource.also_called));
    }
    members.insert("identifierFields".to_owned(), json!(resource.ids));
    if let Some(list) = resource.operations.get("list") {
        let filters = parameters(resource, list);
        if !filters.is_empty() {
            members.insert("listFilterFields".to_owned(), json!(filters));
        }
    }
    let operations = resource
        .operations
        .iter()
        .map(|(name, operation)| told(resource, "operation", name, operation));
    members.insert("operations".to_owned(), operations.collect());
    if !resource.actions.is_empty() {
        let actions =
            resource.actions.iter().map(|(name, action)| told(resource, "action", name, action));
        members.insert("executeActions".to_owned(), actions.collect());
    }
    let hints =
        [("diagnosticHint", &resource.hint_not_found), ("executeHint", &resource.hint_execute)];
    for (key, hint) in hints {
        if let Some(hint) = hint {
            members.insert(key.to_owned(), json!(hint));
        }
    }
    if !resource.related.is_empty() {
        let related = resource
            .related
            .iter()
            .map(|related| json!({"resourceType": related.resource, "relationship": related.how}));
        members.insert("relatedResources".to_owned(), related.collect());
    }
    let examples = examples(catalog, name);
    if !examples.is_empty() {
        members.insert("examples".to_owned(), json!(examples));
    }
    Ok(Value::Object(members))
}

fn scope_hint(resource: &ResourceType) -> Option<String> {
    let (first, more) = resource.scopes.split_first()?;
    let more: Vec<String> = more.iter().map(|scope| format!("`{scope}`")).collect();
    if more.is_empty() {
        return None;
    }
    Some(format!("at `{first}` scope unless resource_scope says {}", more.join(" or ")))
}

fn told(resource: &ResourceType, kind: &str, name: &str, operation: &Operation) -> Value {
    let mut members = Map::new();
    members.insert(kind.to_owned(), json!(name));
    members.insert("method".to_owned(), json!(operation.request.method.word()));
    members.insert("path".to_owned(), json!(operation.request.path.to_string()));
    members.insert("risk".to_owned(), json!(operation.risk.word()));
    if !operation.about.is_empty() {
        members.insert("description".to_owned(), json!(operation.about));
    }
    if name != "list" || kind == "action" {
        let parameters = parameters(resource, operation);
        if !parameters.is_empty() {
            members.insert("params".to_owned(), json!(parameters));
        }
    }
    if !operation.fields.is_empty() {
        let fields: Vec<Value> = operation.fields.iter().map(field).collect();
        let mut schema = Map::from_iter([("fields".to_owned(), json!(fields))]);
        if matches!(&operation.body, Body::Document(_) | Body::Text { .. }) {
            schema.insert("accepts".to_owned(), json!("object or YAML text"));
        }
        members.insert("bodySchema".to_owned(), Value::Object(schema));
    }
    if !operation.shorthands.is_empty() {
        let shorthands = operation.shorthands.iter().map(shorthand);
        members.insert("inputShorthands".to_owned(), shorthands.collect());
    }
    Value::Object(members)
}

fn field(field: &Field) -> Value {
    let mut members = Map::new();
    members.insert("name".to_owned(), json!(field.name));
    members.insert("type".to_owned(), json!(field.is.client_word()));
    members.insert("required".to_owned(), json!(field.need));
    if !field.about.is_empty() {
        members.insert("description".to_owned(), json!(field.about));
    }
    if !field.fields.is_empty() {
        let fields = field.fields.iter().map(self::field);
        members.insert("fields".to_owned(), fields.collect());
    }
    Value::Object(members)
}

/// `branch` stands for `build.type=branch, build.spec.branch`.
fn shorthand(shorthand: &Shorthand) -> Value {
    /// Marks where the caller's value goes.
    const VALUE: &str = "\u{1}";
    let expanded = jq::run(&shorthand.expand, &json!(VALUE), |_| None).unwrap_or_default();
    let mut leaves = Vec::new();
    collect(&expanded, String::new(), &mut leaves);
    let leaves: Vec<String> = leaves
        .into_iter()
        .map(|(path, value)| if value == VALUE { path } else { format!("{path}={value}") })
        .collect();
    json!({"shorthand": shorthand.input, "expands_to": leaves.join(", ")})
}

fn collect(value: &Value, path: String, leaves: &mut Vec<(String, String)>) {
    let Value::Object(members) = value else {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        leaves.push((path, text));
        return;
    };
    for (key, value) in members {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        collect(value, path, leaves);
    }
}

fn examples(catalog: &Catalog, name: &str) -> Vec<Value> {
    let shown = catalog.examples(name).iter().take(MAX_EXAMPLES);
    shown
        .map(|example| {
            let arguments = serde_json::from_str::<Value>(&example.arguments).unwrap_or_default();
            json!({"title": example.title, "tool": example.tool, "arguments": arguments})
        })
        .collect()
}
