//! Laying given inputs over a document, list items matched by what identifies them.

use serde_json::{Map, Value};

use super::placeholder::Placeholder;
use super::template::{joined, step_into};

/// Wrappers of list items whose `identifier` is the item's own.
const WRAPPERS: [&str; 4] = ["stage", "step", "stepGroup", "template"];

/// What a list item is known by.
pub(crate) fn identity(item: &Value) -> Option<String> {
    let text = |value: &Value, field: &str| value.get(field)?.as_str().map(str::to_owned);
    if let Some(wrapped) = WRAPPERS.iter().find_map(|name| item.get(name)) {
        return text(wrapped, "identifier");
    }
    if let Some(side_by_side) = item.get("parallel").and_then(Value::as_array) {
        return side_by_side.first().and_then(identity);
    }
    text(item, "identifier").or_else(|| text(item, "name"))
}

/// Fills the runtime inputs of `base` from `given`. Fields of `given` that are not runtime inputs
/// of `base` change nothing and are listed by path.
pub(crate) fn fill(base: &mut Value, given: &Value) -> Vec<String> {
    let mut strays = Vec::new();
    lay(base, given, String::new(), &mut strays);
    strays
}

fn lay(base: &mut Value, given: &Value, path: String, strays: &mut Vec<String>) {
    if Placeholder::read(base).is_some() {
        // An input that is left open again stays what it was, with its own default.
        if Placeholder::read(given).is_none() && !given.is_null() {
            *base = given.clone();
        }
        return;
    }
    match (&mut *base, given) {
        (Value::Object(fields), Value::Object(new)) => {
            for (name, value) in new {
                let path = joined(&path, name);
                match fields.get_mut(name) {
                    Some(field) => lay(field, value, path, strays),
                    None => strays.push(path),
                }
            }
        }
        (Value::Array(items), Value::Array(new)) => {
            for (at, value) in new.iter().enumerate() {
                let path = joined(&path, &step_into(value, at));
                let known = identity(value);
                let found = match &known {
                    Some(id) => items.iter_mut().find(|item| identity(item).as_ref() == Some(id)),
                    None => items.get_mut(at),
                };
                match found {
                    Some(item) => lay(item, value, path, strays),
                    None => strays.push(path),
                }
            }
        }
        (base, given) if *base == *given || is_identity(&path) => {}
        _ => strays.push(path),
    }
}

fn is_identity(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or_default();
    matches!(last, "identifier" | "name" | "type" | "orgIdentifier" | "projectIdentifier")
}

/// `over` laid on `under`, everything kept: how input sets add up.
pub(crate) fn combine(under: &Value, over: &Value) -> Value {
    match (under, over) {
        (Value::Object(a), Value::Object(b)) => {
            let mut fields: Map<String, Value> = a.clone();
            for (name, value) in b {
                let merged =
                    fields.get(name).map_or_else(|| value.clone(), |old| combine(old, value));
                fields.insert(name.clone(), merged);
            }
            Value::Object(fields)
        }
        (Value::Array(a), Value::Array(b)) => {
            let mut items = a.clone();
            for value in b {
                let id = identity(value);
                let same = |item: &&mut Value| id.is_some() && identity(item) == id;
                match items.iter_mut().find(same) {
                    Some(item) => *item = combine(item, value),
                    None => items.push(value.clone()),
                }
            }
            Value::Array(items)
        }
        (_, over) => over.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{combine, fill};

    #[test]
    fn inputs_find_their_item_by_identifier_not_by_position() {
        let mut base = json!({"pipeline": {"stages": [
            {"stage": {"identifier": "a", "spec": {"x": "<+input>"}}},
            {"parallel": [
                {"stage": {"identifier": "b", "spec": {"x": "<+input>"}}},
                {"stage": {"identifier": "c", "spec": {"x": "<+input>"}}}]}]}});
        let given = json!({"pipeline": {"stages": [
            {"parallel": [{"stage": {"identifier": "b", "spec": {"x": 2}}}]},
            {"stage": {"identifier": "a", "spec": {"x": 1}}}]}});
        assert_eq!(fill(&mut base, &given), Vec::<String>::new());
        assert_eq!(base["pipeline"]["stages"][0]["stage"]["spec"]["x"], json!(1));
        assert_eq!(base["pipeline"]["stages"][1]["parallel"][0]["stage"]["spec"]["x"], json!(2));
        assert_eq!(
            base["pipeline"]["stages"][1]["parallel"][1]["stage"]["spec"]["x"],
            json!("<+input>")
        );
    }

    #[test]
    fn what_is_no_runtime_input_is_left_alone_and_named() {
        let mut base =
            json!({"pipeline": {"identifier": "p", "variables": [{"name": "a", "value": "fix"}]}});
        let given = json!({"pipeline": {"identifier": "p", "timeout": "1h",
            "variables": [{"name": "a", "value": "new"}, {"name": "b", "value": 1}]}});
        let before = base.clone();
        assert_eq!(
            fill(&mut base, &given),
            ["pipeline.timeout", "pipeline.variables.a.value", "pipeline.variables.b"]
        );
        assert_eq!(base, before);
    }

    #[test]
    fn a_later_input_set_wins() {
        let one = json!({"variables": [{"name": "a", "value": 1}, {"name": "b", "value": 1}]});
        let two = json!({"variables": [{"name": "b", "value": 2}], "timeout": "1h"});
        assert_eq!(
            combine(&one, &two),
            json!({"variables": [{"name": "a", "value": 1}, {"name": "b", "value": 2}], "timeout": "1h"})
        );
    }
}
