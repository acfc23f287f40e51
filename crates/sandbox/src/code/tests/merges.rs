use serde_json::{Value, json};

use super::Sandbox;

/// Branch `side` changes the second line; main adds a file of its own.
fn apart() -> (Sandbox, String) {
    let sandbox = Sandbox::with_repo();
    sandbox.branch("side");
    sandbox.commit("side", &[("CREATE", "b", "b\n")]);
    let head = sandbox.commit("side", &[("UPDATE", "a.txt", "one\n2\nthree\nfour\nfive\n")]);
    sandbox.commit("main", &[("CREATE", "m", "m\n")]);
    sandbox.pull("side");
    (sandbox, head)
}

const MERGE: &str = "/repos/r/pullreq/1/merge";

#[test]
fn each_method_leaves_the_history_it_promises() {
    for (method, parents, commits) in [("merge", 2, 5), ("squash", 1, 3), ("rebase", 1, 4)] {
        let (sandbox, head) = apart();
        let done = sandbox.made("POST", MERGE, json!({"method": method, "source_sha": head}));
        assert_eq!(sandbox.get("/repos/r/branches/main")["sha"], done["sha"]);
        let list = sandbox.get("/repos/r/commits");
        assert_eq!(
            list["commits"][0]["parent_shas"].as_array().unwrap().len(),
            parents,
            "{method}"
        );
        assert_eq!(list["total_commits"], commits, "{method}");
        for (path, text) in [("m", "m\n"), ("b", "b\n"), ("a.txt", "one\n2\nthree\nfour\nfive\n")] {
            assert_eq!(sandbox.text_of("main", path).as_deref(), Some(text), "{method}");
        }
        let pull = sandbox.get("/repos/r/pullreq/1");
        assert_eq!((&pull["state"], &pull["merge_method"]), (&json!("merged"), &json!(method)));
        assert_eq!(pull["merge_sha"], done["sha"]);
        assert_eq!(pull["stats"]["commits"], 2, "{method}");
        let (status, message) =
            sandbox.refused("POST", MERGE, json!({"method": method, "source_sha": head}));
        assert_eq!((status, message.as_str()), (400, "Pull request already merged"));
        assert_eq!(sandbox.refused("PATCH", "/repos/r/pullreq/1", json!({"title": "x"})).0, 400);
    }
}

#[test]
fn a_fast_forward_needs_a_target_that_did_not_move() {
    let (sandbox, head) = apart();
    let wish = json!({"method": "fast-forward", "source_sha": head});
    assert_eq!(sandbox.refused("POST", MERGE, wish).0, 422);
    let sandbox = Sandbox::with_repo();
    sandbox.branch("side");
    let head = sandbox.commit("side", &[("CREATE", "b", "")]);
    sandbox.pull("side");
    let done = sandbox.made(
        "POST",
        MERGE,
        json!({"method": "fast-forward", "source_sha": head, "delete_source_branch": true}),
    );
    assert_eq!((&done["sha"], &done["branch_deleted"]), (&json!(head), &json!(true)));
    assert_eq!(sandbox.refused("GET", "/repos/r/branches/side", Value::Null).0, 404);
    assert_eq!(sandbox.get("/repos/r/pullreq/1")["state"], "merged");
}

#[test]
fn a_merge_names_the_commit_it_was_judged_by() {
    let (sandbox, head) = apart();
    assert!(sandbox.refused("POST", MERGE, json!({"method": "merge"})).1.contains("source SHA"));
    let newer = sandbox.commit("side", &[("CREATE", "c", "")]);
    let (status, message) =
        sandbox.refused("POST", MERGE, json!({"method": "merge", "source_sha": head}));
    assert_eq!(status, 400);
    assert!(message.contains("newer commit") && message.contains(&newer), "{message}");
    assert_eq!(
        sandbox.refused("POST", MERGE, json!({"method": "octopus", "source_sha": newer})).0,
        400
    );
}

