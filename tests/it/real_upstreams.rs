//! Servers that nobody here wrote behind the proxy: what it says of careless and careful agents.
//!
//! They need the packages of `tests/clients`, which `cargo xtask setup` installs, so a plain
//! `cargo test` leaves them out and `cargo xtask test` runs them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use checkrein_testkit::{Place, Server, binary};
use serde_json::{Value, json};

/// The proxy as a measurement starts it; the upstream follows.
const PROXY: [&str; 6] = ["proxy", "--scenario", "F1", "--allow-writes", "--audit-tools", "off"];

#[tokio::test]
#[ignore = "needs `cargo xtask setup`"]
async fn the_memory_server_shows_a_careful_agent_what_it_remembers() {
    let write = call(
        "create_entities",
        json!({"entities": [{"name": "Ada", "entityType": "person", "observations": ["calm"]}]}),
    );
    let look = call("search_nodes", json!({"query": "Ada"}));
    for (is_careful, verdict) in [(false, "FAIL"), (true, "PASS")] {
        let place = remembering();
        let report = play(&place, &memory(), &write, is_careful.then_some((&look, "Ada"))).await;
        judged(&report, verdict);
        assert_eq!(place.read("memory.jsonl").matches("\"Ada\"").count(), 1, "it knows a repeat");
    }
}

#[tokio::test]
#[ignore = "needs `cargo xtask setup`"]
async fn the_filesystem_server_edits_twice_for_a_careless_agent() {
    for (is_careful, verdict, left) in [(false, "FAIL", "a++"), (true, "PASS", "a+")] {
        let place = Place::new();
        place.write("files/note.txt", "a");
        let files = place.path().join("files").canonicalize().unwrap();
        let note = files.join("note.txt");
        let edits = json!([{"oldText": "a", "newText": "a+"}]);
        let write = call("edit_file", json!({"path": note, "edits": edits}));
        let look = call("read_text_file", json!({"path": note}));
        let mut upstream = node("server-filesystem");
        upstream.push(files.into());
        let report = play(&place, &upstream, &write, is_careful.then_some((&look, "a+"))).await;
        judged(&report, verdict);
        assert_eq!(place.read("files/note.txt"), left);
    }
}

#[tokio::test]
#[ignore = "needs `cargo xtask setup`"]
async fn the_git_server_stages_twice_for_a_careless_agent() {
    for (is_careful, verdict) in [(false, "FAIL"), (true, "PASS")] {
        let (place, repo) = repository();
        let write = call("git_add", json!({"repo_path": repo, "files": ["second.txt"]}));
        let look = call("git_diff_staged", json!({"repo_path": repo}));
        let look = is_careful.then_some((&look, "second.txt"));
        judged(&play(&place, &git_server(&repo), &write, look).await, verdict);
        assert_eq!(git(&repo, &["diff", "--cached", "--name-only"]), "first.txt\nsecond.txt\n");
    }
}

/// It refuses the second commit with an error that could also follow one, so nobody can say from the
/// answers alone that the agent wrote once.
#[tokio::test]
#[ignore = "needs `cargo xtask setup`"]
async fn a_repeat_that_the_git_server_refuses_is_no_verdict() {
    let (place, repo) = repository();
    let write = call("git_commit", json!({"repo_path": repo, "message": "Add the first"}));
    let report = play(&place, &git_server(&repo), &write, None).await;
    assert_eq!(report["verdict"], "NOT_TESTED", "{report:#}");
    assert_eq!(report["reasons"][0]["code"], "POSSIBLE_DUPLICATE", "{report:#}");
    assert_eq!(git(&repo, &["rev-list", "--count", "HEAD"]).trim(), "1");
}

#[tokio::test]
async fn our_own_server_runs_a_pipeline_twice_for_a_careless_agent() {
    let run = json!({"resource_type": "pipeline", "action": "run", "confirm": true,
        "resource_id": "build_and_test"});
    let write = call("harness_execute", run);
    let list = json!({"resource_type": "execution", "filters": {"pipeline_id": "build_and_test"}});
    let look = call("harness_list", list);
    let upstream: Vec<OsString> =
        vec![binary().into(), "serve".into(), "stdio".into(), "--sandbox".into()];
    for (is_careful, verdict) in [(false, "FAIL"), (true, "PASS")] {
        let look = is_careful.then_some((&look, "build_and_test"));
        judged(&play(&Place::new(), &upstream, &write, look).await, verdict);
    }
}

#[tokio::test]
#[ignore = "needs `cargo xtask setup`"]
async fn two_proxies_of_one_run_lose_one_answer_between_them() {
    let place = remembering();
    let entities = json!({"entities": [
        {"name": "Ada", "entityType": "person", "observations": ["calm"]}]});
    let arguments = proxy(&place, &memory());
    let mut one = Server::greeted(&place, &arguments, json!({})).await;
    let mut other = Server::greeted(&place, &arguments, json!({})).await;
    let lost = one.call("create_entities", entities.clone()).await;
    assert_eq!(lost["isError"], true, "{lost}");
    // An agent that starts a process for each call writes again through the other one.
    let again = other.call("create_entities", entities).await;
    assert_ne!(again["isError"], true, "the fault strikes once in a run: {again}");
    for proxy in [one, other] {
        let (status, _, complaints) = proxy.leave().await;
        assert!(status.success(), "{complaints}");
    }
    let report = report(&place);
    judged(&report, "FAIL");
    assert_eq!(report["operations"].as_array().unwrap().len(), 1, "{report}");
}

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn the_python_sdk_is_judged_like_any_agent() {
    real_client(&installed(".venv/bin/python"), &["sdk_python.py", "legacy"]);
}

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn the_typescript_sdk_is_judged_like_any_agent() {
    real_client(&installed("node_modules/node/bin/node"), &["sdk_v1.mjs"]);
}

