//! From a pipeline and what a caller gave to a document in which nothing is open any more.

use serde_json::Value;

use super::merge::{combine, fill};
use super::placeholder::Placeholder;
use super::template::{inputs_of, template_of};

/// Why a run cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    /// Inputs nobody gave.
    #[error("unresolved runtime inputs (`<+input>`): {}; pass a value for each", .0.join(", "))]
    Missing(Vec<String>),
    /// Values that their field does not accept.
    #[error("invalid values for runtime inputs: {}", .0.join("; "))]
    Refused(Vec<String>),
}

/// A pipeline whose inputs are all given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resolved {
    /// The whole document, ready to run.
    pub(crate) document: Value,
    /// The inputs alone, defaults included; none when the pipeline has no inputs.
    pub(crate) inputs: Option<Value>,
}

/// Fills `document` with `given`, one after another, then with defaults.
pub(crate) fn resolve(document: &Value, given: &[Value]) -> Result<Resolved, InputError> {
    let all = given.iter().fold(Value::Object(Default::default()), |sum, one| combine(&sum, one));
    let mut refused = Vec::new();
    let document = filled(document, &all, &mut refused);
    let inputs = template_of_filled(&document.0, &document.1);
    if !refused.is_empty() {
        return Err(InputError::Refused(refused));
    }
    let open: Vec<String> = inputs_of(&document.1).into_iter().map(|(path, _)| path).collect();
    if !open.is_empty() {
        return Err(InputError::Missing(open));
    }
    Ok(Resolved { document: document.1, inputs })
}

/// The document before and after filling.
fn filled(document: &Value, given: &Value, refused: &mut Vec<String>) -> (Value, Value) {
    let mut after = document.clone();
    fill(&mut after, given);
    settle(document, &mut after, String::new(), refused);
    (document.clone(), after)
}

/// Applies defaults and checks given values, side by side with the document they were given for.
fn settle(before: &Value, after: &mut Value, path: String, refused: &mut Vec<String>) {
    if let Some(placeholder) = Placeholder::read(before) {
        if Placeholder::read(after).is_some() {
            if let Some(value) = placeholder.default_value() {
                *after = value;
            }
        } else if let Some(objection) = placeholder.objection(after) {
            let path = path.strip_suffix(".value").unwrap_or(&path);
            refused.push(format!("{path}: {objection}"));
        }
        return;
    }
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old {
                if let Some(field) = new.get_mut(name) {
                    settle(value, field, super::template::joined(&path, name), refused);
                }
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for (at, (value, item)) in old.iter().zip(new).enumerate() {
                let step = super::template::step_into(value, at);
                settle(value, item, super::template::joined(&path, &step), refused);
            }
        }
        _ => {}
    }
}

/// The template of a document with the values of another in it.
fn template_of_filled(before: &Value, after: &Value) -> Option<Value> {
    let mut template = template_of(before)?;
    fill(&mut template, after);
    Some(template)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{InputError, resolve};

    fn pipeline() -> serde_json::Value {
        json!({"pipeline": {"identifier": "p", "timeout": "<+input>", "variables": [
            {"name": "env", "type": "String", "value": "<+input>.default(dev).allowedValues(dev,prod)"},
            {"name": "tag", "type": "String", "value": "<+input>"}]}})
    }

    fn given(tag: &str, env: Option<&str>) -> serde_json::Value {
        let mut variables = vec![json!({"name": "tag", "type": "String", "value": tag})];
        variables.extend(env.map(|env| json!({"name": "env", "type": "String", "value": env})));
        json!({"pipeline": {"identifier": "p", "timeout": "1h", "variables": variables}})
    }

    #[test]
    fn defaults_fill_what_was_not_given() {
        let done = resolve(&pipeline(), &[given("v1", None)]).unwrap();
        assert_eq!(done.document["pipeline"]["variables"][0]["value"], json!("dev"));
        assert_eq!(done.document["pipeline"]["variables"][1]["value"], json!("v1"));
        assert_eq!(done.inputs.unwrap()["pipeline"]["timeout"], json!("1h"));
    }

    #[test]
    fn what_is_still_open_is_listed_by_path() {
        assert_eq!(
            resolve(&pipeline(), &[]),
            Err(InputError::Missing(vec![
                "pipeline.timeout".to_owned(),
                "pipeline.variables.tag".to_owned()
            ]))
        );
    }

    #[test]
    fn a_value_outside_the_allowed_ones_is_refused() {
        let error = resolve(&pipeline(), &[given("v1", Some("qa"))]).unwrap_err().to_string();
        assert!(error.contains("pipeline.variables.env") && error.contains("dev, prod"), "{error}");
    }

    #[test]
    fn later_inputs_win_over_earlier_ones() {
        let done = resolve(&pipeline(), &[given("v1", None), given("v2", Some("prod"))]).unwrap();
        assert_eq!(done.document["pipeline"]["variables"][1]["value"], json!("v2"));
        assert_eq!(done.document["pipeline"]["variables"][0]["value"], json!("prod"));
    }
}
