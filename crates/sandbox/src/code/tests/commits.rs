use base64::Engine as _;
use serde_json::{Value, json};

use super::Sandbox;

#[test]
fn a_commit_is_made_of_actions() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(
        "main",
        &[
            ("CREATE", "src/b.txt", "b\n"),
            ("UPDATE", "a.txt", "changed\n"),
            ("MOVE", "src/b.txt", "lib/c.txt"),
        ],
    );
    assert_eq!(sandbox.text_of("main", "lib/c.txt").as_deref(), Some("b\n"));
    assert_eq!(sandbox.text_of("main", "src/b.txt"), None);
    sandbox.commit("main", &[("DELETE", "lib", ""), ("PATCH_TEXT", "a.txt", "1:2\u{0}patched")]);
    assert_eq!(sandbox.text_of("main", "a.txt").as_deref(), Some("patched\n"));
    assert_eq!(sandbox.text_of("main", "lib/c.txt"), None);
    let list = sandbox.get("/repos/r/commits?git_ref=main");
    assert_eq!(list["total_commits"], 3);
    let newest = &list["commits"][0];
    assert_eq!(newest["parent_shas"][0], list["commits"][1]["sha"]);
    assert_eq!(newest["author"]["identity"]["email"], "riley.chen@example.com");
    assert!(newest["author"]["when"].as_str().unwrap().ends_with('Z'));
    assert_eq!(newest["sha"].as_str().unwrap().len(), 40);
}

#[test]
fn an_action_that_does_not_fit_is_refused_and_nothing_changes() {
    let sandbox = Sandbox::with_repo();
    let send = |action: Value| {
        let body = json!({"title": "t", "branch": "main", "actions": [action]});
        sandbox.refused("POST", "/repos/r/commits", body).0
    };
    assert_eq!(send(json!({"action": "CREATE", "path": "a.txt", "payload": ""})), 409);
    assert_eq!(send(json!({"action": "CREATE", "path": "a.txt/b", "payload": ""})), 409);
    assert_eq!(send(json!({"action": "UPDATE", "path": "gone", "payload": ""})), 404);
    assert_eq!(
        send(json!({"action": "UPDATE", "path": "a.txt", "payload": "", "sha": "0123456"})),
        412
    );
    assert_eq!(send(json!({"action": "CREATE", "path": "../up", "payload": ""})), 400);
    assert_eq!(
        send(json!({"action": "CREATE", "path": "x", "payload": "%", "encoding": "base64"})),
        400
    );
    assert_eq!(send(json!({"action": "EXPLODE", "path": "a.txt"})), 400);
    assert_eq!(
        sandbox.refused("POST", "/repos/r/commits", json!({"title": "t", "branch": "main"})).0,
        400
    );
    assert_eq!(sandbox.get("/repos/r/commits")["total_commits"], 1);
    let elsewhere = json!({"title": "t", "branch": "gone", "actions": [{"action": "CREATE", "path": "b", "payload": ""}]});
    assert_eq!(sandbox.refused("POST", "/repos/r/commits", elsewhere).0, 404);
}

#[test]
fn a_commit_may_begin_a_branch_and_commits_are_filtered() {
    let sandbox = Sandbox::with_repo();
    sandbox.tick();
    let body = json!({"title": "Branch off", "message": "Because.", "branch": "main", "new_branch": "side",
        "actions": [{"action": "CREATE", "path": "dir/x.bin", "payload": "AAEC", "encoding": "base64"}]});
    let sha =
        sandbox.made("POST", "/repos/r/commits", body)["commit_id"].as_str().unwrap().to_owned();
    assert_eq!(sandbox.get("/repos/r/branches/side")["sha"], sha.as_str());
    let commit = sandbox.get(&format!("/repos/r/commits/{}", &sha[..8]));
    assert_eq!(
        (&commit["title"], &commit["message"]),
        (&json!("Branch off"), &json!("Branch off\n\nBecause."))
    );
    assert_eq!(commit["stats"]["files"][0]["status"], "ADDED");
    assert_eq!(sandbox.get("/repos/r/commits?git_ref=side&path=dir")["total_commits"], 1);
    assert_eq!(sandbox.get("/repos/r/commits?git_ref=side&committer=noor")["total_commits"], 0);
    let now = sandbox.world.now_ms() / 1000;
    assert_eq!(
        sandbox.get(&format!("/repos/r/commits?git_ref=side&since={}", now - 10))["total_commits"],
        1
    );
    assert_eq!(sandbox.refused("GET", "/repos/r/commits?since=soon", Value::Null).0, 400);
    assert_eq!(sandbox.refused("GET", "/repos/r/commits/deadbeef", Value::Null).0, 404);
}

