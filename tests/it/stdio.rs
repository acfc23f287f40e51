//! The server on standard input and output: both eras, bad input, cancellation, leaving.

use std::time::Duration;

use checkrein_testkit::{Asked, Place, Reply, Server, Upstream, answer_of, modern_meta};
use serde_json::{Value, json};

const SERVE: [&str; 2] = ["serve", "stdio"];
/// A client that closed our input expects us to be gone by then; a slow machine gets a little more.
const GONE_WITHIN: Duration = Duration::from_millis(1500);

#[tokio::test]
async fn the_handshake_era_lists_and_calls_tools() {
    let upstream = Upstream::start(pipelines).await;
    let place = account(&upstream);
    let mut server = Server::greeted(&place, &SERVE, json!({})).await;
    let listed = server.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"));
    let listed = server.call("harness_list", json!({"resource_type": "pipeline"})).await;
    assert_eq!(answer_of(&listed)["items"][0]["identifier"], "build");
}

#[tokio::test]
async fn the_stateless_era_starts_with_any_request() {
    let upstream = Upstream::start(pipelines).await;
    let place = account(&upstream);
    let mut server = Server::start(&place, &SERVE);
    let arguments = json!({"resource_type": "pipeline"});
    let params = json!({"name": "harness_list", "arguments": arguments, "_meta": modern_meta()});
    let called = server.request("tools/call", params).await;
    assert_eq!(called["result"]["structuredContent"]["items"][0]["identifier"], "build");
    assert_eq!(called["result"]["resultType"], "complete");
    let found = server.request("server/discover", json!({"_meta": modern_meta()})).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")));
}

#[tokio::test]
async fn one_process_may_be_probed_in_one_era_and_used_in_the_other() {
    let place = place();
    let mut server = Server::start(&place, &SERVE);
    let found = server.request("server/discover", json!({"_meta": modern_meta()})).await;
    assert_eq!(found["result"]["resultType"], "complete");
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let greeted = server.request("initialize", hello).await;
    assert_eq!(greeted["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(greeted["result"]["serverInfo"]["name"], "checkrein");
}

#[tokio::test]
async fn bad_input_is_answered_and_survived() {
    let place = place();
    let mut server = Server::greeted(&place, &SERVE, json!({})).await;
    for (line, code) in [
        ("{", -32700),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":null}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}", -32601),
    ] {
        server.write(line).await;
        assert_eq!(server.read().await["error"]["code"], code, "{line}");
    }
    let unknown = server.call("harness_lsit", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    let wrong = server.call("harness_list", json!({"resource_type": 7})).await;
    assert_eq!(wrong["isError"], true, "{wrong}");
    let pong = server.request("ping", json!({})).await;
    assert_eq!(pong["result"], json!({}));
}

#[tokio::test]
async fn the_end_of_input_ends_the_program_within_a_second() {
    let upstream = Upstream::start(slow).await;
    let place = account(&upstream);
    let mut server = Server::greeted(&place, &SERVE, json!({})).await;
    let arguments = json!({"resource_type": "pipeline"});
    server.begin("tools/call", json!({"name": "harness_list", "arguments": arguments})).await;
    until_asked(&upstream).await;
    let (status, took, _) = server.leave().await;
    assert!(status.success());
    assert!(took < GONE_WITHIN, "{took:?}");
}

#[tokio::test]
async fn a_probe_that_says_nothing_is_no_failure() {
    let place = place();
    let (status, _, complaints) = Server::start(&place, &SERVE).leave().await;
    assert!(status.success(), "{complaints}");
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered_and_others_are() {
    let upstream = Upstream::start(slow).await;
    let place = account(&upstream);
    let mut server = Server::greeted(&place, &SERVE, json!({})).await;
    let arguments = json!({"resource_type": "pipeline"});
    let params = json!({"name": "harness_list", "arguments": arguments});
    let cancelled = server.begin("tools/call", params).await;
    until_asked(&upstream).await;
    let params = json!({"requestId": cancelled, "reason": "enough"});
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": params});
    server.send(&notification).await;
    let described = server.call("harness_describe", json!({})).await;
    assert_ne!(described["isError"], true);
    // The next line would be the cancelled call's, had it been answered.
    let pong = server.begin("ping", json!({})).await;
    assert_eq!(server.read().await["id"], pong);
}

#[tokio::test]
async fn a_client_that_can_ask_is_asked_before_a_delete() {
    let upstream = Upstream::start(deletes).await;
    let place = account(&upstream);
    let server = Server::greeted(&place, &SERVE, json!({"elicitation": {}})).await;
    let mut server = server.answering(json!({"action": "decline"}));
    let delete = json!({"resource_type": "service", "resource_id": "s1"});
    let declined = server.call("harness_delete", delete.clone()).await;
    assert_eq!(declined["isError"], true, "{declined}");
    assert_eq!(server.asked.len(), 1);
    assert!(upstream.asked().is_empty(), "{:?}", upstream.asked());

    let yes = json!({"action": "accept", "content": {"confirm": true}});
    let mut server = server.answering(yes);
    let deleted = server.call("harness_delete", delete).await;
    assert_eq!(answer_of(&deleted)["deleted"], true);
    assert_eq!(upstream.asked().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn being_asked_to_stop_is_leaving() {
    let place = place();
    let server = Server::greeted(&place, &SERVE, json!({})).await;
    let id = server.id().unwrap().to_string();
    let killed = std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(killed.success());
    let (status, took, complaints) = server.leave().await;
    assert!(status.success(), "{complaints}");
    assert!(took < GONE_WITHIN, "{took:?}");
}

/// A place with a key and nobody behind it.
fn place() -> Place {
    Place::new().with("HARNESS_API_KEY", "pat.account.id.secret")
}

/// A place with an account on a scripted platform.
fn account(upstream: &Upstream) -> Place {
    place()
        .with("HARNESS_BASE_URL", upstream.url())
        .with("HARNESS_ALLOW_HTTP", "true")
        .with("HARNESS_ORG", "default")
        .with("HARNESS_PROJECT", "demo")
}

fn pipelines(_asked: &Asked) -> Reply {
    let item = json!({"identifier": "build", "name": "Build"});
    let page = json!({"content": [item], "totalElements": 1});
    Reply::json(200, &json!({"status": "SUCCESS", "data": page}))
}

fn slow(asked: &Asked) -> Reply {
    pipelines(asked).after(Duration::from_secs(30))
}

fn deletes(_asked: &Asked) -> Reply {
    Reply::json(200, &json!({"status": "SUCCESS", "data": Value::Bool(true)}))
}

async fn until_asked(upstream: &Upstream) {
    for _ in 0..1000 {
        if !upstream.asked().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the platform was never asked");
}
