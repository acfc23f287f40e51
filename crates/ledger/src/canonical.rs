//! When two calls are the same operation.
//!
//! *Exact*: object keys in any order, numbers by value (`1` is `1.0`), everything else as it is.
//! *Loose*: what a model changes when it merely writes the same thing again — white space, letter
//! case, a number as text, the form of a date, empty and null fields, the Unicode form.

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use crate::decimal::Decimal;
use crate::loose_date;

/// Top-level argument names that carry an idempotency key and are no part of the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFields(Vec<String>);

impl Default for KeyFields {
    fn default() -> Self {
        Self::new(["idempotency_key"])
    }
}

impl KeyFields {
    /// These names instead of the default; compared without case, `-` and `_`.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self(names.into_iter().map(bare_name).collect())
    }

    /// Whether an argument of this name is a key.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(&bare_name(name))
    }

    /// The arguments without the keys.
    pub fn strip(&self, arguments: &Map<String, Value>) -> Map<String, Value> {
        arguments
            .iter()
            .filter(|(name, _)| !self.contains(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

fn bare_name(name: &str) -> String {
    name.to_lowercase().chars().filter(|letter| !matches!(letter, '-' | '_')).collect()
}

/// One text for all spellings of one JSON value that are exactly equal.
pub fn exact(value: &Value) -> String {
    let mut out = String::new();
    write(value, Form::Exact, &mut out);
    out
}

/// One text for all spellings of one value that differ in writing only.
pub fn loose(value: &Value) -> String {
    let mut out = String::new();
    write(value, Form::Loose, &mut out);
    out
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Exact,
    Loose,
}

fn write(value: &Value, form: Form, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(&number.to_string(), out),
        Value::String(text) if form == Form::Exact => write_text(text, out),
        Value::String(text) => write_loose_text(text, out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write(item, form, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .filter(|(_, value)| form == Form::Exact || !is_empty(value))
                .collect();
            fields.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (name, value) in fields {
                write_text(name, out);
                out.push(':');
                write(value, form, out);
                out.push(',');
            }
            out.push('}');
        }
    }
}

fn write_number(written: &str, out: &mut String) {
    out.push_str("n:");
    match Decimal::parse(written) {
        Some(decimal) => decimal.write(out),
        None => out.push_str(written),
    }
}

fn write_text(text: &str, out: &mut String) {
    // The quotes and escapes keep a text from ending early and looking like structure.
    out.push_str(&Value::String(text.to_owned()).to_string());
}

fn write_loose_text(text: &str, out: &mut String) {
    let composed: String = text.nfkc().collect();
    let folded =
        composed.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().replace('ß', "ss");
    if let Some(decimal) = Decimal::parse(&folded) {
        out.push_str("n:");
        return decimal.write(out);
    }
    match loose_date::day(&folded) {
        Some(day) => out.push_str(&day),
        None => write_text(&folded, out),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn key_order_and_number_form_do_not_make_another_operation() {
        let one: Value = serde_json::from_str(r#"{"a":1,"b":2.50}"#).unwrap();
        let other: Value = serde_json::from_str(r#"{"b":25e-1,"a":1.0}"#).unwrap();
        assert_eq!(exact(&one), exact(&other));
    }

    #[test]
    fn array_order_null_and_text_make_another_operation() {
        assert_ne!(exact(&json!([1, 2])), exact(&json!([2, 1])));
        assert_ne!(exact(&json!({"a": null})), exact(&json!({})));
        assert_ne!(exact(&json!("1")), exact(&json!(1)));
        assert_ne!(exact(&json!(["a,b"])), exact(&json!(["a", "b"])));
    }

    #[test]
    fn a_rewritten_value_is_loosely_the_same() {
        for (one, other) in [
            (json!("Muster AG"), json!("  muster  ag ")),
            (json!(250), json!("250.0")),
            (json!({"a": 1, "note": null}), json!({"a": 1})),
            (json!({"a": 1, "note": ""}), json!({"a": 1})),
            (json!("2026-11-03"), json!("3 November 2026")),
            (json!("2026-11-03"), json!("03.11.2026")),
            (json!("Cafe\u{301}"), json!("Caf\u{e9}")),
            (json!({"meta": {"tags": ["A b"]}}), json!({"meta": {"tags": ["a  B"]}})),
        ] {
            assert_eq!(loose(&one), loose(&other), "{one} and {other}");
            assert_ne!(exact(&one), exact(&other), "{one} and {other}");
        }
    }

    #[test]
    fn another_amount_is_never_loosely_the_same() {
        assert_ne!(loose(&json!({"amount": 250})), loose(&json!({"amount": 251})));
        assert_ne!(loose(&json!("2026-11-03")), loose(&json!("2026-11-04")));
    }

    #[test]
    fn key_fields_are_top_level_names_in_any_spelling() {
        let keys = KeyFields::default();
        for name in ["idempotency_key", "Idempotency-Key", "idempotencyKey", "IDEMPOTENCYKEY"] {
            assert!(keys.contains(name), "{name}");
        }
        assert!(!KeyFields::new(["client_ref"]).contains("idempotency_key"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter_map("finite", |number| serde_json::Number::from_f64(number)
                .map(Value::Number)),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((".{0,3}", inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn exactly_equal_values_are_loosely_equal(one in any_json(), other in any_json()) {
            if exact(&one) == exact(&other) {
                prop_assert_eq!(loose(&one), loose(&other));
            }
            prop_assert_eq!(one == other && exact(&one) != exact(&other), false);
        }
    }
}
