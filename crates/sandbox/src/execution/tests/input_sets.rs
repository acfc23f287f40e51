use serde_json::{Value, json};

use super::{Sandbox, pipeline, stage, step};
use crate::yaml;

fn asking() -> Sandbox {
    let mut asks = pipeline("build", json!([stage("one", json!([step("a")]))]));
    asks["variables"] = json!([
        {"name": "env", "type": "String", "value": "<+input>"},
        {"name": "tag", "type": "String", "value": "<+input>"}]);
    Sandbox::with(asks)
}

fn input_set(id: &str, variables: Value) -> String {
    yaml::write(&json!({"inputSet": {"identifier": id, "name": id, "orgIdentifier": "o",
        "projectIdentifier": "p", "pipeline": {"identifier": "build", "variables": variables}}}))
}

fn variable(name: &str, value: &str) -> Value {
    json!({"name": name, "type": "String", "value": value})
}

const SETS: &str = "/pipeline/api/inputSets?pipelineIdentifier=build";

#[test]
fn input_sets_fill_a_run_and_later_ones_win() {
    let sandbox = asking();
    sandbox.data(
        "POST",
        SETS,
        &input_set("dev", json!([variable("env", "dev"), variable("tag", "v1")])),
    );
    sandbox.data("POST", SETS, &input_set("newer", json!([variable("tag", "v2")])));
    let run = "/pipeline/api/pipeline/execute/build?inputSetIdentifiers=dev,newer";
    let id = sandbox.data("POST", run, "")["planExecution"]["uuid"].as_str().unwrap().to_owned();
    let given =
        sandbox.data("GET", &format!("/pipeline/api/pipelines/execution/{id}/inputsetV2"), "");
    let text = given["inputSetYaml"].as_str().unwrap();
    assert!(text.contains("value: dev") && text.contains("value: v2"), "{text}");
    assert_eq!(given["inputSetDetails"][1]["identifier"], "newer");
    let (_, message) = sandbox.refusal(
        "POST",
        "/pipeline/api/pipeline/execute/build?inputSetIdentifiers=gone",
        "",
    );
    assert!(message.contains("InputSet [gone]"), "{message}");
    let by_list = sandbox.data(
        "POST",
        "/pipeline/api/pipeline/execute/build/inputSetList",
        r#"{"inputSetReferences":["dev"]}"#,
    );
    assert_eq!(by_list["planExecution"]["metadata"]["runSequence"], 2);
}

#[test]
fn a_field_that_is_no_runtime_input_is_refused_by_name() {
    let sandbox = asking();
    let reply = sandbox.place("POST", SETS, &input_set("odd", json!([variable("nope", "x")])));
    assert_eq!(reply.status, 400);
    let said = reply.json().unwrap();
    assert_eq!(said["metadata"]["type"], "InputSetErrorWrapper");
    let errors = said["metadata"]["uuidToErrorResponseMap"].as_object().unwrap();
    assert!(errors.contains_key("pipeline.variables.nope"), "{said}");
}

#[test]
fn input_sets_are_created_read_updated_listed_and_removed() {
    let sandbox = asking();
    sandbox.data("POST", SETS, &input_set("dev", json!([variable("env", "dev")])));
    let one = "/pipeline/api/inputSets/dev?pipelineIdentifier=build";
    let read = sandbox.place("GET", one, "");
    assert!(read.headers.iter().any(|(name, value)| name == "etag" && value == "\"0\""));
    assert!(read.json().unwrap()["data"]["inputSetYaml"].as_str().unwrap().contains("value: dev"));
    sandbox.data("PUT", one, &input_set("dev", json!([variable("env", "qa")])));
    let overlay = yaml::write(&json!({"overlayInputSet": {"identifier": "all", "name": "all",
        "orgIdentifier": "o", "projectIdentifier": "p", "pipelineIdentifier": "build",
        "inputSetReferences": ["dev"]}}));
    let overlays = "/pipeline/api/inputSets/overlay?pipelineIdentifier=build";
    sandbox.data("POST", overlays, &overlay);
    let list = sandbox.data("GET", SETS, "");
    assert_eq!(list["totalItems"], 2);
    let only = sandbox.data("GET", &format!("{SETS}&inputSetType=OVERLAY_INPUT_SET"), "");
    assert_eq!(only["content"][0]["identifier"], "all");
    let merged = sandbox.data(
        "POST",
        "/pipeline/api/inputSets/merge?pipelineIdentifier=build",
        r#"{"inputSetReferences":["all"],"withMergedPipelineYaml":true}"#,
    );
    assert!(merged["pipelineYaml"].as_str().unwrap().contains("value: qa"));
    assert!(merged["completePipelineYaml"].as_str().unwrap().contains("stages"));
    let gone = overlay.replace("- dev", "- gone");
    assert_eq!(
        sandbox.refusal("POST", overlays, &gone.replace("identifier: all", "identifier: b")).0,
        "INVALID_OVERLAY_INPUT_SET"
    );
    assert_eq!(sandbox.data("DELETE", one, ""), json!(true));
    assert_ne!(sandbox.place("GET", one, "").status, 200);
}

#[test]
fn a_template_says_what_a_run_asks_for() {
    let sandbox = asking();
    let path = "/pipeline/api/inputSets/template?pipelineIdentifier=build";
    let asked = sandbox.data("POST", path, "{}");
    let template = yaml::parse(asked["inputSetTemplateYaml"].as_str().unwrap()).unwrap();
    assert_eq!(template["pipeline"]["variables"][1]["value"], "<+input>");
    assert_eq!(asked["hasInputSets"], false);
    sandbox.add(pipeline("fixed", json!([stage("one", json!([step("a")]))])));
    let fixed =
        sandbox.data("POST", "/pipeline/api/inputSets/template?pipelineIdentifier=fixed", "{}");
    assert_eq!(fixed["inputSetTemplateYaml"], Value::Null);
}
