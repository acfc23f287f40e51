use serde_json::json;

use super::*;

const NAME: Argument = Argument::new("name", Is::Text, "A name").required();
const FLAG: Argument = Argument::new("flag", Is::Flag, "");
const SIZE: Argument =
    Argument::new("size", Is::Whole { least: 1, most: 100, usual: Some(20) }, "");
const WAIT: Argument = Argument::new("wait", Is::Seconds { least: 2, most: 60 }, "");
const PARAMS: Argument = Argument::new("params", Is::Object, "");
const BODY: Argument = Argument::new("body", Is::ObjectOrText, "");
const SETS: Argument = Argument::new("sets", Is::Texts, "");
const SCOPE: Argument = Argument::new("resource_scope", Is::Scope, "");
const ALL: &[&Argument] = &[&NAME, &FLAG, &SIZE, &WAIT, &PARAMS, &BODY, &SETS, &SCOPE];

fn read(mut given: Value) -> Result<Arguments, String> {
    let object = given.as_object_mut().expect("an object");
    object.entry("name").or_insert("n".into());
    Arguments::read(ALL, object.clone()).map_err(|error| error.to_string())
}

#[test]
fn defaults_fill_in_and_unknown_names_are_kept_apart() {
    let mut arguments = read(json!({ "module": "CI" })).expect("arguments");
    assert_eq!(arguments.take("size"), Some(json!(20)));
    assert_eq!(arguments.unknown, ["module"]);
    assert_eq!(arguments.flag("flag"), None);
}

#[test]
fn objects_may_arrive_as_json_text_and_yaml_text_stays_text() {
    let mut arguments = read(json!({
        "params": "{\"pipeline_id\":\"p\"}", "body": " {\"a\": 1.50}",
    }))
    .expect("arguments");
    assert_eq!(arguments.take_object("params").get("pipeline_id"), Some(&json!("p")));
    assert_eq!(arguments.take("body").map(|body| body.to_string()), Some("{\"a\":1.50}".into()));
    let mut arguments = read(json!({ "body": "pipeline:\n  name: x\n" })).expect("arguments");
    assert_eq!(arguments.take("body"), Some(json!("pipeline:\n  name: x\n")));
}

#[test]
fn numbers_count_as_identifiers_and_whole_doubles_as_whole_numbers() {
    let mut arguments = read(json!({ "name": 42, "size": 2.0 })).expect("arguments");
    assert_eq!(arguments.text("name"), Some("42"));
    assert_eq!(arguments.take("size"), Some(json!(2)));
}

#[test]
fn every_bad_argument_is_named_with_what_it_must_be() {
    let cases = [
        (json!({ "size": 0 }), "argument `size` must be a whole number from 1 to 100"),
        (json!({ "size": 101 }), "argument `size` must be a whole number from 1 to 100"),
        (json!({ "size": 1.5 }), "argument `size` must be a whole number from 1 to 100"),
        (json!({ "size": "5" }), "argument `size` must be a whole number from 1 to 100, not text"),
        (json!({ "wait": 1 }), "argument `wait` must be a number of seconds from 2 to 60"),
        (json!({ "params": "nope" }), "argument `params` must be an object, not text"),
        (json!({ "params": [] }), "argument `params` must be an object, not an array"),
        (json!({ "body": 1 }), "argument `body` must be an object, or YAML text, not a number"),
        (json!({ "sets": ["a", 1] }), "argument `sets` must be an array of texts, not an array"),
        (json!({ "flag": "maybe" }), "argument `flag` must be true or false, not text"),
        (json!({ "name": null }), "argument `name` is required"),
        (
            json!({ "resource_scope": "projects" }),
            "`resource_scope` must be account, org or project, not `projects`, did you mean `project`?",
        ),
    ];
    for (given, expected) in cases {
        assert_eq!(read(given.clone()).expect_err("an error"), expected, "{given}");
    }
}

#[test]
fn a_schema_is_an_object_without_combinators_at_its_root() {
    let schema = Value::Object(input_schema(ALL));
    assert_eq!(
        schema.to_string(),
        r#"{"type":"object","properties":{"name":{"type":"string","description":"A name"},"flag":{"type":"boolean"},"size":{"type":"integer","minimum":1,"maximum":100,"default":20},"wait":{"type":"number","minimum":2,"maximum":60},"params":{"type":"object"},"body":{"anyOf":[{"type":"object"},{"type":"string"}]},"sets":{"type":"array","items":{"type":"string"}},"resource_scope":{"type":"string","enum":["account","org","project"]}},"required":["name"]}"#
    );
}
