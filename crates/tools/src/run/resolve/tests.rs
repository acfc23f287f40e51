use checkrein_catalog::yaml::from_text;
use serde_json::json;

use super::*;

const TEMPLATE: &str = "
pipeline:
  identifier: p1
  properties: {ci: {codebase: {build: <+input>}}}
  variables:
    - {name: env, type: String, value: '<+input>.allowedValues(prod,qa)'}
    - {name: opt, type: String, value: <+input>.default(x)}
  stages:
    - stage: {identifier: deploy, variables: [{name: region, type: String, value: <+input>}]}
    - stage: {identifier: test, variables: [{name: region, type: String, value: <+input>.default(eu)}]}
";

fn resolved(inputs: Value, base: Option<&str>) -> Result<Resolution, Unresolved> {
    let Value::Object(inputs) = inputs else { panic!("an object") };
    let expanded = Expanded { inputs, added: Vec::new() };
    let base = base.map(|yaml| from_text(yaml).unwrap());
    resolve(&from_text(TEMPLATE).unwrap(), &expanded, base.as_ref())
}

fn build() -> Value {
    json!({"type": "tag", "spec": {"tag": "t"}})
}

#[test]
fn a_template_is_filled_and_optional_places_stay() {
    let resolution =
        resolved(json!({"env": "prod", "build": build(), "deploy": {"region": "us"}}), None)
            .unwrap();
    assert_eq!(
        resolution.inputs,
        json!({"pipeline": {
            "identifier": "p1",
            "properties": {"ci": {"codebase": {"build": build()}}},
            "variables": [
                {"name": "env", "type": "String", "value": "prod"},
                {"name": "opt", "type": "String", "value": "<+input>.default(x)"}
            ],
            "stages": [
                {"stage": {"identifier": "deploy", "variables": [{"name": "region", "type": "String", "value": "us"}]}},
                {"stage": {"identifier": "test", "variables": [{"name": "region", "type": "String", "value": "<+input>.default(eu)"}]}}
            ]
        }})
    );
    assert_eq!(resolution.matched, ["build", "env", "deploy.region"]);
    assert_eq!(resolution.defaulted, ["opt", "stages.test.stage.variables.region"]);
    assert!(resolution.unused.is_empty());
}

#[test]
fn one_input_fills_every_place_of_its_name() {
    let resolution =
        resolved(json!({"env": "qa", "build": build(), "region": "us"}), None).unwrap();
    assert_eq!(resolution.matched, ["build", "env", "region"]);
    assert_eq!(resolution.defaulted, ["opt"]);
}

#[test]
fn what_is_missing_is_named_so_that_it_can_be_given() {
    let missing = resolved(json!({"env": "qa", "foo": 1}), None).unwrap_err();
    let Unresolved::Missing(names) = missing else { panic!("{missing:?}") };
    assert_eq!(names, ["build", "stages.deploy.stage.variables.region"]);
    let mut inputs = json!({"env": "qa"});
    for name in names {
        inputs[&name] = json!("v");
    }
    assert!(resolved(inputs, None).is_ok());
}

#[test]
fn inputs_that_nothing_asks_for_are_told() {
    let inputs = json!({"env": "qa", "build": build(), "region": "us", "enviroment": "x"});
    assert_eq!(resolved(inputs, None).unwrap().unused, ["enviroment"]);
}

#[test]
fn a_value_that_is_not_allowed_is_refused_before_the_run() {
    let inputs = json!({"env": "prd", "build": build(), "region": "us"});
    assert_eq!(
        resolved(inputs, None),
        Err(Unresolved::NotAllowed {
            name: "env".to_owned(),
            value: "prd".to_owned(),
            allowed: vec!["prod".to_owned(), "qa".to_owned()]
        })
    );
    let expression = json!({"env": "<+org.name>", "build": build(), "region": "us"});
    assert!(resolved(expression, None).is_ok());
}

const BASE: &str = "
pipeline:
  identifier: p1
  variables: [{name: env, type: String, value: qa}, {name: other, value: 1}]
  stages: [{stage: {identifier: deploy, variables: [{name: region, type: String, value: eu}]}}]
";

#[test]
fn inputs_are_laid_over_input_sets() {
    let resolution = resolved(json!({"build": build(), "env": "prod"}), Some(BASE)).unwrap();
    assert_eq!(
        resolution.inputs,
        json!({"pipeline": {
            "identifier": "p1",
            "variables": [{"name": "env", "type": "String", "value": "prod"}, {"name": "other", "value": 1}],
            "stages": [{"stage": {"identifier": "deploy", "variables": [{"name": "region", "type": "String", "value": "eu"}]}}],
            "properties": {"ci": {"codebase": {"build": build()}}}
        }})
    );
    assert_eq!(resolution.matched, ["build", "env"]);
    assert_eq!(resolution.defaulted, ["opt", "stages.test.stage.variables.region"]);
}

#[test]
fn an_open_place_of_an_input_set_counts_as_missing() {
    let base = "pipeline: {variables: [{name: env, value: <+input>}]}";
    let missing = resolved(json!({"build": build(), "region": "x"}), Some(base)).unwrap_err();
    assert_eq!(missing, Unresolved::Missing(vec!["env".to_owned()]));
}

proptest::proptest! {
    #[test]
    fn whatever_is_given_nothing_open_is_left_unless_it_has_a_default(
        keys in proptest::collection::vec("(build|env|region|opt|deploy\\.region|x)", 0..6),
        value in "[a-z]{1,5}",
    ) {
        let inputs: Map<_, _> =
            keys.into_iter().map(|key| (key, json!(value))).collect();
        if let Ok(resolution) = resolved(Value::Object(inputs), None) {
            for place in template::places(&resolution.inputs) {
                proptest::prop_assert!(place.wants.is_optional());
            }
        }
    }
}