#[test]
fn a_draft_or_a_closed_pull_request_is_not_merged() {
    let (sandbox, head) = apart();
    let wish = json!({"method": "merge", "source_sha": head});
    sandbox.made("POST", "/repos/r/pullreq/1/state", json!({"state": "open", "is_draft": true}));
    assert!(sandbox.refused("POST", MERGE, wish.clone()).1.contains("Draft"));
    sandbox.made("POST", "/repos/r/pullreq/1/state", json!({"state": "closed"}));
    assert!(sandbox.refused("POST", MERGE, wish).1.contains("must be open"));
}

#[test]
fn conflicting_files_are_named_and_nothing_moves() {
    let (sandbox, head) = apart();
    sandbox.commit("main", &[("UPDATE", "a.txt", "one\nTWO\nthree\nfour\nfive\n")]);
    let pull = sandbox.get("/repos/r/pullreq/1");
    assert_eq!(
        (&pull["merge_check_status"], &pull["merge_conflicts"]),
        (&json!("conflict"), &json!(["a.txt"]))
    );
    let trial = sandbox.made("POST", MERGE, json!({"method": "merge", "dry_run": true}));
    assert_eq!((&trial["mergeable"], &trial["conflict_files"]), (&json!(false), &json!(["a.txt"])));
    let before = sandbox.get("/repos/r/branches/main")["sha"].clone();
    let refused = sandbox.send("POST", MERGE, json!({"method": "merge", "source_sha": head}));
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json().unwrap()["conflict_files"], json!(["a.txt"]));
    assert_eq!(sandbox.get("/repos/r/branches/main")["sha"], before);
}

#[test]
fn a_trial_changes_nothing() {
    let (sandbox, _) = apart();
    let trial = sandbox.made("POST", MERGE, json!({"dry_run": true}));
    assert_eq!(trial["mergeable"], true);
    assert_eq!(trial["allowed_methods"], json!(["merge", "squash", "rebase", "fast-forward"]));
    assert_eq!(sandbox.get("/repos/r/pullreq/1")["state"], "open");
}

#[test]
fn a_rule_stops_a_merge_until_it_is_met_or_bypassed() {
    let (sandbox, head) = apart();
    let rule = json!({"identifier": "main", "type": "branch", "state": "active", "pattern": {"default": true},
        "definition": {"bypass": {"user_ids": [1]}, "pullreq": {
            "approvals": {"require_minimum_count": 1}, "merge": {"strategies_allowed": ["squash"]}}}});
    sandbox.made("POST", "/repos/r/rules", rule);
    let wish = json!({"method": "squash", "source_sha": head});
    let refused = sandbox.send("POST", MERGE, wish.clone());
    assert_eq!(refused.status, 422);
    let said = refused.json().unwrap();
    let violation = &said["rule_violations"][0];
    assert_eq!(violation["rule"]["identifier"], "main");
    assert_eq!((&violation["bypassable"], &violation["bypassed"]), (&json!(true), &json!(false)));
    assert_eq!(violation["violations"][0]["code"], "pullreq.approvals.require_minimum_count");
    let trial = sandbox.made("POST", MERGE, json!({"dry_run_rules": true}));
    assert_eq!(trial["allowed_methods"], json!(["squash"]));
    let mut bypassing = wish;
    bypassing["bypass_rules"] = json!(true);
    let done = sandbox.made("POST", MERGE, bypassing);
    assert_eq!(done["rule_violations"][0]["bypassed"], true);
}

#[test]
fn a_met_rule_lets_a_seeded_pull_request_through() {
    let sandbox = Sandbox::seeded();
    let path = "/repos/storefront/pullreq/2";
    let sha = sandbox.get(path)["source_sha"].clone();
    let done = sandbox.made(
        "POST",
        &format!("{path}/merge"),
        json!({"method": "squash", "source_sha": sha}),
    );
    assert_eq!(done["rule_violations"], json!([]));
    let sha = sandbox.get("/repos/storefront/pullreq/3")["source_sha"].clone();
    let refused = sandbox.send(
        "POST",
        "/repos/storefront/pullreq/3/merge",
        json!({"method": "squash", "source_sha": sha}),
    );
    assert_eq!(refused.status, 422, "nobody approved it");
}
