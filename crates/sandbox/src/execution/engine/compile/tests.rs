use serde_json::{Value, json};

use super::faults::says_fail;
use super::{CompileError, Surroundings, compile};
use crate::execution::engine::expressions::Names;
use crate::execution::engine::plan::{Plan, Role, Wait};

fn compiled(pipeline: Value) -> Result<Plan, CompileError> {
    compile(
        &json!({"pipeline": pipeline}),
        &Surroundings {
            names: Names::default(),
            frozen: &|_| None,
            chained: &|chain, _| Err(format!("no pipeline `{}`", chain.pipeline)),
            home: ("o".to_owned(), "p".to_owned()),
            stages: &[],
        },
    )
}

fn script(id: &str, text: &str) -> Value {
    json!({"step": {"identifier": id, "name": id, "type": "ShellScript",
        "spec": {"source": {"spec": {"script": text}}}}})
}

fn stage(id: &str, steps: Value) -> Value {
    json!({"stage": {"identifier": id, "name": id, "type": "Custom",
        "spec": {"execution": {"steps": steps}}}})
}

fn step<'a>(plan: &'a Plan, id: &str) -> &'a crate::execution::engine::plan::Node {
    plan.nodes.iter().find(|node| node.identifier == id).unwrap()
}

#[test]
fn nodes_are_named_by_where_they_stand() {
    let plan = compiled(json!({"identifier": "x", "name": "X", "stages": [
        stage("a", json!([script("one", "echo"), {"parallel": [script("two", ""), {"stepGroup": {
            "identifier": "g", "steps": [script("three", "")]}}]}])),
        {"parallel": [stage("b", json!([script("four", "")])), stage("c", json!([]))]}]}))
    .unwrap();
    assert_eq!(step(&plan, "one").fqn, "pipeline.stages.a.spec.execution.steps.one");
    assert_eq!(step(&plan, "two").fqn, "pipeline.stages.a.spec.execution.steps.two");
    assert_eq!(step(&plan, "three").fqn, "pipeline.stages.a.spec.execution.steps.g.steps.three");
    assert_eq!(step(&plan, "four").fqn, "pipeline.stages.b.spec.execution.steps.four");
    assert_eq!(plan.nodes.iter().filter(|node| node.role == Role::Fork).count(), 2);
}

#[test]
fn steps_fail_by_name_by_annotation_or_by_their_script() {
    let mut annotated = script("quiet", "echo");
    annotated["step"]["tags"] = json!({"sandbox.fail": "disk full", "sandbox.duration": "42s"});
    let plan = compiled(json!({"identifier": "x", "stages": [stage("a", json!([
        annotated, script("will_fail", "echo"), script("exits", "echo\nexit 4"), script("fine", "echo")]))]}))
    .unwrap();
    let fault = |id: &str| step(&plan, id).work.as_ref().unwrap().fault.clone();
    assert_eq!(fault("quiet").unwrap().message, "disk full");
    assert_eq!(step(&plan, "quiet").work.as_ref().unwrap().duration_ms, 42_000);
    assert!(fault("will_fail").is_some());
    assert!(fault("exits").unwrap().message.contains("status 4"));
    assert_eq!(fault("fine"), None);
}

#[test]
fn an_annotation_on_the_pipeline_or_a_stage_breaks_its_last_step() {
    let mut pipeline = json!({"identifier": "x", "stages": [
        stage("a", json!([script("one", ""), script("two", "")])), stage("b", json!([script("three", "")]))]});
    pipeline["stages"][0]["stage"]["variables"] =
        json!([{"name": "sandbox.fail", "type": "String", "value": "no luck"}]);
    let plan = compiled(pipeline.clone()).unwrap();
    assert!(step(&plan, "one").work.as_ref().unwrap().fault.is_none());
    assert_eq!(
        step(&plan, "two").work.as_ref().unwrap().fault.as_ref().unwrap().message,
        "no luck"
    );
    pipeline["tags"] = json!({"sandbox.fail": ""});
    let plan = compiled(pipeline).unwrap();
    assert!(step(&plan, "three").work.as_ref().unwrap().fault.is_some());
}

#[test]
fn words_about_handling_failures_do_not_fail() {
    for (name, fails) in [
        ("Run failing tests", true),
        ("alwaysFail", true),
        ("Notify on failure", false),
        ("Database failover", false),
        ("deploy", false),
    ] {
        assert_eq!(says_fail(name), fails, "{name}");
    }
}

#[test]
fn an_approval_waits_for_its_people() {
    let plan = compiled(json!({"identifier": "x", "stages": [stage("a", json!([{"step": {
        "identifier": "ok", "type": "HarnessApproval", "timeout": "1h",
        "spec": {"approvers": {"minimumCount": 2, "userGroups": ["ops"]}}}}]))]}))
    .unwrap();
    let work = step(&plan, "ok").work.as_ref().unwrap();
    assert!(matches!(&work.wait, Wait::People(approval) if approval.minimum == 2));
    assert_eq!(work.timeout_ms, Some(3_600_000));
}

#[test]
fn a_chained_pipeline_that_is_missing_fails_its_stage() {
    let plan = compiled(json!({"identifier": "x", "stages": [{"stage": {
        "identifier": "chain", "type": "Pipeline", "spec": {"pipeline": "gone"}}}]}))
    .unwrap();
    let fault = step(&plan, "start").work.as_ref().unwrap().fault.clone();
    assert_eq!(fault.unwrap().message, "no pipeline `gone`");
}

#[test]
fn what_cannot_run_is_refused() {
    assert_eq!(compiled(json!([])).unwrap_err(), CompileError::NoPipeline);
    assert_eq!(compiled(json!({"identifier": "x"})).unwrap_err(), CompileError::NoStages);
    let many: Vec<Value> = (0..2_100).map(|n| script(&format!("s{n}"), "")).collect();
    let huge = json!({"identifier": "x", "stages": [stage("a", json!(many))]});
    assert_eq!(compiled(huge).unwrap_err(), CompileError::TooLarge);
}

#[test]
fn variables_reach_scripts_and_conditions() {
    let mut one = script("one", "echo <+pipeline.variables.env>");
    one["step"]["when"] =
        json!({"stageStatus": "Success", "condition": "<+pipeline.variables.env> == \"dev\""});
    let plan = compiled(json!({"identifier": "x",
        "variables": [{"name": "env", "type": "String", "value": "prod"}],
        "stages": [stage("a", json!([one]))]}))
    .unwrap();
    let one = step(&plan, "one");
    assert_eq!(one.unmet.as_deref(), Some("prod == \"dev\""));
    let spec = &one.work.as_ref().unwrap().spec;
    assert_eq!(spec["source"]["spec"]["script"], "echo prod");
}