#[test]
fn files_and_directories_are_read() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit("main", &[("CREATE", "src/b.txt", "b\n")]);
    let file = sandbox.get("/repos/r/content/src/b.txt?git_ref=main&include_commit=true");
    let data = file["content"]["data"].as_str().unwrap();
    assert_eq!(base64::engine::general_purpose::STANDARD.decode(data).unwrap(), b"b\n");
    assert_eq!((&file["type"], &file["content"]["size"]), (&json!("file"), &json!(2)));
    assert_eq!(file["latest_commit"]["title"], "Change main");
    let root = sandbox.get("/repos/r/content");
    let names: Vec<&str> = root["content"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["src", "a.txt"]);
    assert_eq!(sandbox.get("/repos/r/content/src")["type"], "dir");
    assert_eq!(sandbox.refused("GET", "/repos/r/content/gone", Value::Null).0, 404);
    let paths = sandbox.get("/repos/r/paths?include_directories=true");
    assert_eq!(paths, json!({"files": ["a.txt", "src/b.txt"], "directories": ["src"]}));
    let old = sandbox.get("/repos/r/commits?path=a.txt")["commits"][0]["sha"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        sandbox.refused("GET", &format!("/repos/r/content/src/b.txt?git_ref={old}"), Value::Null).0,
        404
    );
}

#[test]
fn blame_names_the_commit_of_each_line() {
    let sandbox = Sandbox::with_repo();
    let second = sandbox.commit("main", &[("UPDATE", "a.txt", "one\n2\nthree\nfour\nfive\n")]);
    let parts = sandbox.get("/repos/r/blame/a.txt");
    let told: Vec<usize> = parts
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["lines"].as_array().unwrap().len())
        .collect();
    assert_eq!(told, [1, 1, 3]);
    assert_eq!(parts[1]["commit"]["sha"], second.as_str());
    let some = sandbox.get("/repos/r/blame/a.txt?line_from=2&line_to=3");
    assert_eq!((&some[0]["lines"], &some[1]["lines"]), (&json!(["2"]), &json!(["three"])));
    assert_eq!(sandbox.refused("GET", "/repos/r/blame/a.txt?line_from=9", Value::Null).0, 400);
}

#[test]
fn a_difference_is_told_as_text_or_as_files() {
    let sandbox = Sandbox::with_repo();
    sandbox.branch("side");
    sandbox.commit(
        "side",
        &[("UPDATE", "a.txt", "one\n2\nthree\nfour\nfive\n"), ("CREATE", "b", "x\n")],
    );
    sandbox.commit("main", &[("CREATE", "only-main", "y\n")]);
    let files = sandbox.get("/repos/r/diff/main...side");
    let told: Vec<&str> =
        files.as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(told, ["a.txt", "b"], "main's own change is not part of it");
    assert_eq!((&files[0]["additions"], &files[0]["deletions"]), (&json!(1), &json!(1)));
    let text = sandbox.send_with("GET", "/repos/r/diff/main...side", &Value::Null, "text/plain");
    assert!(String::from_utf8(text.body).unwrap().contains("@@ -1,5 +1,5 @@\n one\n-two\n+2\n"));
    let stats = sandbox.get("/repos/r/diff-stats/main...side");
    assert_eq!(stats, json!({"commits": 1, "files_changed": 2, "additions": 2, "deletions": 1}));
    assert_eq!(sandbox.get("/repos/r/diff/main..side").as_array().unwrap().len(), 3);
    assert_eq!(sandbox.refused("GET", "/repos/r/diff/main", Value::Null).0, 400);
}
