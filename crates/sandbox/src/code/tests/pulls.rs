use serde_json::{Value, json};

use super::Sandbox;

#[test]
fn a_pull_request_shows_what_it_brings() {
    let sandbox = Sandbox::with_repo();
    sandbox.branch("side");
    let head = sandbox.commit("side", &[("CREATE", "b", "x\ny\n")]);
    let number = sandbox.pull("side");
    let pull = sandbox.get(&format!("/repos/r/pullreq/{number}"));
    assert_eq!(
        (&pull["state"], &pull["merge_check_status"]),
        (&json!("open"), &json!("mergeable"))
    );
    assert_eq!(pull["source_sha"], head.as_str());
    assert_eq!((&pull["stats"]["commits"], &pull["stats"]["additions"]), (&json!(1), &json!(2)));
    assert!(pull.get("closed").is_none());
    let next = sandbox.commit("side", &[("CREATE", "c", "z\n")]);
    let pull = sandbox.get("/repos/r/pullreq/1");
    assert_eq!((&pull["source_sha"], &pull["stats"]["commits"]), (&json!(next), &json!(2)));
    let told = sandbox.get("/repos/r/pullreq/1/activities?kind=system");
    assert_eq!(
        (&told[0]["type"], &told[0]["payload"]["new"]),
        (&json!("branch-update"), &json!(next))
    );
}

#[test]
fn what_cannot_become_a_pull_request_is_refused() {
    let sandbox = Sandbox::with_repo();
    sandbox.branch("side");
    let open = |source: &str| {
        let body = json!({"title": "t", "source_branch": source, "target_branch": "main"});
        sandbox.refused("POST", "/repos/r/pullreq", body)
    };
    assert_eq!(open("main"), (400, "target and source branch can't be the same".to_owned()));
    assert!(open("side").1.contains("new commits"));
    assert_eq!(open("gone").0, 400);
    sandbox.commit("side", &[("CREATE", "b", "")]);
    sandbox.pull("side");
    let again = sandbox.send(
        "POST",
        "/repos/r/pullreq",
        json!({"title": "t", "source_branch": "side", "target_branch": "main"}),
    );
    assert_eq!(again.status, 409);
    let said = again.json().unwrap();
    assert_eq!(
        (&said["values"]["number"], &said["values"]["title"]),
        (&json!(1), &json!("Take side"))
    );
    let untitled = json!({"source_branch": "side", "target_branch": "main"});
    assert_eq!(sandbox.refused("POST", "/repos/r/pullreq", untitled).0, 400);
}

#[test]
fn a_pull_request_is_edited_closed_and_opened_again() {
    let sandbox = Sandbox::with_repo();
    sandbox.branch("side");
    sandbox.commit("side", &[("CREATE", "b", "")]);
    sandbox.pull("side");
    let edited =
        sandbox.made("PATCH", "/repos/r/pullreq/1", json!({"title": "Better", "description": "d"}));
    assert_eq!((&edited["title"], &edited["description"]), (&json!("Better"), &json!("d")));
    let closed = sandbox.made("POST", "/repos/r/pullreq/1/state", json!({"state": "closed"}));
    assert_eq!(closed["state"], "closed");
    assert!(closed["closed"].is_i64());
    assert_eq!(sandbox.get("/repos/r/pullreq?state=open"), json!([]));
    assert_eq!(sandbox.get("/repos/r")["num_closed_pulls"], 1);
    let opened = sandbox.made(
        "POST",
        "/repos/r/pullreq/1/state",
        json!({"state": "open", "is_draft": true}),
    );
    assert_eq!((&opened["state"], &opened["is_draft"]), (&json!("open"), &json!(true)));
    assert_eq!(
        sandbox.refused("POST", "/repos/r/pullreq/1/state", json!({"state": "merged"})).0,
        400
    );
    assert_eq!(sandbox.refused("GET", "/repos/r/pullreq/7", Value::Null).0, 404);
    assert_eq!(sandbox.refused("GET", "/repos/r/pullreq?state=gone", Value::Null).0, 400);
    sandbox.made("DELETE", "/repos/r/branches/side", Value::Null);
    assert_eq!(sandbox.get("/repos/r/pullreq/1")["state"], "closed", "its branch is gone");
    assert_eq!(
        sandbox.refused("POST", "/repos/r/pullreq/1/state", json!({"state": "open"})).0,
        400
    );
}

