use serde_json::json;

use super::{Sandbox, pipeline, stage, step};
use crate::store::Filter;

#[test]
fn a_run_walks_its_stages_and_ends() {
    let sandbox = Sandbox::with(pipeline(
        "build",
        json!([
        stage("one", json!([step("a")])),
        {"parallel": [stage("two", json!([step("b")])), stage("three", json!([step("c")]))]}]),
    ));
    let begun = sandbox.data("POST", "/pipeline/api/pipeline/execute/build", "");
    let plan = &begun["planExecution"];
    assert_eq!(plan["status"], "RUNNING");
    assert_eq!(plan["metadata"]["runSequence"], 1);
    let id = plan["uuid"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 22);
    assert_eq!(sandbox.status(&id), "Queued");
    sandbox.pass(5);
    let summary = sandbox.execution(&id)["pipelineExecutionSummary"].clone();
    assert_eq!(summary["status"], "Running");
    assert!(summary.get("endTs").is_none(), "endTs is absent while running");
    assert_eq!(summary["runningStagesCount"], 1);
    assert_eq!(summary["totalStagesCount"], 3);
    sandbox.pass(60);
    let summary = sandbox.execution(&id)["pipelineExecutionSummary"].clone();
    assert_eq!(summary["status"], "Success");
    assert_eq!(summary["successfulStagesCount"], 3);
    assert_eq!(summary["endTs"].as_i64().unwrap() - summary["startTs"].as_i64().unwrap(), 20_400);
    assert_eq!(summary["canRetry"], false);
}

