//! A body that is a document: an object, JSON text or YAML text, put into the platform's form.

use serde_json::{Map, Value};

use crate::call::{CallError, Lacking, missing};
use crate::model::Document;
use crate::scope::{Settled, scalar_text};
use crate::yaml;

/// Builds the body out of the caller's `body`.
pub(super) fn build(settled: &Settled<'_>, rules: &Document) -> Result<Value, CallError> {
    let mut body = read(settled)?;
    if let Some(key) = &rules.unwrap
        && let Some(Value::Object(_)) = body.get(key)
        && let Some(Value::Object(inner)) = body.remove(key)
    {
        body = inner;
    }
    if let Some(key) = &rules.wrap
        && !body.contains_key(key)
    {
        body = Map::from_iter([(key.clone(), Value::Object(body))]);
    }
    let target = match rules.wrap.as_ref().and_then(|key| body.get_mut(key)) {
        Some(Value::Object(inner)) => inner,
        _ => &mut body,
    };
    fill(settled, rules, target)?;
    let mut body = drop_nulls(body);
    if let Some(key) = &rules.yaml_of {
        add_yaml(&mut body, key);
    }
    Ok(Value::Object(body))
}

fn read(settled: &Settled<'_>) -> Result<Map<String, Value>, CallError> {
    let refuse = |why: String| CallError::Body { call: settled.call.name(), why };
    match settled.input("body") {
        None => Err(missing(settled.call, Lacking::Inputs, vec!["body".to_owned()])),
        Some(Value::Object(members)) => Ok(members.clone()),
        Some(Value::String(text)) => match yaml::from_text(text) {
            Ok(Value::Object(members)) => Ok(members),
            Ok(_) => Err(refuse("is text, but not of an object; pass `key: value` lines".into())),
            Err(why) => Err(refuse(format!("is not valid YAML: {why}"))),
        },
        Some(_) => Err(refuse("must be an object, or YAML text of one".to_owned())),
    }
}

fn fill(
    settled: &Settled<'_>,
    rules: &Document,
    target: &mut Map<String, Value>,
) -> Result<(), CallError> {
    if let Some((input, key)) = &rules.id {
        agree(settled, input, key, target)?;
    }
    for (input, key) in &rules.fill {
        if target.get(key).is_none_or(Value::is_null)
            && let Some(value) = settled.variable(input)
        {
            target.insert(key.clone(), value);
        }
    }
    Ok(())
}

/// The identifier of the call and of the body are one; the body gets it when it has none.
fn agree(
    settled: &Settled<'_>,
    input: &str,
    key: &str,
    target: &mut Map<String, Value>,
) -> Result<(), CallError> {
    let given = settled.variable(input).filter(|value| value != "");
    let Some(given) = given else { return Ok(()) };
    match target.get(key).filter(|found| !found.is_null() && *found != "") {
        None => {
            target.insert(key.to_owned(), given);
            Ok(())
        }
        Some(found) if scalar_text(found) == scalar_text(&given) => Ok(()),
        Some(found) => Err(CallError::Conflict {
            input: input.to_owned(),
            given: scalar_text(&given).unwrap_or_default(),
            key: key.to_owned(),
            found: found.as_str().map_or_else(|| found.to_string(), str::to_owned),
        }),
    }
}

/// Members that are null say nothing and are left out, at any depth of objects.
fn drop_nulls(members: Map<String, Value>) -> Map<String, Value> {
    let kept = members.into_iter().filter(|(_, value)| !value.is_null());
    kept.map(|(key, value)| match value {
        Value::Object(inner) => (key, Value::Object(drop_nulls(inner))),
        other => (key, other),
    })
    .collect()
}

/// The platform reads these bodies from a `yaml` text that holds the document under its key.
fn add_yaml(body: &mut Map<String, Value>, key: &str) {
    let under_key = |document: Value| Value::Object(Map::from_iter([(key.to_owned(), document)]));
    let document = match body.get("yaml") {
        Some(Value::String(text)) if !text.trim().is_empty() => return,
        Some(Value::Object(members)) if members.contains_key(key) => Value::Object(members.clone()),
        Some(Value::Object(members)) => under_key(Value::Object(members.clone())),
        _ => {
            let rest = body.iter().filter(|(name, _)| *name != "yaml");
            under_key(Value::Object(
                rest.map(|(name, value)| (name.clone(), value.clone())).collect(),
            ))
        }
    };
    body.insert("yaml".to_owned(), Value::String(yaml::to_text(&document)));
}
