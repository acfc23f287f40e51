//! A tool's definition, as far as the review reads it.

use serde_json::Value;

/// Schemas nest; arguments that matter for a look-up lie no deeper.
const DEPTH: usize = 4;
/// No tool has more fields that anyone could fill in.
const FIELD_LIMIT: usize = 500;

/// A tool as its upstream lists it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Whether it has any hints at all.
    pub has_hints: bool,
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// Whether it may be run as a task.
    pub can_be_task: bool,
    /// Its arguments, by name.
    pub fields: Vec<String>,
    /// Those that must be given.
    pub required: Vec<String>,
    /// The names of everything inside the arguments too.
    pub deep_fields: Vec<String>,
    /// What the schema says of each argument.
    about: Vec<(String, String)>,
}

impl Definition {
    /// Reads an item of a `tools/list` result; none without a name.
    pub fn of(tool: &Value) -> Option<Self> {
        let hint = |name: &str| tool.pointer(&format!("/annotations/{name}"))?.as_bool();
        let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
        let properties = schema.get("properties").and_then(Value::as_object);
        let about = properties.into_iter().flatten().filter_map(|(name, field)| {
            Some((name.clone(), field.get("description")?.as_str()?.to_owned()))
        });
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let mut deep_fields = Vec::new();
        collect(schema, DEPTH, &mut deep_fields);
        Some(Self {
            name: tool.get("name")?.as_str()?.to_owned(),
            has_hints: tool
                .get("annotations")
                .and_then(Value::as_object)
                .is_some_and(|hints| hints.values().any(Value::is_boolean)),
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            can_be_task: matches!(
                tool.pointer("/execution/taskSupport").and_then(Value::as_str),
                Some("optional" | "required")
            ),
            fields: properties.map(|fields| fields.keys().cloned().collect()).unwrap_or_default(),
            required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
            deep_fields,
            about: about.collect(),
        })
    }

    /// What its schema says of an argument.
    pub(super) fn about(&self, field: &str) -> Option<&str> {
        self.about.iter().find(|(name, _)| name == field).map(|(_, about)| about.as_str())
    }
}

/// The names of all properties, through arrays and alternatives.
fn collect(schema: &Value, depth: usize, names: &mut Vec<String>) {
    if depth == 0 || names.len() >= FIELD_LIMIT {
        return;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, field) in properties.into_iter().flatten() {
        names.push(name.clone());
        collect(field, depth - 1, names);
    }
    if let Some(items) = schema.get("items") {
        collect(items, depth - 1, names);
    }
    for several in ["anyOf", "oneOf", "allOf"] {
        let choices = schema.get(several).and_then(Value::as_array);
        choices.into_iter().flatten().for_each(|choice| collect(choice, depth - 1, names));
    }
}