#[test]
fn reviewers_are_asked_and_decide() {
    let sandbox = Sandbox::seeded();
    let open = "/repos/storefront/pullreq/3";
    let asked = sandbox.made("POST", &format!("{open}/reviewers"), json!({"reviewer_id": 4}));
    assert_eq!(
        (&asked["type"], &asked["review_decision"]),
        (&json!("requested"), &json!("pending"))
    );
    assert_eq!(
        sandbox.refused("POST", &format!("{open}/reviewers"), json!({"reviewer_id": 3})).0,
        400
    );
    assert_eq!(
        sandbox.refused("POST", &format!("{open}/reviewers"), json!({"reviewer_id": 99})).0,
        404
    );
    let sha = sandbox.get(open)["source_sha"].clone();
    sandbox.made(
        "POST",
        &format!("{open}/reviews"),
        json!({"decision": "changereq", "commit_sha": sha}),
    );
    let reviewers = sandbox.get(&format!("{open}/reviewers"));
    assert_eq!(reviewers[1]["review_decision"], "changereq");
    assert_eq!(reviewers[1]["reviewer"]["email"], "riley.chen@example.com");
    assert_eq!(
        sandbox.refused("POST", &format!("{open}/reviews"), json!({"decision": "maybe"})).0,
        400
    );
    let kinds = sandbox.get(&format!("{open}/activities?type=review-submit"));
    assert_eq!(kinds.as_array().unwrap().len(), 1);
    assert_eq!(sandbox.send("DELETE", &format!("{open}/reviewers/4"), Value::Null).status, 204);
}

#[test]
fn nobody_reviews_their_own_work() {
    let sandbox = Sandbox::with_repo();
    sandbox.branch("side");
    sandbox.commit("side", &[("CREATE", "b", "")]);
    sandbox.pull("side");
    let (status, message) =
        sandbox.refused("POST", "/repos/r/pullreq/1/reviews", json!({"decision": "approved"}));
    assert_eq!(status, 400);
    assert!(message.contains("own pull requests"));
}

#[test]
fn comments_are_made_answered_edited_resolved_and_deleted() {
    let sandbox = Sandbox::with_repo();
    sandbox.branch("side");
    sandbox.commit("side", &[("CREATE", "b", "x\n")]);
    sandbox.pull("side");
    let all = "/repos/r/pullreq/1/comments";
    let first = sandbox.made("POST", all, json!({"text": "Why?"}));
    let id = first["id"].as_u64().unwrap();
    let answer = sandbox.made("POST", all, json!({"text": "Because", "parent_id": id}));
    assert_eq!(
        (&answer["parent_id"], &answer["order"], &answer["sub_order"]),
        (&json!(id), &first["order"], &json!(1))
    );
    let code = sandbox.made(
        "POST",
        all,
        json!({"text": "Here", "path": "b", "line_start": 1, "line_end": 1,
        "line_start_new": true, "line_end_new": true}),
    );
    assert_eq!(
        (&code["type"], &code["code_comment"]["line_new"]),
        (&json!("code-comment"), &json!(1))
    );
    assert_eq!(
        sandbox.refused("POST", all, json!({"text": "Here", "path": "gone", "line_start": 1})).0,
        400
    );
    assert_eq!(sandbox.refused("POST", all, json!({"text": " "})).0, 400);
    assert_eq!(sandbox.refused("POST", all, json!({"text": "x", "parent_id": 999})).0, 404);
    let edited = sandbox.made("PATCH", &format!("{all}/{id}"), json!({"text": "How?"}));
    assert_eq!(edited["text"], "How?");
    let stats = || sandbox.get("/repos/r/pullreq/1")["stats"]["unresolved_count"].clone();
    assert_eq!(stats(), json!(2));
    sandbox.made("PUT", &format!("{all}/{id}/status"), json!({"status": "resolved"}));
    assert_eq!(stats(), json!(1));
    let gone = code["id"].as_u64().unwrap();
    assert_eq!(sandbox.send("DELETE", &format!("{all}/{gone}"), Value::Null).status, 204);
    assert_eq!(sandbox.refused("PATCH", &format!("{all}/{gone}"), json!({"text": "x"})).0, 404);
    let told = sandbox.get("/repos/r/pullreq/1/activities?kind=change-comment");
    assert_eq!((&told[0]["text"], told[0]["deleted"].is_i64()), (&json!(""), true));
    assert_eq!(sandbox.get("/repos/r/pullreq/1/activities?limit=1").as_array().unwrap().len(), 1);
}

#[test]
fn checks_are_null_until_one_is_reported() {
    let sandbox = Sandbox::with_repo();
    sandbox.branch("side");
    let sha = sandbox.commit("side", &[("CREATE", "b", "")]);
    sandbox.pull("side");
    let none = sandbox.get("/repos/r/pullreq/1/checks");
    assert_eq!(none, json!({"commit_sha": sha, "checks": null}));
    let path = format!("/repos/r/checks/commits/{sha}");
    sandbox.made("PUT", &path, json!({"identifier": "ci", "status": "running"}));
    sandbox.made("PUT", &path, json!({"identifier": "ci", "status": "success"}));
    let some = sandbox.get("/repos/r/pullreq/1/checks");
    assert_eq!(some["checks"].as_array().unwrap().len(), 1);
    assert_eq!(some["checks"][0]["check"]["status"], "success");
    assert_eq!(sandbox.refused("PUT", &path, json!({"identifier": "ci", "status": "fine"})).0, 400);
}
