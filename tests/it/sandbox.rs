//! The sandbox alone, and servers in front of it.

use checkrein_testkit::{Place, Sandbox, Server, answer_of};
use serde_json::json;

const SERVE: [&str; 2] = ["serve", "stdio"];

#[tokio::test]
async fn two_servers_in_front_of_one_sandbox_see_the_same_world() {
    let sandbox = Sandbox::start(&Place::new(), &[]).await;
    let place = Place::new().facing(&sandbox);
    let mut one = Server::greeted(&place, &SERVE, json!({})).await;
    let mut two = Server::greeted(&place, &SERVE, json!({})).await;
    let body = json!({"identifier": "shared", "name": "Shared"});
    let created =
        one.call("harness_create", json!({"resource_type": "service", "body": body})).await;
    assert_ne!(created["isError"], true, "{created}");
    let it = json!({"resource_type": "service", "resource_id": "shared"});
    let got = two.call("harness_get", it).await;
    assert_eq!(answer_of(&got)["service"]["name"], "Shared", "{got}");
}

#[tokio::test]
async fn a_world_in_a_directory_outlives_its_sandbox() {
    let home = Place::new();
    let it = json!({"resource_type": "service", "resource_id": "kept"});
    {
        let sandbox = Sandbox::start(&home, &["--data", "world"]).await;
        let place = Place::new().facing(&sandbox);
        let mut server = Server::greeted(&place, &SERVE, json!({})).await;
        let body = json!({"identifier": "kept", "name": "Kept"});
        let create = json!({"resource_type": "service", "body": body});
        let created = server.call("harness_create", create).await;
        assert_ne!(created["isError"], true, "{created}");
        sandbox.kill().await;
    }
    let sandbox = Sandbox::start(&home, &["--data", "world"]).await;
    let place = Place::new().facing(&sandbox);
    let mut server = Server::greeted(&place, &SERVE, json!({})).await;
    let got = server.call("harness_get", it).await;
    assert_ne!(got["isError"], true, "{got}");
}

#[tokio::test]
async fn an_empty_world_has_no_pipelines() {
    let sandbox = Sandbox::start(&Place::new(), &["--seed", "empty"]).await;
    let place = Place::new().facing(&sandbox);
    let mut server = Server::greeted(&place, &SERVE, json!({})).await;
    let list = json!({"resource_type": "project", "resource_scope": "account"});
    let listed = server.call("harness_list", list).await;
    assert_eq!(answer_of(&listed)["items"], json!([]), "{listed}");
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let sandbox = Sandbox::start(&Place::new(), &[]).await;
    let port = sandbox.url().rsplit(':').next().unwrap().to_owned();
    let output = Place::new().run(&["sandbox", "--port", &port]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&port));
}

#[tokio::test]
async fn no_log_shows_the_key() {
    let sandbox = Sandbox::start(&Place::new(), &[]).await;
    let place = Place::new()
        .facing(&sandbox)
        .with("HARNESS_API_KEY", "pat.Sandbox_Account_000001.id.s3cr3t")
        .with("LOG_LEVEL", "debug");
    let mut server = Server::greeted(&place, &SERVE, json!({})).await;
    let listed = server.call("harness_list", json!({"resource_type": "pipeline"})).await;
    assert_ne!(listed["isError"], true, "{listed}");
    let (_, _, complaints) = server.leave().await;
    assert!(!complaints.contains("s3cr3t"), "{complaints}");
}
