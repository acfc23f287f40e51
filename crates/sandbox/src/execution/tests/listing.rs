use serde_json::{Value, json};

use super::{START, Sandbox, pipeline, stage, step};
use crate::execution::{PastRun, recent, seed_history, seed_run};
use crate::scope::Scope;

fn listed(sandbox: &Sandbox, query: &str, body: Value) -> Vec<String> {
    let path = format!("/pipeline/api/pipelines/execution/summary?size=100&{query}");
    let data = sandbox.data("POST", &path, &body.to_string());
    let content = data["content"].as_array().unwrap();
    content.iter().map(|one| one["planExecutionId"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn filters_count_in_the_body_and_in_the_query() {
    let sandbox = Sandbox::with(pipeline("good", json!([stage("one", json!([step("a")]))])));
    sandbox.add(pipeline("bad", json!([stage("one", json!([step("fail")]))])));
    let good = sandbox.run("good", "");
    sandbox.pass(30);
    let bad = sandbox.run("bad", "");
    sandbox.pass(30);
    let late = sandbox.run("good", "");
    sandbox.pass(5);
    let all = listed(&sandbox, "", json!({}));
    assert_eq!(all, [late.clone(), bad.clone(), good.clone()], "newest first");
    assert_eq!(listed(&sandbox, "status=failed", json!({})), [bad.as_str()]);
    assert_eq!(listed(&sandbox, "", json!({"status": ["Success"]})), [good.as_str()]);
    assert_eq!(listed(&sandbox, "status=Running", json!({})), [late.as_str()]);
    assert_eq!(listed(&sandbox, "pipelineIdentifier=bad", json!({})), [bad.as_str()]);
    assert_eq!(
        listed(&sandbox, "", json!({"pipelineIdentifiers": ["good"]})),
        [late.clone(), good.clone()]
    );
    assert_eq!(listed(&sandbox, "searchTerm=the%20bad", json!({})), [bad.as_str()]);
    let range = json!({"timeRange": {"startTime": START + 20_000, "endTime": START + 40_000}});
    assert_eq!(listed(&sandbox, "", range), [bad]);
    assert_eq!(listed(&sandbox, "sort=startTs,ASC", json!({})).first(), Some(&good));
    assert_eq!(
        listed(&sandbox, "", json!({"pipelineTags": [{"key": "team", "value": "ops"}]})),
        Vec::<String>::new()
    );
    let (_, message) =
        sandbox.refusal("POST", "/pipeline/api/pipelines/execution/summary?status=Sucess", "{}");
    assert!(message.contains("ApprovalWaiting") && message.contains("Sucess"), "{message}");
}

#[test]
fn a_page_is_a_spring_page_and_one_past_the_end_is_empty() {
    let sandbox = Sandbox::with(pipeline("good", json!([stage("one", json!([step("a")]))])));
    for _ in 0..3 {
        sandbox.run("good", "");
    }
    let page = sandbox.data("POST", "/pipeline/api/pipelines/execution/summary?page=1&size=2", "");
    assert_eq!(
        (&page["totalElements"], &page["numberOfElements"], &page["last"]),
        (&json!(3), &json!(1), &json!(true))
    );
    let past = sandbox.data("POST", "/pipeline/api/pipelines/execution/summary?page=9", "");
    assert_eq!((&past["content"], &past["empty"]), (&json!([]), &json!(true)));
    let (code, _) = sandbox.refusal("POST", "/pipeline/api/pipelines/execution/summary?size=0", "");
    assert_eq!(code, "INVALID_REQUEST");
}

#[test]
fn notes_are_kept() {
    let sandbox = Sandbox::with(pipeline("good", json!([stage("one", json!([step("a")]))])));
    let id = sandbox.run("good", "");
    let path = format!("/pipeline/api/pipelines/execution/{id}/notes");
    assert_eq!(sandbox.data("PUT", &format!("{path}?notes=nice%20run"), "")["notes"], "nice run");
    assert_eq!(sandbox.data("GET", &path, "")["notes"], "nice run");
    assert_eq!(
        sandbox.execution(&id)["pipelineExecutionSummary"]["notesExistForPlanExecutionId"],
        true
    );
}

#[test]
fn the_past_is_seeded_through_the_same_engine() {
    let ask = json!({"step": {"identifier": "ok", "name": "ok", "type": "HarnessApproval",
        "timeout": "1d", "spec": {"approvers": {"minimumCount": 2, "userGroups": []}}}});
    let sandbox =
        Sandbox::with(pipeline("good", json!([stage("one", json!([step("a"), ask, step("b")]))])));
    let scope = Scope::project("o", "p");
    let until = START - 3_600_000;
    let store = sandbox.world.store();
    let ids = seed_history(&sandbox.world, &store, &scope, "good", 24, until).unwrap();
    drop(store);
    assert_eq!(ids.len(), 24);
    let path = "/pipeline/api/pipelines/execution/summary?size=100";
    let data = sandbox.data("POST", path, "{}");
    let runs = data["content"].as_array().unwrap();
    let count = |status: &str| runs.iter().filter(|run| run["status"] == status).count();
    assert!(count("Success") > 8, "{}", count("Success"));
    assert!(count("Failed") > 1 && count("Aborted") > 0 && count("ApprovalRejected") > 0);
    assert_eq!(
        count("Success") + count("Failed") + count("Aborted") + count("ApprovalRejected"),
        24
    );
    assert!(runs.iter().all(|run| run["endTs"].as_i64().unwrap() < START));
    let sequences: Vec<i64> = runs.iter().map(|run| run["runSequence"].as_i64().unwrap()).collect();
    assert!(sequences.windows(2).all(|pair| pair[0] > pair[1]), "{sequences:?}");
    let store = sandbox.world.store();
    let newest = recent(&sandbox.world, &store, &scope, "good");
    assert_eq!(newest.len(), 10);
    assert_eq!(newest[0]["planExecutionId"], ids[23].as_str());
    let past = PastRun {
        start_ms: until,
        fail: Some(("b".into(), "disk full".into())),
        ..PastRun::default()
    };
    let id = seed_run(&sandbox.world, &store, &scope, "good", &past).unwrap();
    drop(store);
    assert_eq!(
        sandbox.execution(&id)["pipelineExecutionSummary"]["failureInfo"]["message"],
        "disk full"
    );
}
