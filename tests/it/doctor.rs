//! The doctor: what it finds, that it calls nothing, and how it ends.

use std::process::Output;

use checkrein_testkit::Place;
use serde_json::Value;

/// Answers the doctor's requests, whose ids are known, and writes down what it is sent.
const UPSTREAM: &str = r#"
say() { printf '%s\n' "$1"; }
while IFS= read -r line; do
  printf '%s\n' "$line" >> heard.txt
  case "$line" in
    *'"initialize"'*)
      say 'this is no message'
      say '{"jsonrpc":"2.0","id":7,"method":"ping"}'
      say '{"jsonrpc":"2.0","id":"doctor-1","result":{"protocolVersion":"2025-06-18",
        "capabilities":{},"serverInfo":{"name":"scripted","version":"1.2"}}}' ;;
    *'"cursor"'*)
      say '{"jsonrpc":"2.0","id":"doctor-3","result":{"tools":[
        {"name":"create_order","inputSchema":{"properties":{"item":{},"idempotency_key":
          {"description":"The same for every retry"}}},"annotations":{"readOnlyHint":false,
          "destructiveHint":false}},
        {"name":"find_orders","inputSchema":{"properties":{"item":{}}},
          "annotations":{"readOnlyHint":true}},
        {"name":"sync_ledger","inputSchema":{}}]}}' ;;
    *'"tools/list"'*)
      say '{"jsonrpc":"2.0","id":"doctor-2","result":{"nextCursor":"more","tools":[
        {"name":"create_booking","inputSchema":{"properties":{"customer":{}}}},
        {"name":"get_booking","inputSchema":{"properties":{"booking_id":{}},
          "required":["booking_id"]}}]}}' ;;
  esac
done
"#;

/// Messages are one line each, as the protocol wants it; above they are many to be read.
fn upstream() -> String {
    UPSTREAM.replace("\n        ", "").replace("\n          ", "")
}

fn place() -> Place {
    let place = Place::new();
    place.write("upstream.sh", &upstream());
    place
}

/// The text without what differs from run to run.
fn told(place: &Place, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let text = text.replace(&*place.path().to_string_lossy(), "PLACE");
    let mut is_start = false;
    let kept = text.lines().filter(|line| {
        is_start = line.contains("its first answer came") || is_start && line.contains("mend:");
        !is_start
    });
    kept.collect::<Vec<_>>().join("\n")
}

#[test]
fn everything_a_run_depends_on_is_looked_at() {
    let place = place();
    place.write(
        ".mcp.json",
        r#"{"mcpServers": {
            "tried": {"command": "checkrein", "args": ["proxy", "--scenario", "F1",
                "--allow-writes", "--", "sh", "upstream.sh"]},
            "straight": {"command": "/bin/sh", "args": ["upstream.sh"]},
            "another": {"command": "sh", "args": ["other.sh"]}}}"#,
    );
    place.write(".codex/config.toml", "[mcp_servers.another]\ncommand = \"sh\"\n");
    place.write(".cursor/mcp.json", "{ // a comment\n}");
    let arguments =
        ["doctor", "--report-file", "r.json", "--client", "langgraph", "--", "sh", "upstream.sh"];
    let output = place.run(&arguments);
    insta::assert_snapshot!(told(&place, &output));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!place.path().join("r.json").exists(), "looking leaves nothing behind");
}

#[test]
fn no_tool_is_called() {
    let place = place();
    place.run(&["doctor", "--", "sh", "upstream.sh"]);
    let heard = place.read("heard.txt");
    let methods: Vec<_> = heard
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["method"].clone())
        .filter(|method| !method.is_null())
        .collect();
    assert_eq!(methods, ["initialize", "notifications/initialized", "tools/list", "tools/list"]);
}

#[test]
fn programs_get_the_same_as_json() {
    let place = place();
    let output = place.run(&["doctor", "--json", "--", "sh", "upstream.sh"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["schema"], "checkrein.doctor.v1");
    assert!(found["start_ms"].is_u64(), "{found}");
    assert_eq!(found["tools"].as_array().unwrap().len(), 5);
    let findings = found["findings"].as_array().unwrap();
    let key = findings.iter().find(|finding| finding["check"] == "idempotency_key").unwrap();
    assert_eq!(key["level"], "warning");
    assert_eq!(key["tools"], serde_json::json!(["create_booking"]));
    assert!(key["mend"].is_string());
}

#[test]
fn an_upstream_that_starts_slowly_is_a_warning() {
    let place = place();
    place.write("slow.sh", &format!("sleep 0.6\n{}", upstream()));
    let output = place.run(&["doctor", "--client", "codex", "--", "sh", "slow.sh"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let warning = text.lines().find(|line| line.contains("its first answer came")).unwrap();
    assert!(warning.contains("warning"), "{text}");
    assert!(text.contains("set `required = true`"), "{text}");
    assert_eq!(output.status.code(), Some(0), "a warning fails nothing: {text}");
}

#[test]
fn what_makes_a_run_impossible_ends_with_status_1() {
    let place = place();
    place.write("mute.sh", "echo 'no key is set' >&2; exit 4\n");
    place.write("file", "");
    for (arguments, says) in [
        (
            vec!["--", "sh", "mute.sh"],
            "it left before it had answered (exit status: 4); it said: no key is set",
        ),
        (vec!["--", "./no-such-program"], "`./no-such-program` cannot be started"),
        (vec!["--run-dir", "file/run", "--", "sh", "upstream.sh"], "is no directory"),
        (
            vec!["--report-file", "no/r.json", "--", "sh", "upstream.sh"],
            "its directory does not exist",
        ),
        (
            vec!["--write-tools", "nothing_*", "--read-tools", "*", "--", "sh", "upstream.sh"],
            "no tool writes",
        ),
        (vec!["--probe", "find_bookings {}", "--", "sh", "upstream.sh"], "no tool `find_bookings`"),
    ] {
        let output = place.run(&[&["doctor"], arguments.as_slice()].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.contains(says), "{arguments:?}: {text}");
        assert!(text.contains("mend: "), "{arguments:?}: {text}");
    }
}

#[test]
fn what_makes_no_sense_ends_with_status_2() {
    for arguments in [
        vec!["doctor"],
        vec!["doctor", "--jsno", "--", "sh"],
        vec!["doctor", "--client", "cluade-code", "--", "sh"],
        vec!["doctor", "--scenario", "F9", "--", "sh"],
        vec!["doctor", "--scenario", "F1", "--", "sh"],
        vec!["doctor", "--list-scenarios"],
        vec!["doctor", "--upstream-command", "a", "--", "b"],
    ] {
        let output = Place::new().run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_upstream_at_a_url_is_looked_for_in_configurations() {
    let place = Place::new();
    let url = "http://127.0.0.1:9/mcp";
    place.write(
        ".cursor/mcp.json",
        &format!("{{\"mcpServers\": {{\"far\": {{\"url\": \"{url}\"}}}}}}"),
    );
    let output = place.run(&["doctor", "--upstream-url", url]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("failed to connect"), "{text}");
    assert!(text.contains("starts the upstream as `far` without the proxy"), "{text}");
}
