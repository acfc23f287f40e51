//! The arguments of a tool: declared once, shown as a schema, checked when they arrive.

mod schema;

use checkrein_catalog::model::Scope;
use serde_json::{Map, Value};

use crate::nearest::did_you_mean;

pub(crate) use schema::input_schema;

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) is: Is,
    /// Empty when the name says it all; every word is paid for by every agent.
    pub(crate) about: &'static str,
    pub(crate) required: bool,
}

/// What an argument takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Is {
    Text,
    Flag,
    /// A whole number within bounds, and what it is when nobody says.
    Whole {
        least: i64,
        most: i64,
        usual: Option<i64>,
    },
    /// A number of seconds within bounds.
    Seconds {
        least: u32,
        most: u32,
    },
    Object,
    ObjectOrText,
    Texts,
    Objects {
        most: usize,
    },
    Scope,
}

impl Argument {
    pub(crate) const fn new(name: &'static str, is: Is, about: &'static str) -> Self {
        Self { name, is, about, required: false }
    }

    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// What is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("argument `{0}` is required")]
    Missing(&'static str),
    #[error("argument `{name}` must be {wanted}, not {got}")]
    Kind { name: &'static str, wanted: String, got: &'static str },
    #[error("argument `{name}` must be {wanted}")]
    Range { name: &'static str, wanted: String },
    #[error("`resource_scope` must be account, org or project, not `{0}`{hint}", hint = did_you_mean(.0, SCOPES))]
    Scope(String),
}

const SCOPES: [&str; 3] = ["account", "org", "project"];

/// Checked arguments.
#[derive(Debug, Default, Clone)]
pub(crate) struct Arguments {
    values: Map<String, Value>,
    /// Names the tool does not have.
    pub(crate) unknown: Vec<String>,
}

impl Arguments {
    /// Checks what arrived against what a tool declares; `null` is the same as absent.
    pub(crate) fn read(
        declared: &[&Argument],
        mut given: Map<String, Value>,
    ) -> Result<Self, ArgumentError> {
        let mut values = Map::new();
        for argument in declared {
            match given.shift_remove(argument.name) {
                None | Some(Value::Null) if argument.required => {
                    return Err(ArgumentError::Missing(argument.name));
                }
                None | Some(Value::Null) => {
                    if let Is::Whole { usual: Some(usual), .. } = argument.is {
                        values.insert(argument.name.to_owned(), usual.into());
                    }
                }
                Some(value) => {
                    values.insert(argument.name.to_owned(), check(argument, value)?);
                }
            }
        }
        Ok(Self { values, unknown: given.into_iter().map(|(name, _)| name).collect() })
    }

    /// A text argument; empty is the same as absent.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.values.get(name)?.as_bool()
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.values.get(name)?.as_f64()
    }

    pub(crate) fn objects(&self, name: &str) -> &[Value] {
        self.values.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Takes an object argument out.
    pub(crate) fn take_object(&mut self, name: &str) -> Map<String, Value> {
        match self.values.shift_remove(name) {
            Some(Value::Object(object)) => object,
            _ => Map::new(),
        }
    }

    /// Takes any argument out.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.values.shift_remove(name)
    }
}

fn check(argument: &Argument, value: Value) -> Result<Value, ArgumentError> {
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

/// The scope a word means.
pub(crate) fn scope_named(word: &str) -> Result<Option<Scope>, ArgumentError> {
    match word {
        "" => Ok(None),
        "account" => Ok(Some(Scope::Account)),
        "org" => Ok(Some(Scope::Org)),
        "project" => Ok(Some(Scope::Project)),
        other => Err(ArgumentError::Scope(other.to_owned())),
    }
}

#[cfg(test)]
mod tests;
