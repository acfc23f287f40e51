use serde_json::json;

use super::*;
use crate::shipped::resource;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

fn aimed(name: &str, action: &str, params: Value) -> Result<Value, String> {
    let resource = resource(name);
    let params = map(params);
    let mut values = params.clone();
    values.insert("resource_id".to_owned(), json!("R"));
    aim(resource, &resource.actions[action], &mut values, &params)
        .map_err(|error| error.to_string())?;
    values.shift_remove("resource_id");
    Ok(values.into())
}

#[test]
fn an_action_gets_the_identifier_its_path_wants() {
    let cases = [
        ("pipeline", "run", json!({}), json!({ "pipeline_id": "R" })),
        (
            "pipeline",
            "retry",
            json!({ "execution_id": "e" }),
            json!({ "execution_id": "e", "pipeline_id": "R" }),
        ),
        (
            "pull_request",
            "close",
            json!({ "pr_number": 4 }),
            json!({ "pr_number": 4, "repo_id": "R" }),
        ),
        (
            "pull_request",
            "merge",
            json!({ "repo_id": "r" }),
            json!({ "repo_id": "r", "pr_number": "R" }),
        ),
        ("connector", "test_connection", json!({}), json!({ "connector_id": "R" })),
    ];
    for (name, action, params, expected) in cases {
        assert_eq!(aimed(name, action, params), Ok(expected), "{name}.{action}");
    }
}

#[test]
fn two_identifiers_for_one_thing_are_a_conflict() {
    let text =
        aimed("connector", "test_connection", json!({ "connector_id": "other" })).unwrap_err();
    assert_eq!(
        text,
        "`resource_id` is `R` but `params.connector_id` is `other`; pass only one of them"
    );
    let params = map(json!({ "service_id": "other" }));
    let mut values = map(json!({ "service_id": "other", "resource_id": "R" }));
    assert!(settle(resource("service"), &mut values, &params, "harness_update").is_err());
}

#[test]
fn what_is_changed_must_be_named() {
    let settled = |values: Value| {
        let mut values = map(values);
        settle(resource("trigger"), &mut values, &Map::new(), "harness_delete")
            .map(|id| (id, Value::Object(values)))
            .map_err(|error| error.to_string())
    };
    let (id, values) = settled(json!({ "pipeline_id": "p", "resource_id": "t" })).expect("settled");
    assert_eq!(id.as_deref(), Some("t"));
    assert_eq!(values, json!({ "pipeline_id": "p", "resource_id": "t", "trigger_id": "t" }));
    let text = settled(json!({ "pipeline_id": "p" })).unwrap_err();
    assert!(text.contains("`resource_id` (its `trigger_id`)"), "{text}");
}

#[test]
fn a_get_keeps_an_identifier_that_is_there_already() {
    let mut values = map(json!({ "pipeline_id": "p", "resource_id": "R" }));
    fill(resource("pipeline"), &mut values);
    assert_eq!(values["pipeline_id"], "p");
    let mut values = map(json!({ "resource_id": 7 }));
    fill(resource("pipeline"), &mut values);
    assert_eq!(values["pipeline_id"], "7");
}
