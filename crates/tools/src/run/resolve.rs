//! Fits what a caller gives into what a pipeline asks for.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::given::Given;
use super::merge::merge;
use super::placeholder::Placeholder;
use super::shorthand::Expanded;
use super::template::{self, Place};

/// Runtime inputs as the platform takes them, and how they came about.
#[derive(Debug, PartialEq)]
pub(crate) struct Resolution {
    /// `{pipeline: …}`.
    pub(crate) inputs: Value,
    /// The caller's inputs that found a place, in the order of the template.
    pub(crate) matched: Vec<String>,
    /// What the platform fills in itself.
    pub(crate) defaulted: Vec<String>,
    /// The caller's inputs that nothing asks for.
    pub(crate) unused: Vec<String>,
}

/// Why a run cannot start with these inputs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// These places have neither a value nor a default.
    Missing(Vec<String>),
    /// A value is none of those the pipeline allows.
    NotAllowed { name: String, value: String, allowed: Vec<String> },
}

/// Fills the template from the inputs; `base` holds what input sets give already.
pub(crate) fn resolve(
    asked: &Value,
    expanded: &Expanded,
    base: Option<&Value>,
) -> Result<Resolution, Unresolved> {
    let places = template::places(asked);
    let names = template::names(&places);
    let given = Given::read(&expanded.inputs);
    let mut values = HashMap::new();
    let (mut matched, mut defaulted, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    let mut used = HashSet::new();
    for (place, name) in places.iter().zip(names) {
        if let Some(fit) = given.fit(place) {
            check_allowed(&name, place, fit.value)?;
            values.insert(place.path.as_slice(), fit.value);
            used.insert(fit.input);
            if !matched.iter().any(|key| key == fit.key) {
                matched.push(fit.key.to_owned());
            }
        } else if base.is_some_and(|base| is_set(base, &place.path)) {
            continue;
        } else if place.wants.is_optional() {
            defaulted.push(name);
        } else {
            missing.push(name);
        }
    }
    if !missing.is_empty() {
        return Err(Unresolved::Missing(missing));
    }
    let inputs = match base {
        None => fill(asked, &mut Vec::new(), &values),
        Some(base) => {
            let mut inputs = base.clone();
            if let Some(over) = only_filled(asked, &mut Vec::new(), &values) {
                merge(&mut inputs, over);
            }
            inputs
        }
    };
    let unused = unused(expanded, &used);
    Ok(Resolution { inputs, matched, defaulted, unused })
}

type Values<'a> = HashMap<&'a [String], &'a Value>;

fn check_allowed(name: &str, place: &Place, value: &Value) -> Result<(), Unresolved> {
    let text = match value {
        Value::String(text) if !text.contains("<+") => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => return Ok(()),
    };
    let allowed = &place.wants.allowed;
    // A comma list is how several of them are given where that is possible.
    let fits = |one: &str| allowed.iter().any(|allowed| allowed == one.trim());
    if allowed.is_empty() || fits(&text) || text.split(',').all(fits) {
        return Ok(());
    }
    Err(Unresolved::NotAllowed { name: name.to_owned(), value: text, allowed: allowed.clone() })
}

/// Whether a document has a value at a place.
fn is_set(node: &Value, path: &[String]) -> bool {
    let Some((step, rest)) = path.split_first() else {
        return match node {
            Value::Null => false,
            Value::String(text) => Placeholder::read(text).is_none_or(|wants| wants.is_optional()),
            _ => true,
        };
    };
    let next = match node {
        Value::Object(object) => object.get(step),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find(|(index, item)| template::step(item, *index) == *step)
            .map(|(_, item)| item),
        // What was given in one piece fills what would be inside it.
        whole => return is_set(whole, &[]),
    };
    next.is_some_and(|next| is_set(next, rest))
}

/// The template with values in their places.
fn fill(node: &Value, path: &mut Vec<String>, values: &Values<'_>) -> Value {
    if let Some(value) = values.get(path.as_slice()) {
        return (*value).clone();
    }
    match node {
        Value::Object(object) => {
            let filled = object.iter().map(|(key, value)| {
                path.push(key.clone());
                let value = fill(value, path, values);
                path.pop();
                (key.clone(), value)
            });
            Value::Object(filled.collect())
        }
        Value::Array(items) => {
            let filled = items.iter().enumerate().map(|(index, item)| {
                path.push(template::step(item, index));
                let item = fill(item, path, values);
                path.pop();
                item
            });
            Value::Array(filled.collect())
        }
        other => other.clone(),
    }
}

/// The parts of the template that have a value, with the scalars that say what they are.
fn only_filled(node: &Value, path: &mut Vec<String>, values: &Values<'_>) -> Option<Value> {
    if let Some(value) = values.get(path.as_slice()) {
        return Some((*value).clone());
    }
    match node {
        Value::Object(object) => {
            let (mut kept, mut some) = (Map::new(), false);
            for (key, value) in object {
                path.push(key.clone());
                let filled = only_filled(value, path, values);
                path.pop();
                some |= filled.is_some();
                match filled {
                    Some(filled) => kept.insert(key.clone(), filled),
                    None if says_what_it_is(value) => kept.insert(key.clone(), value.clone()),
                    None => None,
                };
            }
            some.then_some(Value::Object(kept))
        }
        Value::Array(items) => {
            let mut kept = Vec::new();
            for (index, item) in items.iter().enumerate() {
                path.push(template::step(item, index));
                kept.extend(only_filled(item, path, values));
                path.pop();
            }
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        _ => None,
    }
}

fn says_what_it_is(value: &Value) -> bool {
    match value {
        Value::String(text) => Placeholder::read(text).is_none(),
        Value::Number(_) | Value::Bool(_) => true,
        _ => false,
    }
}

/// The caller's inputs that found no place, by themselves or by what they stand for.
fn unused(expanded: &Expanded, used: &HashSet<&str>) -> Vec<String> {
    let added = |key: &str| expanded.added.iter().any(|(added, _)| added == key);
    let stands_for_used = |key: &str| {
        expanded.added.iter().any(|(added, short)| short == key && used.contains(added.as_str()))
    };
    expanded
        .inputs
        .keys()
        .filter(|key| !used.contains(key.as_str()) && !added(key) && !stands_for_used(key))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests;
