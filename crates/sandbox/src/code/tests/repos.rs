use serde_json::{Value, json};

use super::Sandbox;

#[test]
fn a_repository_is_made_read_changed_and_removed() {
    let sandbox = Sandbox::new();
    let made = sandbox.made(
        "POST",
        "/repos",
        json!({"identifier": "r", "description": "d", "readme": true}),
    );
    assert_eq!(made["path"], "Sandbox_Account_000001/o/p/r");
    assert_eq!(made["default_branch"], "main");
    assert_eq!(sandbox.text_of("main", "README.md").unwrap(), "# r\nd\n");
    assert_eq!(sandbox.refused("POST", "/repos", json!({"identifier": "r"})).0, 409);
    let by_path = sandbox.get("/repos/Sandbox_Account_000001%2Fo%2Fp%2Fr");
    assert_eq!(by_path["id"], made["id"]);
    let changed = sandbox.made("PATCH", "/repos/r", json!({"description": "new"}));
    assert_eq!(changed["description"], "new");
    let (status, message) = sandbox.refused("PATCH", "/repos/r", json!({"default_branch": "gone"}));
    assert_eq!((status, message.as_str()), (404, "branch 'gone' not found"));
    sandbox.made("DELETE", "/repos/r", Value::Null);
    assert_eq!(sandbox.refused("GET", "/repos/r", Value::Null).0, 404);
    let again = sandbox.made("POST", "/repos", json!({"identifier": "r"}));
    assert_eq!(again["is_empty"], true, "nothing of the old one is left");
}

#[test]
fn a_bad_identifier_is_refused() {
    let sandbox = Sandbox::new();
    for id in ["", "a b", "a/b", "x.git", "..", "é"] {
        assert_eq!(sandbox.refused("POST", "/repos", json!({"identifier": id})).0, 400, "{id}");
    }
}

#[test]
fn a_list_is_paged_by_headers() {
    let sandbox = Sandbox::new();
    for id in ["a", "b", "c"] {
        sandbox.made("POST", "/repos", json!({"identifier": id}));
    }
    let reply = sandbox.send("GET", "/repos?limit=2&page=1", Value::Null);
    let header = |name: &str| {
        reply.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str()).unwrap_or_default()
    };
    assert_eq!(reply.json().unwrap().as_array().unwrap().len(), 2);
    assert_eq!(
        ["x-page", "x-per-page", "x-next-page", "x-prev-page", "x-total", "x-total-pages"]
            .map(header),
        ["1", "2", "2", "", "3", "2"]
    );
    assert!(header("link").contains("rel=\"next\"") && header("link").contains("page=2"));
    assert_eq!(sandbox.get("/repos?page=9"), json!([]));
    assert_eq!(sandbox.get("/repos?query=B")[0]["identifier"], "b");
    assert_eq!(sandbox.get("/repos?order=desc")[0]["identifier"], "c");
}

#[test]
fn branches_and_tags_come_and_go() {
    let sandbox = Sandbox::with_repo();
    sandbox.branch("feature/x");
    let branch = sandbox.get("/repos/r/branches/feature/x");
    assert_eq!(branch["sha"], sandbox.get("/repos/r/branches/main")["sha"]);
    assert_eq!(sandbox.get("/repos/r/branches/feature%2Fx")["name"], "feature/x");
    let again = json!({"name": "feature/x", "target": "main"});
    assert_eq!(sandbox.refused("POST", "/repos/r/branches", again).0, 409);
    assert_eq!(
        sandbox.refused("POST", "/repos/r/branches", json!({"name": "a..b", "target": "main"})).0,
        400
    );
    assert_eq!(
        sandbox.refused("POST", "/repos/r/branches", json!({"name": "y", "target": "gone"})).0,
        404
    );
    assert_eq!(sandbox.refused("DELETE", "/repos/r/branches/main", Value::Null).0, 400);
    assert_eq!(sandbox.send("DELETE", "/repos/r/branches/feature/x", Value::Null).status, 204);
    assert_eq!(sandbox.get("/repos/r/branches?query=feature"), json!([]));
    let tag = sandbox.made(
        "POST",
        "/repos/r/tags",
        json!({"name": "v1", "target": "main", "message": "First"}),
    );
    assert_eq!(tag["is_annotated"], true);
    assert_eq!(sandbox.get("/repos/r/commits/v1")["sha"], tag["sha"]);
    assert_eq!(
        sandbox.refused("POST", "/repos/r/tags", json!({"name": "v1", "target": "main"})).0,
        409
    );
    assert_eq!(sandbox.send("DELETE", "/repos/r/tags/v1", Value::Null).status, 204);
    assert_eq!(sandbox.refused("DELETE", "/repos/r/tags/v1", Value::Null).0, 404);
}

