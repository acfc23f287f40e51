use super::*;
use crate::run::prepared::Prepared;

fn started() -> Result<Value, Failure> {
    Ok(json!({"planExecution": {"uuid": "e9"}}))
}

fn asks(platform: &Prepared, yaml: &str) {
    let key = Key {
        pipeline: "p1".to_owned(),
        org: Some("default".to_owned()),
        project: Some("demo".to_owned()),
        branch: None,
    };
    let template = yaml::from_text(yaml).unwrap();
    platform.templates.put(key, Some(template).filter(Value::is_object));
}

const TEMPLATE: &str = "
pipeline:
  identifier: p1
  properties: {ci: {codebase: {build: <+input>}}}
  variables: [{name: env, value: <+input>}, {name: opt, value: <+input>.default(x)}]
";

async fn run(platform: &Prepared, inputs: Value) -> Result<(Value, Value), Failure> {
    let result = platform.run("pipeline", "run", inputs).await?;
    let asked = platform.asked();
    let sent = asked.last().unwrap().strip_prefix("own ").unwrap();
    Ok((result, serde_json::from_str(sent).unwrap()))
}

#[tokio::test]
async fn flat_inputs_become_the_pipelines_own() {
    let platform = Prepared::new([started()]);
    asks(&platform, TEMPLATE);
    let inputs = json!({"pipeline_id": "p1", "inputs": {"env": "prod", "branch": "main", "x": 1}});
    let (result, sent) = run(&platform, inputs).await.unwrap();
    assert_eq!(
        result["_inputResolution"],
        json!({"mode": "auto_resolved", "matched": ["build", "env"], "defaulted": ["opt"], "_unused": ["x"]})
    );
    let sent = yaml::from_text(sent["inputs"].as_str().unwrap()).unwrap();
    assert_eq!(
        sent["pipeline"]["properties"]["ci"]["codebase"]["build"],
        json!({"type": "branch", "spec": {"branch": "main"}})
    );
}

#[tokio::test]
async fn missing_inputs_stop_the_run_and_suggest_input_sets() {
    let sets = json!({"items": [{"identifier": "is1"}, {"identifier": "is2"}], "total": 2});
    let platform = Prepared::new([Ok(sets)]);
    asks(&platform, TEMPLATE);
    let inputs = json!({"pipeline_id": "p1", "inputs": {"foo": 1}});
    let error = run(&platform, inputs).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`p1` was not started: it asks for build, env; pass them in `inputs`, or take them from one \
         of its input sets with `input_set_ids`: is1, is2. harness_get with resource_type \
         `runtime_input_template` and resource_id `p1` shows all it asks for"
    );
    assert_eq!(platform.asked(), [r#"input_set.list {"pipeline_id":"p1","size":5}"#]);
}

#[tokio::test]
async fn suggestions_that_cannot_be_had_are_left_out() {
    let platform = Prepared::new([Err(Failure::said("away"))]);
    asks(&platform, TEMPLATE);
    let error = run(&platform, json!({"pipeline_id": "p1", "inputs": {}})).await.unwrap_err();
    assert!(
        error.to_string().contains("it asks for build, env; pass them in `inputs`. "),
        "{error}"
    );
}

fn set(value: &str) -> Result<Value, Failure> {
    let text = format!(
        "inputSet: {{pipeline: {{identifier: p1, variables: [{{name: env, value: {value}}}]}}}}"
    );
    Ok(json!({ "inputSetYaml": text }))
}

#[tokio::test]
async fn input_sets_are_merged_and_not_named_again() {
    let platform = Prepared::new([set("a"), set("b"), started()]);
    let inputs = json!({"pipeline_id": "p1", "input_set_ids": ["s1", "s2"], "branch": "m", "store_type": "REMOTE"});
    let (result, sent) = run(&platform, inputs).await.unwrap();
    assert_eq!(result.get("_inputResolution"), None);
    assert_eq!(sent.get("input_set_ids"), None);
    let whole = yaml::from_text(sent["inputs"].as_str().unwrap()).unwrap();
    assert_eq!(whole["pipeline"]["variables"], json!([{"name": "env", "value": "b"}]));
    assert_eq!(
        platform.asked()[0],
        r#"input_set.get {"pipeline_id":"p1","input_set_id":"s1","store_type":"REMOTE","branch":"m"}"#
    );
}

#[tokio::test]
async fn whole_documents_are_laid_over_input_sets() {
    for over in [
        json!("pipeline: {variables: [{name: env, value: own}]}"),
        json!({"pipeline": {"variables": [{"name": "env", "value": "own"}]}}),
    ] {
        let platform = Prepared::new([set("a"), started()]);
        let inputs = json!({"pipeline_id": "p1", "input_set_ids": ["s1"], "inputs": over});
        let (_, sent) = run(&platform, inputs).await.unwrap();
        let whole = yaml::from_text(sent["inputs"].as_str().unwrap()).unwrap();
        assert_eq!(whole["pipeline"]["variables"][0]["value"], "own");
        assert_eq!(whole["pipeline"]["identifier"], "p1");
    }
}

#[tokio::test]
async fn documents_without_input_sets_go_as_they_are() {
    for inputs in [json!("pipeline: {identifier: p1}"), json!("odd"), json!("")] {
        let platform = Prepared::new([started()]);
        let call = json!({"pipeline_id": "p1", "inputs": inputs, "input_set_ids": "a,b"});
        let (_, sent) = run(&platform, call.clone()).await.unwrap();
        assert_eq!(sent, call);
    }
    let platform = Prepared::new([started()]);
    let call = json!({"pipeline_id": "p1", "inputs": {"pipeline": {"identifier": "p1"}}});
    let (_, sent) = run(&platform, call).await.unwrap();
    assert_eq!(sent["inputs"], r#"{"pipeline":{"identifier":"p1"}}"#);
}

#[tokio::test]
async fn flat_yaml_is_fitted_like_an_object() {
    let platform = Prepared::new([started()]);
    asks(&platform, TEMPLATE);
    let inputs = json!({"pipeline_id": "p1", "inputs": "env: prod\nbranch: m\n"});
    let (result, _) = run(&platform, inputs).await.unwrap();
    assert_eq!(result["_inputResolution"]["matched"], json!(["build", "env"]));
}

#[tokio::test]
async fn a_pipeline_that_asks_for_nothing_gets_nothing() {
    let platform = Prepared::new([started()]);
    asks(&platform, "");
    let inputs = json!({"pipeline_id": "p1", "inputs": {"env": 1}});
    let (result, sent) = run(&platform, inputs).await.unwrap();
    assert_eq!(sent["inputs"], "");
    assert_eq!(result["_inputResolution"], json!({"mode": "nothing_asked", "_unused": ["env"]}));
}

#[tokio::test]
async fn an_input_set_without_a_pipeline_is_told() {
    let platform = Prepared::new([Ok(json!({}))]);
    let inputs = json!({"pipeline_id": "p1", "input_set_ids": ["nope"]});
    let error = run(&platform, inputs).await.unwrap_err();
    assert!(error.to_string().starts_with("input set `nope` of pipeline `p1` cannot be used"));
}

#[tokio::test]
async fn too_many_input_sets_are_refused() {
    let platform = Prepared::new([]);
    let inputs = json!({"pipeline_id": "p1", "input_set_ids": vec!["a"; 26]});
    assert!(run(&platform, inputs).await.unwrap_err().to_string().contains("at most 25"));
}
