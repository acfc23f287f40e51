//! The arguments of a tool: declared once, shown as a schema, checked when they arrive.

mod check;
mod schema;

use checkrein_catalog::model::Scope;
use serde_json::{Map, Value};

use self::check::check;
use crate::nearest::did_you_mean;

pub(crate) use self::schema::input_schema;

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
