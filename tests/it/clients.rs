//! Real clients: each lists the tools and runs a pipeline on the sandbox.
//!
//! They need the packages of `tests/clients`, which `cargo xtask setup` installs, so a plain
//! `cargo test` leaves them out and `cargo xtask test` runs them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const TOOLS: [&str; 7] = [
    "harness_create",
    "harness_delete",
    "harness_describe",
    "harness_execute",
    "harness_get",
    "harness_list",
    "harness_update",
];

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn the_inspector_finds_no_fault_in_the_tools() {
    let listed = inspector(&["--strict", "--method", "tools/list"]);
    assert_eq!(names(&listed["tools"]), TOOLS);
}

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn the_inspector_runs_a_pipeline() {
    runs_a_pipeline(&inspector_talk);
}

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn the_first_typescript_sdk_runs_a_pipeline() {
    runs_a_pipeline(&|calls| script(&node(), &["sdk_v1.mjs"], calls));
}

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn the_second_typescript_sdk_runs_a_pipeline() {
    runs_a_pipeline(&|calls| script(&node(), &["sdk_v2.mjs", "legacy"], calls));
}

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn the_second_typescript_sdk_runs_a_pipeline_in_the_era_it_negotiates() {
    runs_a_pipeline(&|calls| script(&node(), &["sdk_v2.mjs", "auto"], calls));
}

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn the_python_sdk_runs_a_pipeline() {
    runs_a_pipeline(&|calls| script(&python(), &["sdk_python.py", "legacy"], calls));
}

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn the_python_sdk_runs_a_pipeline_in_the_era_it_negotiates() {
    runs_a_pipeline(&|calls| script(&python(), &["sdk_python.py", "auto"], calls));
}

#[test]
#[ignore = "needs `cargo xtask setup`"]
fn a_client_that_can_ask_is_asked_before_a_delete() {
    let pipeline = first_pipeline(&script(&node(), &["sdk_v1.mjs"], &[list_pipelines()]));
    let delete = json!({ "resource_type": "pipeline", "resource_id": pipeline });
    let get = json!({ "resource_type": "pipeline", "resource_id": pipeline });
    let calls = [call("harness_delete", delete), call("harness_get", get)];
    let said = script(&node(), &["sdk_v1.mjs"], &calls);
    let asked = said["asked"].as_array().unwrap();
    assert_eq!(asked.len(), 1, "{said}");
    assert!(asked[0].as_str().unwrap().contains(&pipeline), "{said}");
    assert_ne!(said["results"][0]["isError"], true, "{said}");
    assert_eq!(said["results"][1]["isError"], true, "it is still there: {said}");
}

/// Makes calls with one client and gives `{tools, results}` as the client saw them.
type Talk<'a> = &'a dyn Fn(&[Value]) -> Value;

/// The story each client plays: which pipelines are there, run one and wait, see it among the runs.
fn runs_a_pipeline(talk: Talk) {
    let said = talk(&[list_pipelines()]);
    assert_eq!(names(&said["tools"]), TOOLS);
    let pipeline = first_pipeline(&said);

    let run = json!({
        "resource_type": "pipeline",
        "action": "run",
        "resource_id": pipeline,
        "confirm": true,
        "wait": true,
        "wait_poll_interval_seconds": 2,
    });
    let said = talk(&[call("harness_execute", run)]);
    let ran = content(&said["results"][0]);
    assert_eq!(ran["execution_status"], "Success", "{ran}");
    assert_eq!(ran["execution_terminal"], true, "{ran}");
    assert!(ran["execution_id"].as_str().is_some_and(|id| !id.is_empty()), "{ran}");
}

fn list_pipelines() -> Value {
    call("harness_list", json!({ "resource_type": "pipeline" }))
}

fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

/// The first pipeline of a list that succeeds on its own.
fn first_pipeline(said: &Value) -> String {
    let listed = content(&said["results"][0]);
    let items = listed["items"].as_array().unwrap();
    assert!(items.len() > 1, "{listed}");
    assert_eq!(listed["total"].as_u64(), Some(items.len() as u64), "{listed}");
    let ready = |item: &&Value| item["tags"]["demo"] == "ready";
    let item = items.iter().find(ready).unwrap_or_else(|| panic!("no pipeline is ready: {listed}"));
    item["identifier"].as_str().unwrap().to_owned()
}

/// The structured result, which the text must repeat, because some models see only one of them.
fn content(result: &Value) -> &Value {
    assert_ne!(result["isError"], true, "{result}");
    let structured = &result["structuredContent"];
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *structured);
    structured
}

fn names(tools: &Value) -> Vec<&str> {
    let tools = tools.as_array().unwrap();
    let mut names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

/// The Inspector makes one call per process, so each one finds a sandbox of its own.
fn inspector_talk(calls: &[Value]) -> Value {
    let results = calls.iter().map(|call| {
        let arguments = call["arguments"].to_string();
        let name = call["name"].as_str().unwrap();
        inspector(&["--method", "tools/call", "--tool-name", name, "--tool-args-json", &arguments])
    });
    let results: Vec<_> = results.collect();
    json!({ "tools": inspector(&["--method", "tools/list"])["tools"], "results": results })
}

fn inspector(arguments: &[&str]) -> Value {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(node());
    command.arg(clients().join("node_modules/.bin/mcp-inspector")).arg("--cli").args(arguments);
    command.args(["--format", "json", "--quiet", "--"]).arg(checkrein());
    command.args(["serve", "stdio", "--sandbox"]).env("HOME", home.path()).stdin(Stdio::null());
    read(&command.output().unwrap())["result"].take()
}

/// Gives the calls to a script on its standard input and reads the line it prints.
fn script(program: &Path, arguments: &[&str], calls: &[Value]) -> Value {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(clients()).env("CHECKREIN_BIN", checkrein());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(json!(calls).to_string().as_bytes()).unwrap();
    read(&child.wait_with_output().unwrap())
}

fn read(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{said}\n{complaint}", output.status);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}\n{complaint}"))
}

fn node() -> PathBuf {
    installed("node_modules/node/bin/node")
}

fn python() -> PathBuf {
    installed(".venv/bin/python")
}

fn installed(path: &str) -> PathBuf {
    let path = clients().join(path);
    assert!(path.exists(), "`{}` is missing: run `cargo xtask setup`", path.display());
    path
}

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("clients")
}

/// The program under test: the one that `CHECKREIN_BIN` names, else the one built beside the tests.
fn checkrein() -> PathBuf {
    std::env::var_os("CHECKREIN_BIN").map_or_else(
        || std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("checkrein"),
        PathBuf::from,
    )
}
