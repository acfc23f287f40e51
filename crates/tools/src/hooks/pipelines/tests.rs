use checkrein_platform::{ApiError, Kind, Outcome};

use super::*;
use crate::run::prepared::Prepared;

fn refused(status: u16) -> Result<Value, Failure> {
    Err(Failure::from(ApiError {
        kind: Kind::Status,
        status: Some(status),
        code: None,
        message: format!("the platform answered {status}"),
        correlation_id: None,
        retry_after: None,
        outcome: Some(Outcome::NotApplied),
        attempts: 1,
    }))
}

fn started() -> Result<Value, Failure> {
    Ok(json!({"planExecution": {"uuid": "e9"}}))
}

#[tokio::test]
async fn a_run_that_cannot_be_retried_is_started_anew() {
    let platform = Prepared::new([refused(405), started()]);
    let inputs = json!({"pipeline_id": "p1", "execution_id": "e0", "module": "CD"});
    let result = platform.run("pipeline", "retry", inputs).await.unwrap();
    assert!(result["_note"].as_str().unwrap().contains("`p1` was started anew"));
    assert_eq!(platform.asked()[1], r#"pipeline.run {"pipeline_id":"p1","module":"CD"}"#);
}

#[tokio::test]
async fn the_pipeline_of_a_run_is_looked_up_when_it_is_not_named() {
    let run = json!({"pipelineExecutionSummary": {"pipelineIdentifier": "p7"}});
    let platform = Prepared::new([refused(405), Ok(run), started()]);
    platform.run("pipeline", "retry", json!({"execution_id": "e0"})).await.unwrap();
    assert_eq!(
        platform.asked()[1..],
        [r#"execution.get {"execution_id":"e0"}"#, r#"pipeline.run {"pipeline_id":"p7"}"#]
    );
}

#[tokio::test]
async fn any_other_refusal_of_a_retry_stays() {
    let platform = Prepared::new([refused(400)]);
    let inputs = json!({"pipeline_id": "p1", "execution_id": "e0"});
    let error = platform.run("pipeline", "retry", inputs).await.unwrap_err();
    assert_eq!(error.platform().unwrap().status, Some(400));
    assert_eq!(platform.asked().len(), 1);
}

#[tokio::test]
async fn a_template_comes_with_what_it_asks_for() {
    let text = "pipeline: {variables: [{name: env, value: '<+input>.default(qa).allowedValues(qa,prod)'}, {name: tag, value: <+input>}]}";
    let platform = Prepared::new([Ok(json!({"inputSetTemplateYaml": text}))]);
    let inputs = json!({"pipeline_id": "p1"});
    let result = platform.run("runtime_input_template", "get", inputs).await.unwrap();
    assert_eq!(
        result["_inputs"],
        json!([
            {"name": "env", "required": false, "default": "qa", "allowed": ["qa", "prod"]},
            {"name": "tag", "required": true}
        ])
    );
    let nothing = Prepared::new([Ok(json!({"inputSetTemplateYaml": null}))]);
    let result = nothing.run("runtime_input_template", "get", json!({})).await.unwrap();
    assert_eq!(result.get("_inputs"), None);
}