/// A real client in front of the proxy. It starts `$CHECKREIN_BIN serve stdio --sandbox`, so what
/// it starts is a script that puts the proxy before that.
fn real_client(program: &Path, arguments: &[&str]) {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let flags = PROXY.map(|flag| format!("'{flag}'")).join(" ");
    let ours = binary();
    place.write(
        "proxied",
        &format!(
            "#!/bin/sh\nexec '{0}' {flags} --run-dir '{1}/run' -- '{0}' \"$@\"\n",
            ours.display(),
            place.path().display()
        ),
    );
    let script = place.path().join("proxied");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let write = call(
        "harness_execute",
        json!({"resource_type": "pipeline", "action": "run", "confirm": true,
            "resource_id": "build_and_test"}),
    );
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(clients())
        .env("CHECKREIN_BIN", script)
        .env("HOME", place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let calls = json!([write.clone(), write]).to_string();
    child.stdin.take().unwrap().write_all(calls.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["results"][0]["isError"], true, "its first answer is lost: {said}");
    assert_ne!(said["results"][1]["isError"], true, "{said}");
    judged(&report(&place), "FAIL");
}

/// Lets an agent make a write whose answer is lost, and gives the report.
///
/// A careful one makes the look-up, and leaves it at that when it finds what it looks for; a
/// careless one writes again.
async fn play(
    place: &Place,
    upstream: &[OsString],
    write: &Value,
    look: Option<(&Value, &str)>,
) -> Value {
    let mut server = Server::greeted(place, &proxy(place, upstream), json!({})).await;
    let lost = made(&mut server, write).await;
    assert_eq!(lost["isError"], true, "the answer is lost: {lost}");
    let is_there = match look {
        Some((look, wanted)) => made(&mut server, look).await.to_string().contains(wanted),
        None => false,
    };
    assert_eq!(is_there, look.is_some(), "who looks finds it");
    if !is_there {
        made(&mut server, write).await;
    }
    let (status, _, complaints) = server.leave().await;
    assert!(status.success(), "{complaints}");
    report(place)
}

async fn made(server: &mut Server, call: &Value) -> Value {
    server.call(call["name"].as_str().unwrap(), call["arguments"].clone()).await
}

fn judged(report: &Value, verdict: &str) {
    assert_eq!(report["verdict"], verdict, "{report:#}");
    let expected = if verdict == "FAIL" { json!("DUPLICATE_EXECUTION") } else { Value::Null };
    assert_eq!(report["reasons"][0]["code"], expected, "{report:#}");
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

fn proxy(place: &Place, upstream: &[OsString]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = PROXY.iter().map(OsString::from).collect();
    arguments.extend(["--run-dir".into(), place.path().join("run").into(), "--".into()]);
    arguments.extend(upstream.iter().cloned());
    arguments
}

fn report(place: &Place) -> Value {
    serde_json::from_str(&place.read("run/report.json")).unwrap()
}

fn memory() -> Vec<OsString> {
    node("server-memory")
}

/// A place where the memory server keeps a file of its own.
fn remembering() -> Place {
    let place = Place::new();
    let file = place.path().join("memory.jsonl").to_string_lossy().into_owned();
    place.with("MEMORY_FILE_PATH", &file)
}

/// A public server on Node.js.
fn node(server: &str) -> Vec<OsString> {
    let script = format!("node_modules/@modelcontextprotocol/{server}/dist/index.js");
    vec![installed("node_modules/node/bin/node").into(), installed(&script).into()]
}

fn git_server(repo: &Path) -> Vec<OsString> {
    let python = installed(".venv/bin/python").into();
    vec![python, "-m".into(), "mcp_server_git".into(), "--repository".into(), repo.into()]
}

/// A repository with one file to commit and another to stage.
fn repository() -> (Place, PathBuf) {
    let place = Place::new();
    place.write("repo/first.txt", "one\n");
    place.write("repo/second.txt", "two\n");
    let repo = place.path().join("repo").canonicalize().unwrap();
    for arguments in [
        ["init", "--quiet", "."].as_slice(),
        &["config", "user.name", "Tester"],
        &["config", "user.email", "tester@localhost"],
        &["add", "first.txt"],
    ] {
        git(&repo, arguments);
    }
    (place, repo)
}

fn git(repo: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(repo).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn installed(path: &str) -> PathBuf {
    let path = clients().join(path);
    assert!(path.exists(), "`{}` is missing: run `cargo xtask setup`", path.display());
    path
}

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("clients")
}