#[test]
fn rules_are_kept_for_a_repository_and_for_a_space() {
    let sandbox = Sandbox::with_repo();
    let rule = json!({"identifier": "main", "type": "branch", "state": "active",
        "pattern": {"default": true}, "definition": {"lifecycle": {"update_forbidden": true}}});
    sandbox.made("POST", "/repos/r/rules", rule.clone());
    assert_eq!(sandbox.refused("POST", "/repos/r/rules", rule.clone()).0, 409);
    let mut space = rule.clone();
    space["identifier"] = json!("everywhere");
    space["definition"] = json!({"lifecycle": {"delete_forbidden": true}});
    space["pattern"] = json!({"include": ["keep/**"]});
    sandbox.made("POST", "/rules", space);
    assert_eq!(sandbox.get("/repos/r/rules").as_array().unwrap().len(), 1);
    assert_eq!(sandbox.get("/repos/r/rules?inherited=true").as_array().unwrap().len(), 2);
    let push = json!({"title": "t", "branch": "main",
        "actions": [{"action": "CREATE", "path": "b", "payload": ""}]});
    let refused = sandbox.send("POST", "/repos/r/commits", push.clone());
    assert_eq!(refused.status, 422);
    assert_eq!(
        refused.json().unwrap()["violations"][0]["violations"][0]["code"],
        "lifecycle.update"
    );
    let mut dry = push.clone();
    dry["dry_run_rules"] = json!(true);
    let told = sandbox.made("POST", "/repos/r/commits", dry);
    assert_eq!(told["rule_violations"][0]["rule"]["identifier"], "main");
    assert_eq!(sandbox.text_of("main", "b"), None);
    sandbox.branch("keep/this");
    assert_eq!(sandbox.send("DELETE", "/repos/r/branches/keep/this", Value::Null).status, 422);
    sandbox.made("PATCH", "/repos/r/rules/main", json!({"state": "disabled"}));
    sandbox.made("POST", "/repos/r/commits", push);
    assert_eq!(sandbox.send("DELETE", "/repos/r/rules/main", Value::Null).status, 204);
    assert_eq!(sandbox.refused("GET", "/repos/r/rules/main", Value::Null).0, 404);
    let bad = json!({"identifier": "x", "type": "branch", "state": "on", "definition": {}});
    assert!(sandbox.refused("POST", "/rules", bad).1.contains("active, monitor, disabled"));
}

#[test]
fn the_seeded_repositories_tell_a_story() {
    let sandbox = Sandbox::seeded();
    let repos = sandbox.get("/repos");
    assert_eq!(repos.as_array().unwrap().len(), 2);
    let pulls = sandbox.get("/repos/storefront/pullreq?order=asc");
    let states: Vec<&str> =
        pulls.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["merged", "open", "open"]);
    let clash = sandbox.get("/repos/deploy-manifests/pullreq/1");
    assert_eq!(clash["merge_check_status"], "conflict");
    assert_eq!(clash["merge_conflicts"], json!(["storefront/deployment.yaml"]));
}