#[test]
fn the_layout_shows_sequence_and_side_by_side() {
    let sandbox = Sandbox::with(pipeline(
        "build",
        json!([
        stage("one", json!([step("a")])),
        {"parallel": [stage("two", json!([step("b")])), stage("three", json!([step("c")]))]}]),
    ));
    let id = sandbox.run("build", "");
    sandbox.pass(60);
    let summary = sandbox.execution(&id)["pipelineExecutionSummary"].clone();
    let map = &summary["layoutNodeMap"];
    let first = &map[summary["startingNodeId"].as_str().unwrap()];
    assert_eq!(first["nodeIdentifier"], "one");
    let fork = &map[first["edgeLayoutList"]["nextIds"][0].as_str().unwrap()];
    assert_eq!(fork["nodeType"], "parallel");
    let children = fork["edgeLayoutList"]["currentNodeChildren"].as_array().unwrap();
    let names: Vec<&str> = children
        .iter()
        .map(|id| map[id.as_str().unwrap()]["nodeIdentifier"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["two", "three"]);
}

#[test]
fn the_graph_comes_only_when_asked_for_and_hangs_together() {
    let sandbox =
        Sandbox::with(pipeline("build", json!([stage("one", json!([step("a"), step("b")]))])));
    let id = sandbox.run("build", "");
    sandbox.pass(15);
    assert!(sandbox.execution(&id).get("executionGraph").is_none());
    let graph = sandbox.graph(&id);
    let adjacency = graph["nodeAdjacencyListMap"].as_object().unwrap();
    assert_eq!(adjacency.len(), graph["nodeMap"].as_object().unwrap().len());
    let a = sandbox.node(&id, "a");
    assert_eq!(a["baseFqn"], "pipeline.stages.one.spec.execution.steps.a");
    let next = &adjacency[a["uuid"].as_str().unwrap()]["nextIds"][0];
    assert_eq!(graph["nodeMap"][next.as_str().unwrap()]["identifier"], "b");
    assert_eq!(a["status"], "Success");
    assert_eq!(sandbox.node(&id, "b")["status"], "Running");
    let stage_id = sandbox.node(&id, "one")["uuid"].as_str().unwrap().to_owned();
    let of_stage = sandbox.data(
        "GET",
        &format!("/pipeline/api/pipelines/execution/v2/{id}?stageNodeId={stage_id}"),
        "",
    );
    assert_eq!(of_stage["executionGraph"]["rootNodeId"], stage_id.as_str());
}

#[test]
fn a_failing_step_says_why() {
    let sandbox =
        Sandbox::with(pipeline("build", json!([stage("one", json!([step("failing_tests")]))])));
    let id = sandbox.run("build", "");
    sandbox.pass(60);
    let summary = sandbox.execution(&id)["pipelineExecutionSummary"].clone();
    assert_eq!(summary["status"], "Failed");
    assert_eq!(summary["canRetry"], true);
    let message = summary["failureInfo"]["message"].as_str().unwrap();
    assert!(!message.is_empty());
    assert_eq!(sandbox.node(&id, "failing_tests")["failureInfo"]["message"], message);
    assert_eq!(summary["executionErrorInfo"]["message"], message);
}

#[test]
fn missing_inputs_are_listed_and_nothing_runs() {
    let mut asks = pipeline("build", json!([stage("one", json!([step("a")]))]));
    asks["variables"] = json!([
        {"name": "env", "type": "String", "value": "<+input>.allowedValues(dev,prod)"},
        {"name": "tag", "type": "String", "value": "<+input>.default(latest)"}]);
    let sandbox = Sandbox::with(asks);
    let run = "/pipeline/api/pipeline/execute/build";
    let (code, message) = sandbox.refusal("POST", run, "");
    assert_eq!(code, "INVALID_REQUEST");
    assert!(message.contains("pipeline.variables.env") && !message.contains("tag"), "{message}");
    let inputs = |env: &str| {
        format!(
            "pipeline:\n  identifier: build\n  variables:\n    - name: env\n      type: String\n      value: {env}\n"
        )
    };
    let (_, message) = sandbox.refusal("POST", run, &inputs("qa"));
    assert!(message.contains("dev, prod"), "{message}");
    let none = sandbox.data("POST", "/pipeline/api/pipelines/execution/summary", "{}");
    assert_eq!(none["totalElements"], 0);
    let id = sandbox.run("build", &inputs("prod"));
    let given =
        sandbox.data("GET", &format!("/pipeline/api/pipelines/execution/{id}/inputsetV2"), "");
    assert!(given["inputSetYaml"].as_str().unwrap().contains("prod"));
    assert!(given["inputSetYaml"].as_str().unwrap().contains("latest"));
    assert!(given["inputSetTemplateYaml"].as_str().unwrap().contains("<+input>"));
    let ran = sandbox.data("GET", &format!("/pipeline/api/pipelines/execution/{id}/metadata"), "");
    assert!(ran["executionYaml"].as_str().unwrap().contains("value: prod"));
}

#[test]
fn an_abort_ends_a_run_once() {
    let sandbox = Sandbox::with(pipeline("build", json!([stage("one", json!([step("a")]))])));
    let id = sandbox.run("build", "");
    sandbox.pass(5);
    let reply = sandbox.interrupt(&id, "AbortAll");
    assert_eq!(reply.json().unwrap()["data"]["type"], "ABORT_ALL");
    assert_eq!(sandbox.status(&id), "Discontinuing");
    let again = sandbox.interrupt(&id, "AbortAll");
    assert_eq!(
        (again.status, again.json().unwrap()["code"].clone()),
        (400, json!("ABORT_ALL_ALREADY"))
    );
    sandbox.pass(5);
    let summary = sandbox.execution(&id)["pipelineExecutionSummary"].clone();
    assert_eq!(summary["status"], "Aborted");
    assert_eq!(summary["abortedBy"]["email"], "riley.chen@example.com");
    let late = sandbox.interrupt(&id, "AbortAll").json().unwrap();
    assert_eq!(late["code"], "INVALID_REQUEST");
    assert!(late["message"].as_str().unwrap().contains("nothing to interrupt"));
}

#[test]
fn a_pause_and_a_resume_are_each_taken_once() {
    let sandbox =
        Sandbox::with(pipeline("build", json!([stage("one", json!([step("a"), step("b")]))])));
    let id = sandbox.run("build", "");
    sandbox.pass(5);
    let code = |kind: &str| {
        let reply = sandbox.interrupt(&id, kind);
        reply.json().unwrap()["code"].as_str().map(str::to_owned)
    };
    assert_eq!(code("Resume").as_deref(), Some("RESUME_ALL_ALREADY"));
    assert_eq!(code("Pause"), None);
    assert_eq!(code("Pause").as_deref(), Some("PAUSE_ALL_ALREADY"));
    sandbox.pass(60);
    assert_eq!(sandbox.status(&id), "Paused");
    assert_eq!(code("Resume"), None);
    sandbox.pass(60);
    assert_eq!(sandbox.status(&id), "Success");
}

#[test]
fn an_unknown_interrupt_names_the_known_ones() {
    let sandbox = Sandbox::with(pipeline("build", json!([stage("one", json!([step("a")]))])));
    let id = sandbox.run("build", "");
    let said = sandbox.interrupt(&id, "Stop").json().unwrap();
    assert!(said["message"].as_str().unwrap().contains("AbortAll, Abort, Pause"), "{said}");
    let ignored = sandbox.interrupt(&id, "Ignore").json().unwrap();
    assert!(ignored["message"].as_str().unwrap().contains("manual intervention"), "{ignored}");
}

#[test]
fn a_flaky_run_heals_when_it_is_retried_and_the_history_shows_both() {
    let mut flaky = step("flaky");
    flaky["step"]["tags"] =
        json!({"sandbox.fail": "lost the connection", "sandbox.fail.times": "1"});
    let sandbox = Sandbox::with(pipeline(
        "build",
        json!([stage("one", json!([step("a")])), stage("two", json!([flaky]))]),
    ));
    let id = sandbox.run("build", "");
    let retry = format!("/pipeline/api/pipeline/execute/retry/{id}");
    let (_, message) = sandbox.refusal("PUT", &retry, "{}");
    assert!(message.contains("only failed"), "{message}");
    sandbox.pass(60);
    assert_eq!(sandbox.status(&id), "Failed");
    let again = sandbox.data("PUT", &retry, "{}")["planExecution"].clone();
    let second = again["uuid"].as_str().unwrap().to_owned();
    assert_eq!(again["metadata"]["runSequence"], 2);
    sandbox.pass(60);
    let summary = sandbox.execution(&second)["pipelineExecutionSummary"].clone();
    assert_eq!(summary["status"], "Success");
    assert_eq!(summary["isRetriedExecution"], true);
    assert_eq!(summary["totalStagesCount"], 1, "only the failed stage runs again");
    let history = sandbox.data(
        "GET",
        &format!("/pipeline/api/pipeline/execute/retryHistory/{id}?pipelineIdentifier=build"),
        "",
    );
    assert_eq!(history["latestExecutionId"], second.as_str());
    assert_eq!(history["executionInfos"].as_array().unwrap().len(), 2);
    let (_, message) = sandbox.refusal(
        "POST",
        &format!("/pipeline/api/pipeline/execute/retry/other?planExecutionId={id}"),
        "",
    );
    assert!(message.contains("belongs to pipeline `build`"), "{message}");
    let third = sandbox.data(
        "POST",
        &format!(
            "/pipeline/api/pipeline/execute/retry/build?planExecutionId={id}&runAllStages=true"
        ),
        "",
    );
    assert_eq!(third["planExecution"]["metadata"]["runSequence"], 3);
}

#[test]
fn a_rerun_takes_the_inputs_of_the_first() {
    let mut asks = pipeline("build", json!([stage("one", json!([step("a")]))]));
    asks["variables"] = json!([{"name": "env", "type": "String", "value": "<+input>"}]);
    let sandbox = Sandbox::with(asks);
    let id = sandbox.run("build", r#"{"pipeline":{"variables":[{"name":"env","value":"qa"}]}}"#);
    let again =
        sandbox.data("POST", &format!("/pipeline/api/pipeline/execute/rerun/{id}/build"), "");
    let second = again["planExecution"]["uuid"].as_str().unwrap();
    let ran =
        sandbox.data("GET", &format!("/pipeline/api/pipelines/execution/{second}/metadata"), "");
    assert!(ran["executionYaml"].as_str().unwrap().contains("value: qa"));
}

#[test]
fn some_stages_can_run_alone_and_unknown_ones_are_named() {
    let sandbox = Sandbox::with(pipeline(
        "build",
        json!([stage("one", json!([step("a")])), stage("two", json!([step("b")]))]),
    ));
    let id = sandbox.data("POST", "/pipeline/api/pipeline/execute/build?stagesToExecute=two", "")
        ["planExecution"]["uuid"].as_str().unwrap().to_owned();
    sandbox.pass(60);
    let summary = sandbox.execution(&id)["pipelineExecutionSummary"].clone();
    assert_eq!(summary["totalStagesCount"], 1);
    assert_eq!(summary["stagesExecutedNames"], json!({"two": "two"}));
    let (_, message) =
        sandbox.refusal("POST", "/pipeline/api/pipeline/execute/build?stagesToExecute=three", "");
    assert!(message.contains("three") && message.contains("one, two"), "{message}");
}

#[test]
fn the_newer_api_runs_pipelines_too() {
    let mut asks = pipeline("build", json!([stage("one", json!([step("a")]))]));
    asks["variables"] = json!([{"name": "env", "type": "String", "value": "<+input>"}]);
    let sandbox = Sandbox::with(asks);
    let path = "/v1/orgs/o/projects/p/pipelines/build/execute";
    let begun = sandbox.send("POST", path, r#"{"inputs_yaml":"env: prod\n"}"#).json().unwrap();
    assert_eq!(begun["execution_details"]["status"], "RUNNING");
    let id = begun["execution_details"]["execution_id"].as_str().unwrap();
    let ran = sandbox.data("GET", &format!("/pipeline/api/pipelines/execution/{id}/metadata"), "");
    assert!(ran["executionYaml"].as_str().unwrap().contains("value: prod"));
    let asked =
        sandbox.send("POST", "/v1/orgs/o/projects/p/pipelines/build/inputs", "{}").json().unwrap();
    assert_eq!(asked["inputs"]["env"]["required"], true);
}

#[test]
fn a_yaml_of_ones_own_runs_in_the_name_of_a_stored_pipeline() {
    let sandbox = Sandbox::with(pipeline("build", json!([stage("one", json!([step("a")]))])));
    let own = crate::yaml::write(
        &json!({"pipeline": pipeline("build", json!([stage("mine", json!([step("x")]))]))}),
    );
    let body = json!({"yaml": own}).to_string();
    let path = "/v1/orgs/o/projects/p/pipelines/build/execute/dynamic";
    let begun = sandbox.send("POST", path, &body).json().unwrap();
    let id = begun["execution_details"]["execution_id"].as_str().unwrap();
    sandbox.pass(1);
    assert_eq!(sandbox.execution(id)["pipelineExecutionSummary"]["isDynamicExecution"], true);
    assert_eq!(sandbox.node(id, "mine")["status"], "Running");
    assert_eq!(
        sandbox.send("POST", "/v1/orgs/o/projects/p/pipelines/gone/execute/dynamic", &body).status,
        404
    );
}

#[test]
fn a_chained_run_has_a_record_of_its_own_that_follows_its_parent() {
    let sandbox =
        Sandbox::with(pipeline("child", json!([stage("inner", json!([step("deep_fail")]))])));
    sandbox.add(pipeline(
        "parent",
        json!([stage("one", json!([step("a")])), {"stage": {
        "identifier": "chain", "name": "chain", "type": "Pipeline",
        "spec": {"org": "o", "project": "p", "pipeline": "child"}}}]),
    ));
    let id = sandbox.run("parent", "");
    let list = |pipeline: &str| {
        let path =
            format!("/pipeline/api/pipelines/execution/summary?pipelineIdentifier={pipeline}");
        sandbox.data("POST", &path, "{}")
    };
    assert_eq!(list("child")["totalElements"], 0, "it has not begun");
    sandbox.pass(60);
    let child = sandbox.node(&id, "chain")["stepDetails"]["childPipelineExecutionDetails"]["planExecutionId"]
        .as_str().unwrap().to_owned();
    let listed = list("child");
    assert_eq!(listed["content"][0]["planExecutionId"], child.as_str());
    assert_eq!(listed["content"][0]["parentStageInfo"]["executionid"], id.as_str());
    assert_eq!(sandbox.status(&child), "Failed");
    assert_eq!(sandbox.status(&id), "Failed");
    assert_eq!(sandbox.node(&child, "deep_fail")["status"], "Failed");
    let (_, message) =
        sandbox.refusal("PUT", &format!("/pipeline/api/pipeline/execute/retry/{child}"), "{}");
    assert!(message.contains("cannot") || message.contains("only failed"), "{message}");
}

#[test]
fn runs_and_interrupts_leave_audit_events() {
    let sandbox = Sandbox::with(pipeline("build", json!([stage("one", json!([step("a")]))])));
    let id = sandbox.run("build", "");
    sandbox.interrupt(&id, "AbortAll");
    let events = sandbox.world.store().list(&Filter::kind(crate::audit::KIND)).unwrap();
    let told: Vec<&str> =
        events.iter().map(|event| event.body["action"].as_str().unwrap()).collect();
    assert_eq!(told, ["START", "ABORT"]);
}

#[test]
fn an_unknown_pipeline_or_run_is_named() {
    let sandbox = Sandbox::new();
    let reply = sandbox.place("POST", "/pipeline/api/pipeline/execute/gone", "");
    assert_eq!(reply.status, 404);
    assert!(
        reply.json().unwrap()["message"]
            .as_str()
            .unwrap()
            .starts_with("Pipeline [gone] under Project[p]")
    );
    let (code, message) = sandbox.refusal("GET", "/pipeline/api/pipelines/execution/v2/nope", "");
    assert_eq!(code, "INVALID_REQUEST");
    assert!(message.contains("[nope]"));
}

#[test]
fn an_open_freeze_aborts_deployments_and_leaves_other_stages_alone() {
    let mut deploy = stage("ship", json!([step("b")]));
    deploy["stage"]["type"] = json!("Deployment");
    let sandbox =
        Sandbox::with(pipeline("build", json!([stage("one", json!([step("a")])), deploy])));
    let freeze = crate::yaml::write(&json!({"freeze": {"identifier": "xmas", "name": "xmas",
        "orgIdentifier": "o", "projectIdentifier": "p", "status": "Enabled",
        "entityConfigs": [{"name": "all", "entities": [
            {"type": "Service", "filterType": "All"}, {"type": "EnvType", "filterType": "All"}]}],
        "windows": [{"timeZone": "UTC", "startTime": "2026-11-29 10:00 AM", "duration": "7d"}]}}));
    sandbox.data("POST", "/ng/api/freeze", &freeze);
    let id = sandbox.run("build", "");
    sandbox.pass(60);
    let summary = sandbox.execution(&id)["pipelineExecutionSummary"].clone();
    assert_eq!(summary["status"], "AbortedByFreeze");
    assert_eq!(summary["freezeInfo"]["name"], "xmas");
    assert_eq!(sandbox.node(&id, "a")["status"], "Success");
    assert_eq!(sandbox.node(&id, "b")["status"], "NotStarted");
}

#[test]
fn a_template_runs_in_place_of_its_reference() {
    let by_template = |template: &str| {
        json!({"step": {"identifier": "notify", "name": "notify", "template": {
            "templateRef": template, "versionLabel": "v1",
            "templateInputs": {"type": "ShellScript", "spec": {"source": {"spec": {"script": "exit 3"}}}}}}})
    };
    let stages = json!([
        stage("one", json!([by_template("say")])),
        stage("two", json!([by_template("gone")]))
    ]);
    let sandbox = Sandbox::with(pipeline("build", stages));
    let template = crate::yaml::write(&json!({"template": {"identifier": "say", "name": "say",
        "versionLabel": "v1", "type": "Step", "orgIdentifier": "o", "projectIdentifier": "p",
        "spec": {"type": "ShellScript", "spec": {"shell": "Bash",
            "source": {"type": "Inline", "spec": {"script": "<+input>"}}}}}}));
    sandbox.data("POST", "/template/api/templates", &template);
    let id = sandbox.run("build", "");
    sandbox.pass(60);
    let node = sandbox.node(&id, "notify");
    assert_eq!((&node["stepType"], &node["status"]), (&json!("ShellScript"), &json!("Failed")));
    assert!(node["failureInfo"]["message"].as_str().unwrap().contains("status 3"), "{node}");
    let alone =
        sandbox.data("POST", "/pipeline/api/pipeline/execute/build?stagesToExecute=two", "");
    let alone = alone["planExecution"]["uuid"].as_str().unwrap();
    sandbox.pass(60);
    assert_eq!(sandbox.node(alone, "notify")["stepType"], "Template");
    assert_eq!(sandbox.status(alone), "Success");
}
