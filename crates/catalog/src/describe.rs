//! What `harness_describe` says, made from the catalogue alone.

mod one;
mod overview;
mod search;

use serde_json::{Map, Value, json};

use crate::catalog::Catalog;
use crate::model::{Input, Operation, ResourceType};
use crate::read::IMPLICIT;

pub use one::{resource_type, toolset};
pub use overview::everything;
pub use search::search;

/// Something that was asked for and is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} `{name}`{}; known: {}", hint(.guess.as_deref()), .known.join(", "))]
pub struct Unknown {
    /// `resource type` or `toolset`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The nearest known one.
    pub guess: Option<String>,
    /// All known ones.
    pub known: Vec<String>,
}

fn hint(guess: Option<&str>) -> String {
    guess.map_or_else(String::new, |guess| format!(", did you mean `{guess}`?"))
}

impl Unknown {
    /// An unknown resource type.
    #[must_use]
    pub fn resource_type(catalog: &Catalog, name: &str) -> Self {
        Self::new("resource type", name, catalog.types.keys().map(String::as_str))
    }

    /// An unknown toolset.
    #[must_use]
    pub fn toolset(catalog: &Catalog, name: &str) -> Self {
        Self::new("toolset", name, catalog.toolsets.iter().map(|toolset| toolset.name.as_str()))
    }

    fn new<'a>(
        kind: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let guess = crate::nearest(name, known.clone()).map(str::to_owned);
        let mut known: Vec<String> = known.map(str::to_owned).collect();
        known.sort();
        Self { kind, name: name.to_owned(), guess, known }
    }
}

/// The names of everything that can be done with a type.
fn all_operations(resource: &ResourceType) -> Vec<&str> {
    resource.operations.keys().chain(resource.actions.keys()).map(String::as_str).collect()
}

/// A row of a list of types.
fn row(resource: &ResourceType) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("type".to_owned(), json!(resource.name));
    row.insert("toolset".to_owned(), json!(resource.toolset));
    row.insert("ops".to_owned(), json!(all_operations(resource)));
    row
}

/// Whether no request is sent without this input.
fn is_required(operation: &Operation, name: &String) -> bool {
    let in_path = || operation.request.path.names().any(|place| place == name);
    operation.need.contains(name) || (operation.variants.is_empty() && in_path())
}

/// What an operation takes beside identifiers, paging and the body.
fn parameters(resource: &ResourceType, operation: &Operation) -> Vec<Value> {
    let hidden = |name: &&String| !IMPLICIT.contains(&name.as_str());
    let needed = operation.need.iter().filter(|name| !operation.filters.contains(name));
    operation
        .filters
        .iter()
        .chain(needed.filter(hidden))
        .filter_map(|name| {
            let input = resource.inputs.get(name)?;
            Some(parameter(name, input, is_required(operation, name)))
        })
        .collect()
}

fn parameter(name: &str, input: &Input, required: bool) -> Value {
    let mut members = Map::new();
    members.insert("name".to_owned(), json!(name));
    if !input.about.is_empty() {
        members.insert("description".to_owned(), json!(input.about));
    }
    if input.is != crate::model::Kind::Text {
        members.insert("type".to_owned(), json!(input.is.client_word()));
    }
    if !input.values.is_empty() {
        members.insert("enum".to_owned(), json!(input.values));
    }
    if required {
        members.insert("required".to_owned(), json!(true));
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests;
