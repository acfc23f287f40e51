//! The published schema fits the reports, and nothing in it is left over.

use std::collections::BTreeSet;

use checkrein_verdict::Code;
use serde_json::Value;

use crate::samples;

const SCHEMA: &str = include_str!("../../../../docs/report-schema.json");
const PAGE: &str = include_str!("../../../../docs/report.md");

/// Checks values against the parts of JSON Schema that ours uses, and remembers what it saw.
pub(crate) struct Validator {
    root: Value,
    seen: BTreeSet<String>,
    pub(crate) problems: Vec<String>,
}

/// Every word our schema may use; another one would be checked by nobody.
const WORDS: [&str; 18] = [
    "$schema",
    "$ref",
    "$defs",
    "title",
    "description",
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "not",
];

impl Validator {
    fn check(&mut self, value: &Value, schema: &Value, path: &str) {
        for word in schema.as_object().unwrap().keys() {
            assert!(WORDS.contains(&word.as_str()), "{path}: the test does not know `{word}`");
        }
        if let Some(name) = schema["$ref"].as_str() {
            let target = self.root.pointer(name.strip_prefix('#').unwrap()).unwrap().clone();
            return self.check(value, &target, name);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            let choice = choices.iter().find(|it| (it["type"] == "null") == value.is_null());
            return self.check(value, choice.unwrap(), path);
        }
        if let Some(expected) = schema.get("const") {
            self.expect(value == expected, path, value);
        }
        if let Some(known) = schema["enum"].as_array() {
            self.expect(known.contains(value), path, value);
            self.seen.insert(format!("{path}={value}"));
        }
        let types = match &schema["type"] {
            Value::Array(types) => types.clone(),
            Value::Null => Vec::new(),
            one => vec![one.clone()],
        };
        self.expect(types.is_empty() || types.iter().any(|it| is(value, it)), path, value);
        if let Some(number) = value.as_f64() {
            let within = |word: &str, holds: fn(f64, f64) -> bool| {
                schema[word].as_f64().is_none_or(|limit| holds(number, limit))
            };
            self.expect(within("minimum", |it, limit| it >= limit), path, value);
            self.expect(within("maximum", |it, limit| it <= limit), path, value);
        }
        match value {
            Value::Object(fields) => self.check_fields(fields, schema, path),
            Value::Array(items) => {
                let count = items.len() as u64;
                self.expect(schema["minItems"].as_u64().is_none_or(|it| count >= it), path, value);
                self.expect(schema["maxItems"].as_u64().is_none_or(|it| count <= it), path, value);
                items.iter().for_each(|item| self.check(item, &schema["items"], path));
            }
            _ => {}
        }
    }

    fn check_fields(
        &mut self,
        fields: &serde_json::Map<String, Value>,
        schema: &Value,
        path: &str,
    ) {
        assert_eq!(schema["additionalProperties"], false, "{path} is closed");
        for name in schema["required"].as_array().unwrap() {
            self.expect(fields.contains_key(name.as_str().unwrap()), path, name);
        }
        for (name, value) in fields {
            let place = format!("{path}/{name}");
            match schema["properties"].get(name) {
                Some(schema) => self.check(value, schema, &place),
                None => self.problems.push(format!("{place} is not in the schema")),
            }
        }
    }

    fn expect(&mut self, holds: bool, path: &str, value: &Value) {
        if !holds {
            self.problems.push(format!("{path}: {value}"));
        }
    }
}

fn is(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("the test does not know the type `{other}`"),
    }
}

pub(crate) fn validate(value: &Value) -> Validator {
    let root: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut validator =
        Validator { root: root.clone(), seen: BTreeSet::new(), problems: Vec::new() };
    validator.check(value, &root, "");
    validator
}

#[test]
fn every_report_fits_the_schema() {
    for (name, document) in samples::all() {
        let value = serde_json::from_str(&document.to_json()).unwrap();
        assert_eq!(validate(&value).problems, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_report_with_anything_else_does_not_fit() {
    let report: Value = serde_json::from_str(&samples::all().remove(1).1.to_json()).unwrap();
    for (pointer, wrong) in [
        ("/verdict", Value::from("MAYBE")),
        ("/schema", Value::from("checkrein.report.v9")),
        ("/score/overall", Value::from(101)),
        ("/score", Value::from(1)),
        ("/timeline/0/at_us", Value::from(-1)),
        ("/timeline/0/told/said", Value::from("shouted")),
        ("/operations/0", serde_json::json!({"tool": "x"})),
        ("/repeats", Value::Null),
    ] {
        let mut report = report.clone();
        *report.pointer_mut(pointer).unwrap() = wrong;
        assert!(!validate(&report).problems.is_empty(), "{pointer}");
    }
    let mut report = report;
    report.as_object_mut().unwrap().insert("more".to_owned(), Value::Null);
    assert!(!validate(&report).problems.is_empty());
}

#[test]
fn every_choice_of_the_schema_is_one_a_report_can_make() {
    let root: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut seen = BTreeSet::new();
    for (_, document) in samples::all() {
        seen.extend(validate(&serde_json::from_str(&document.to_json()).unwrap()).seen);
    }
    for (definition, field) in [
        ("telling", "said"),
        ("happened", "event"),
        ("repeat", "cause"),
        ("repeat", "confidence"),
        ("advice", "layer"),
        ("patch", "language"),
        ("moment", "class"),
    ] {
        let schema = &root["$defs"][definition]["properties"][field];
        let (path, choices) = match schema["$ref"].as_str() {
            Some(name) => (name.to_owned(), &root["$defs"]["class"]["enum"]),
            None => (format!("#/$defs/{definition}/{field}"), &schema["enum"]),
        };
        for choice in choices.as_array().unwrap() {
            let unseen_here = ["\"nothing\""];
            let is_seen = seen.contains(&format!("{path}={choice}"));
            assert!(
                is_seen || unseen_here.contains(&choice.to_string().as_str()),
                "{path}={choice}"
            );
        }
    }
}

#[test]
fn the_codes_are_those_of_the_schema_and_of_the_page() {
    let root: Value = serde_json::from_str(SCHEMA).unwrap();
    let names: Vec<Value> = Code::ALL.iter().map(|code| code.name().into()).collect();
    assert_eq!(root["$defs"]["code"]["enum"], Value::Array(names));
    for code in Code::ALL {
        let verdict = code.leads_to().map_or("any", |verdict| verdict.name());
        let row = format!("| `{}` | {verdict} | {} |", code.name(), code.about());
        assert!(PAGE.lines().any(|line| line == row), "docs/report.md lacks: {row}");
    }
}
