//! The part of a pipeline that a run must fill in.

use serde_json::{Map, Value};

use super::placeholder::Placeholder;

/// Fields that say which item of a list is meant; they stay beside a runtime input.
const IDENTITY: [&str; 3] = ["identifier", "name", "type"];

/// `{pipeline: …}` with nothing but runtime inputs and what identifies them; none when all is fixed.
pub(crate) fn template_of(document: &Value) -> Option<Value> {
    let pipeline = document.get("pipeline")?;
    let mut kept = only_inputs(pipeline)?;
    let identifier = pipeline.get("identifier").cloned().unwrap_or(Value::Null);
    if let Some(fields) = kept.as_object_mut() {
        fields.shift_remove("name");
        fields.shift_remove("type");
        fields.shift_insert(0, "identifier".to_owned(), identifier);
    }
    Some(Value::Object(Map::from_iter([("pipeline".to_owned(), kept)])))
}

/// The same document with only the named stages, for templates of a part of a pipeline.
pub(crate) fn with_stages(document: &Value, wanted: &[&str]) -> Value {
    let mut document = document.clone();
    let stages = document.pointer_mut("/pipeline/stages").and_then(Value::as_array_mut);
    if let Some(stages) = stages.filter(|_| !wanted.is_empty()) {
        stages.retain(|entry| names_stage(entry, wanted));
    }
    document
}

fn names_stage(entry: &Value, wanted: &[&str]) -> bool {
    if let Some(side_by_side) = entry.get("parallel").and_then(Value::as_array) {
        return side_by_side.iter().any(|one| names_stage(one, wanted));
    }
    let id = entry.pointer("/stage/identifier").and_then(Value::as_str);
    id.is_some_and(|id| wanted.contains(&id))
}

fn only_inputs(value: &Value) -> Option<Value> {
    match value {
        Value::Object(fields) => {
            let mut kept = Map::new();
            let mut has_input = false;
            for (name, field) in fields {
                if let Some(inner) = only_inputs(field) {
                    has_input = true;
                    kept.insert(name.clone(), inner);
                } else if IDENTITY.contains(&name.as_str()) && field.is_string() {
                    kept.insert(name.clone(), field.clone());
                }
            }
            if kept.contains_key("identifier") {
                kept.shift_remove("name");
            }
            has_input.then_some(Value::Object(kept))
        }
        Value::Array(items) => {
            let kept: Vec<Value> = items.iter().filter_map(only_inputs).collect();
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        scalar => Placeholder::read(scalar).map(|_| scalar.clone()),
    }
}

/// Paths of the runtime inputs of a document, with their text: `pipeline.variables.tag`.
pub(crate) fn inputs_of(document: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    collect(document, String::new(), &mut found);
    found
}

fn collect(value: &Value, path: String, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                collect(field, joined(&path, name), found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                collect(item, joined(&path, &step_into(item, at)), found);
            }
        }
        scalar if Placeholder::read(scalar).is_some() => {
            // A variable is known by its name, not by the `value` below it.
            let path = path.strip_suffix(".value").map_or(path.clone(), str::to_owned);
            found.push((path, scalar.clone()));
        }
        _ => {}
    }
}

/// How a list item is called in a path: its own name, else its position.
pub(crate) fn step_into(item: &Value, at: usize) -> String {
    super::merge::identity(item).unwrap_or_else(|| at.to_string())
}

/// `a.b`, or `b` at the start; wrappers like `stage` add nothing to a path.
pub(crate) fn joined(path: &str, name: &str) -> String {
    match (path, name) {
        ("", name) => name.to_owned(),
        (path, "stage" | "step" | "stepGroup" | "parallel") => path.to_owned(),
        (path, name) => format!("{path}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{inputs_of, template_of, with_stages};

    fn pipeline() -> serde_json::Value {
        json!({"pipeline": {
            "name": "Build", "identifier": "build", "tags": {},
            "variables": [
                {"name": "tag", "type": "String", "value": "<+input>.default(latest)"},
                {"name": "fixed", "type": "String", "value": "x"}],
            "stages": [
                {"stage": {"identifier": "one", "name": "One", "type": "Custom", "spec": {
                    "execution": {"steps": [
                        {"step": {"identifier": "say", "type": "ShellScript", "timeout": "<+input>",
                                  "spec": {"shell": "Bash"}}}]}}}},
                {"stage": {"identifier": "two", "type": "Custom", "spec": {"where": "<+input>"}}}]}})
    }

    #[test]
    fn a_template_keeps_inputs_and_what_identifies_them() {
        assert_eq!(
            template_of(&pipeline()),
            Some(json!({"pipeline": {
                "identifier": "build",
                "variables": [{"name": "tag", "type": "String", "value": "<+input>.default(latest)"}],
                "stages": [
                    {"stage": {"identifier": "one", "type": "Custom", "spec": {"execution": {"steps": [
                        {"step": {"identifier": "say", "type": "ShellScript", "timeout": "<+input>"}}]}}}},
                    {"stage": {"identifier": "two", "type": "Custom", "spec": {"where": "<+input>"}}}]}}))
        );
    }

    #[test]
    fn a_pipeline_without_inputs_has_no_template() {
        let fixed =
            json!({"pipeline": {"identifier": "a", "stages": [{"stage": {"identifier": "b"}}]}});
        assert_eq!(template_of(&fixed), None);
    }

    #[test]
    fn inputs_are_named_by_their_path() {
        let paths: Vec<String> = inputs_of(&pipeline()).into_iter().map(|(path, _)| path).collect();
        assert_eq!(
            paths,
            [
                "pipeline.variables.tag",
                "pipeline.stages.one.spec.execution.steps.say.timeout",
                "pipeline.stages.two.spec.where"
            ]
        );
    }

    #[test]
    fn a_template_may_be_about_some_stages_only() {
        let part = with_stages(&pipeline(), &["two"]);
        assert_eq!(inputs_of(&part).len(), 2);
    }
}
