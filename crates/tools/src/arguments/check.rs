//! Whether a value is what an argument takes.

use serde_json::Value;

use super::{Argument, ArgumentError, Is, SCOPES};

/// The value as the tools read it, or what is wrong with it.
pub(super) fn check(argument: &Argument, value: Value) -> Result<Value, ArgumentError> {
    let name = argument.name;
    let wrong = |wanted: &str, value: &Value| ArgumentError::Kind {
        name,
        wanted: wanted.to_owned(),
        got: kind_of(value),
    };
    match argument.is {
        Is::Text => match value {
            Value::String(_) => Ok(value),
            // Identifiers that are numbers (a pull request) often arrive as such.
            Value::Number(number) => Ok(number.to_string().into()),
            other => Err(wrong("text", &other)),
        },
        Is::Flag => match value {
            Value::Bool(_) => Ok(value),
            Value::String(text) if text == "true" => Ok(true.into()),
            Value::String(text) if text == "false" => Ok(false.into()),
            other => Err(wrong("true or false", &other)),
        },
        Is::Whole { least, most, .. } => {
            let wanted = format!("a whole number from {least} to {most}");
            let Value::Number(number) = &value else { return Err(wrong(&wanted, &value)) };
            // `2.0` is a whole number to a JSON writer that knows only doubles.
            let whole = number.as_i64().or_else(|| whole(number.as_f64()?));
            match whole {
                Some(whole) if (least..=most).contains(&whole) => Ok(whole.into()),
                _ => Err(ArgumentError::Range { name, wanted }),
            }
        }
        Is::Seconds { least, most } => {
            let wanted = format!("a number of seconds from {least} to {most}");
            let Some(seconds) = value.as_f64() else { return Err(wrong(&wanted, &value)) };
            if seconds < f64::from(least) || seconds > f64::from(most) {
                return Err(ArgumentError::Range { name, wanted });
            }
            Ok(value)
        }
        Is::Object => object_in(value).map_err(|value| wrong("an object", &value)),
        Is::ObjectOrText => match object_in(value) {
            Ok(object) => Ok(object),
            Err(text @ Value::String(_)) => Ok(text),
            Err(other) => Err(wrong("an object, or YAML text", &other)),
        },
        Is::Texts => match value {
            Value::Array(items) if items.iter().all(Value::is_string) => Ok(Value::Array(items)),
            other => Err(wrong("an array of texts", &other)),
        },
        Is::Objects { most } => match value {
            Value::Array(items) if items.len() > most => {
                Err(ArgumentError::Range { name, wanted: format!("at most {most} objects") })
            }
            Value::Array(items) if items.iter().all(Value::is_object) => Ok(Value::Array(items)),
            other => Err(wrong("an array of objects", &other)),
        },
        Is::Scope => match value {
            Value::String(text) if text.is_empty() || SCOPES.contains(&text.as_str()) => {
                Ok(text.into())
            }
            Value::String(text) => Err(ArgumentError::Scope(text)),
            other => Err(wrong("account, org or project", &other)),
        },
    }
}

/// The object a value is, or the one its text holds: agents often write objects as JSON text.
fn object_in(value: Value) -> Result<Value, Value> {
    match value {
        Value::Object(_) => Ok(value),
        Value::String(text) if text.trim_start().starts_with('{') => {
            match serde_json::from_str(&text) {
                Ok(object @ Value::Object(_)) => Ok(object),
                _ => Err(text.into()),
            }
        }
        other => Err(other),
    }
}

fn whole(number: f64) -> Option<i64> {
    // Above 2^53 a double no longer tells whole numbers apart.
    #[expect(clippy::cast_possible_truncation, reason = "the bounds are checked before")]
    (number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0).then_some(number as i64)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
