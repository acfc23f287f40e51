use serde_json::{Value, json};

use super::{Sandbox, pipeline, stage, step};

fn asking(spec: Value) -> Sandbox {
    let ask = json!({"step": {"identifier": "ok", "name": "Ship it", "type": "HarnessApproval",
        "timeout": "1h", "spec": spec}});
    Sandbox::with(pipeline("ship", json!([stage("one", json!([ask, step("after")]))])))
}

fn waiting(sandbox: &Sandbox) -> (String, Value) {
    let id = sandbox.run("ship", "");
    sandbox.pass(2);
    let list = approvals(sandbox, &id, "");
    (id, list[0].clone())
}

fn approvals(sandbox: &Sandbox, id: &str, query: &str) -> Value {
    let path = format!("/pipeline/api/v1/orgs/o/projects/p/approvals/execution/{id}?{query}");
    sandbox.send("GET", &path, "").json().unwrap()
}

fn decide(sandbox: &Sandbox, approval: &Value, body: Value) -> (u16, Value) {
    let path =
        format!("/pipeline/api/approvals/{}/harness/activity", approval["id"].as_str().unwrap());
    let reply = sandbox.place("POST", &path, &body.to_string());
    (reply.status, reply.json().unwrap())
}

#[test]
fn an_approved_run_goes_on() {
    let sandbox = asking(
        json!({"approvalMessage": "Ship?", "approvers": {"minimumCount": 1, "userGroups": ["_project_all_users"]}}),
    );
    let (id, approval) = waiting(&sandbox);
    assert_eq!(sandbox.status(&id), "ApprovalWaiting");
    assert_eq!(approval["status"], "WAITING");
    assert_eq!(approval["details"]["approval_message"], "Ship?");
    assert!(approval["deadline"].as_i64().unwrap() > approval["created"].as_i64().unwrap());
    let (status, said) =
        decide(&sandbox, &approval, json!({"action": "APPROVE", "comments": "go"}));
    assert_eq!((status, &said["data"]["approvedByCurrentUser"]), (200, &json!(true)));
    sandbox.pass(60);
    assert_eq!(sandbox.status(&id), "Success");
    let done = approvals(&sandbox, &id, "approval_status=APPROVED");
    assert_eq!(done[0]["details"]["approval_activities"][0]["comments"], "go");
    assert_eq!(approvals(&sandbox, &id, "approval_status=WAITING"), json!([]));
    let (status, said) = decide(&sandbox, &approval, json!({"action": "REJECT"}));
    assert_eq!((status, &said["code"]), (400, &json!("APPROVAL_STEP_NG_ERROR")));
    assert!(said["message"].as_str().unwrap().contains("already completed"));
}

#[test]
fn a_rejection_ends_the_run_and_silence_expires_it() {
    let sandbox = asking(json!({"approvers": {"minimumCount": 2}}));
    let (id, approval) = waiting(&sandbox);
    decide(&sandbox, &approval, json!({"action": "REJECT"}));
    assert_eq!(sandbox.status(&id), "ApprovalRejected");
    let (id, approval) = waiting(&sandbox);
    decide(&sandbox, &approval, json!({"action": "APPROVE"}));
    let (status, said) = decide(&sandbox, &approval, json!({"action": "APPROVE"}));
    assert_eq!(status, 400);
    assert!(said["message"].as_str().unwrap().contains("already decided"), "{said}");
    assert_eq!(sandbox.status(&id), "ApprovalWaiting");
    sandbox.pass(3_700);
    assert_eq!(sandbox.status(&id), "Expired");
}

#[test]
fn who_may_not_decide_is_refused() {
    for (spec, expected) in [
        (json!({"approvers": {"userGroups": ["account.ops"]}}), "none of the approver groups"),
        (json!({"approvers": {"disallowPipelineExecutor": true}}), "started the pipeline"),
        (
            json!({"approverInputs": [{"name": "ticket", "defaultValue": ""}]}),
            "missing approver inputs: ticket",
        ),
    ] {
        let sandbox = asking(spec);
        let (id, approval) = waiting(&sandbox);
        let (status, said) = decide(&sandbox, &approval, json!({"action": "APPROVE"}));
        assert_eq!(status, 400);
        assert!(said["message"].as_str().unwrap().contains(expected), "{said}");
        assert_eq!(sandbox.status(&id), "ApprovalWaiting");
    }
    let sandbox = asking(json!({}));
    let (_, approval) = waiting(&sandbox);
    assert_eq!(decide(&sandbox, &approval, json!({})).1["errors"][0]["fieldId"], "action");
    assert_eq!(decide(&sandbox, &approval, json!({"action": "MAYBE"})).0, 400);
    assert_eq!(decide(&sandbox, &json!({"id": "nope"}), json!({"action": "APPROVE"})).0, 400);
}
