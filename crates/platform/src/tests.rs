//! The client against a server that answers by script, byte by byte.

use std::time::{Duration, Instant};

use checkrein_catalog::model::{Method, Retry, Risk};
use checkrein_catalog::request::{WireBody, WireRequest};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{Client, Kind, Options, Outcome, Secret};

mod logs;
mod script;

use script::{Act, Script, ok};

fn client(base_url: &str) -> Client {
    Client::new(Options {
        base_url: base_url.to_owned(),
        account: "acct123".to_owned(),
        credential: Secret::new("pat.acct123.t.s"),
        timeout: Duration::from_secs(5),
        max_retries: 2,
        rate_per_second: 0,
        log_bodies: false,
    })
    .unwrap()
    .hasty()
}

fn impatient(base_url: &str) -> Client {
    Client::new(Options {
        base_url: base_url.to_owned(),
        account: "acct123".to_owned(),
        credential: Secret::new("pat.acct123.t.s"),
        timeout: Duration::from_millis(150),
        max_retries: 1,
        rate_per_second: 0,
        log_bodies: false,
    })
    .unwrap()
    .hasty()
}

fn get(path: &str) -> WireRequest {
    WireRequest {
        method: Method::Get,
        path: path.to_owned(),
        query: Vec::new(),
        headers: Vec::new(),
        body: WireBody::None,
        retry: Retry::Safe,
        risk: Risk::Read,
        binary: false,
    }
}

fn post(path: &str) -> WireRequest {
    let body = WireBody::Json(b"{\"a\":1}".to_vec());
    let (method, retry, risk) = (Method::Post, Retry::Never, Risk::MediumWrite);
    WireRequest { method, body, retry, risk, ..get(path) }
}

fn put(path: &str) -> WireRequest {
    WireRequest { method: Method::Put, retry: Retry::Safe, ..post(path) }
}

async fn send(client: &Client, request: &WireRequest) -> Result<crate::Reply, crate::ApiError> {
    client.send(request, &CancellationToken::new()).await
}

#[tokio::test]
async fn a_request_leaves_exactly_as_it_was_built() {
    let server = Script::start([ok("{}"), ok("{}")]).await;
    let mut request = post("/ng/query-service/a%2Fb/%2e%2e/x//%25");
    request.query = vec![("q".into(), "a b/ü".into()), ("q".into(), "&=".into())];
    request.headers = vec![("Accept".into(), "text/x".into())];
    send(&client(&format!("{}/", server.base)), &request).await.unwrap();
    send(&client(&format!("{}/ng/", server.base)), &get("/ng/api/x")).await.unwrap();
    let seen = server.seen();
    let head = seen[0].to_lowercase();
    assert!(
        seen[0].starts_with(
            "POST /ng/query-service/a%2Fb/%2e%2e/x//%25?q=a%20b%2F%C3%BC&q=%26%3D HTTP/1.1\r\n"
        ),
        "{head}"
    );
    for header in [
        "x-api-key: pat.acct123.t.s\r\n",
        "harness-account: acct123\r\n",
        "x-tenant-id: acct123\r\n",
        "accept: text/x\r\n",
        "content-type: application/json\r\n",
        "content-length: 7\r\n",
        "user-agent: checkrein/",
    ] {
        assert!(head.contains(header), "{header} in {head}");
    }
    assert!(seen[0].ends_with("\r\n\r\n{\"a\":1}"));
    assert!(seen[1].starts_with("GET /ng/api/x HTTP/1.1\r\n"), "{}", seen[1]);
    assert!(!seen[1].contains("x-tenant-id"));
    assert!(seen[1].to_lowercase().contains("accept: application/json"));
}

#[tokio::test]
async fn an_empty_body_has_its_length_and_type() {
    let server = Script::start([ok("{}")]).await;
    let text = WireBody::Text { media_type: "application/yaml".into(), text: String::new() };
    send(&client(&server.base), &WireRequest { body: text, ..post("/x") }).await.unwrap();
    let head = server.seen()[0].to_lowercase();
    assert!(head.contains("content-length: 0\r\n"), "{head}");
    assert!(head.contains("content-type: application/yaml\r\n"), "{head}");
}

#[tokio::test]
async fn a_request_that_may_be_repeated_is_tried_again() {
    for trouble in [
        Act::status(500, "{\"message\":\"m\"}"),
        Act::status(503, "<html>down</html>"),
        Act::status(429, "{}"),
        Act::Close,
        Act::Reset,
        Act::raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"a\""),
    ] {
        let server = Script::start([trouble, ok("{\"a\":1}")]).await;
        let reply = send(&client(&server.base), &put("/x")).await.unwrap();
        assert_eq!(reply.json().unwrap(), json!({"a": 1}));
        assert_eq!(reply.outcome, Some(Outcome::Applied));
        assert_eq!(server.seen().len(), 2);
    }
}

#[tokio::test]
async fn retries_end_and_the_error_counts_them() {
    let server = Script::start([0; 3].map(|_| Act::status(500, "{\"message\":\"m\"}"))).await;
    let error = send(&client(&server.base), &get("/x")).await.unwrap_err();
    assert_eq!(error.to_string(), "the platform answered 500: m; gave up after 3 attempts");
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn a_request_that_may_not_be_repeated_is_sent_once() {
    for (trouble, kind, outcome) in [
        (Act::status(500, "{}"), Kind::Status, Outcome::Unknown),
        (Act::status(429, "{}"), Kind::RateLimited, Outcome::NotApplied),
        (Act::status(400, "{\"message\":\"m\"}"), Kind::Status, Outcome::NotApplied),
        (Act::status(302, ""), Kind::Redirected, Outcome::Unknown),
        (Act::Close, Kind::Lost, Outcome::Unknown),
        (Act::Reset, Kind::Lost, Outcome::Unknown),
        (
            Act::raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"a\""),
            Kind::Lost,
            Outcome::Unknown,
        ),
        (
            Act::raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"a\""),
            Kind::Cut,
            Outcome::Unknown,
        ),
        (ok("<html>login</html>"), Kind::Html, Outcome::Unknown),
        (ok("hello"), Kind::NotJson, Outcome::Unknown),
        (Act::raw("nonsense\r\n\r\n"), Kind::Lost, Outcome::Unknown),
    ] {
        let server = Script::start([trouble]).await;
        let error = send(&client(&server.base), &post("/x")).await.unwrap_err();
        assert_eq!((error.kind, error.outcome), (kind, Some(outcome)), "{error}");
        assert_eq!((server.seen().len(), error.attempts), (1, 1), "{error}");
    }
}

#[tokio::test]
async fn a_doubt_from_the_first_attempt_stays() {
    let server = Script::start([Act::Close, Act::status(404, "{\"message\":\"gone\"}")]).await;
    let error = send(&client(&server.base), &put("/x")).await.unwrap_err();
    assert_eq!((error.status, error.outcome), (Some(404), Some(Outcome::Unknown)));
}

#[tokio::test]
async fn a_long_retry_after_is_told_and_not_waited_for() {
    let server = Script::start([Act::raw(
        "HTTP/1.1 429 Slow\r\nRetry-After: 600\r\nContent-Length: 0\r\n\r\n",
    )])
    .await;
    let error = send(&client(&server.base), &get("/x")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the platform answered 429: too many requests; it asks to wait 600 s"
    );
    assert_eq!(error.retry_after, Some(Duration::from_secs(600)));
}

#[tokio::test]
async fn a_short_retry_after_is_waited_for() {
    let slow = "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
    let server = Script::start([Act::raw(slow), ok("{}")]).await;
    let started = Instant::now();
    send(&client(&server.base), &get("/x")).await.unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_refused_connection_is_not_tried_again() {
    let base = script::closed_port().await;
    let error = send(&client(&base), &put("/x")).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (Kind::NotReached, Some(Outcome::NotApplied)));
    assert_eq!((error.attempts, error.nearest_status()), (1, 502));
}

#[tokio::test]
async fn an_unknown_host_and_a_server_without_tls_are_not_reached() {
    let error = send(&client("http://no-such-host.invalid"), &post("/x")).await.unwrap_err();
    assert_eq!(error.outcome, Some(Outcome::NotApplied));
    // Without a network the resolver may take longer than the deadline to say so.
    let told = error.message.contains("`no-such-host.invalid` was not found");
    assert!(told || error.kind == Kind::TimedOut, "{error}");
    let server = Script::start([Act::Close]).await;
    let secure = server.base.replace("http://", "https://");
    let error = send(&client(&secure), &post("/x")).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (Kind::NotReached, Some(Outcome::NotApplied)));
}

#[tokio::test]
async fn a_platform_that_never_answers_meets_the_deadline() {
    let server = Script::start([Act::Hang]).await;
    let error = send(&impatient(&server.base), &post("/x")).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (Kind::TimedOut, Some(Outcome::Unknown)));
    assert_eq!(error.nearest_status(), 408);
    assert!(error.message.starts_with("no answer from the platform within 150 ms"), "{error}");

    let server = Script::start([Act::Hang, ok("{}")]).await;
    send(&impatient(&server.base), &get("/x")).await.unwrap();
}

#[tokio::test]
async fn a_body_that_stalls_meets_the_deadline() {
    let stall = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"a\"";
    let server = Script::start([Act::Stall(stall.into())]).await;
    let error = send(&impatient(&server.base), &post("/x")).await.unwrap_err();
    assert_eq!((error.kind, error.status), (Kind::TimedOut, Some(200)));
    assert!(error.message.contains("rest of the reply"), "{error}");
    assert_eq!(error.outcome, Some(Outcome::Unknown));
}

#[tokio::test]
async fn a_huge_reply_is_refused() {
    let huge = format!("[{}]", "0,".repeat(crate::MAX_JSON_BODY / 2));
    let server = Script::start([ok(&huge)]).await;
    let error = send(&client(&server.base), &get("/x")).await.unwrap_err();
    assert_eq!(error.kind, Kind::TooLarge);
    assert!(error.to_string().len() < 200);
}

#[tokio::test]
async fn cancelling_ends_a_call_and_a_pause_at_once() {
    let server = Script::start([Act::Hang]).await;
    let cancel = CancellationToken::new();
    let (client, request) = (client(&server.base), post("/x"));
    let call = client.send(&request, &cancel);
    let stop = async {
        server.saw(1).await;
        cancel.cancel();
    };
    let (error, ()) = tokio::join!(call, stop);
    let error = error.unwrap_err();
    assert_eq!((error.kind, error.outcome), (Kind::Cancelled, Some(Outcome::Unknown)));

    let wait = "HTTP/1.1 503 Busy\r\nRetry-After: 50\r\nContent-Length: 0\r\n\r\n";
    let server = Script::start([Act::raw(wait)]).await;
    let cancel = CancellationToken::new();
    let (client, request) = (super::tests::client(&server.base), put("/x"));
    let call = client.send(&request, &cancel);
    let stop = async {
        server.saw(1).await;
        cancel.cancel();
    };
    let (error, ()) = tokio::join!(call, stop);
    assert_eq!(error.unwrap_err().kind, Kind::Cancelled);

    let error = client.send(&request, &cancel).await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (Kind::Cancelled, Some(Outcome::NotApplied)));
}

#[tokio::test]
async fn a_connection_is_used_again_and_a_closed_one_is_replaced() {
    let closing = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    let server = Script::start([ok("{}"), ok("{}"), Act::raw(closing), ok("{}")]).await;
    let client = client(&server.base);
    for _ in 0..4 {
        send(&client, &post("/x")).await.unwrap();
    }
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn an_empty_reply_is_a_success_without_content() {
    let server = Script::start([Act::raw("HTTP/1.1 204 No Content\r\n\r\n")]).await;
    let reply = send(&client(&server.base), &post("/x")).await.unwrap();
    assert_eq!(reply.json().unwrap(), json!({"status": "SUCCESS", "message": "No content"}));
}

#[tokio::test]
async fn nothing_shows_the_credential() {
    let base = script::closed_port().await;
    let client = client(&base);
    let error = send(&client, &post("/x")).await.unwrap_err();
    assert!(!format!("{client:?} {error:?} {error}").contains("pat."));
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_an_error_without_its_value() {
    let request = WireRequest { headers: vec![("x".into(), "a\r\nb: c".into())], ..post("/x") };
    let error = send(&client("http://localhost:9"), &request).await.unwrap_err();
    assert_eq!(error.kind, Kind::Unsendable);
    assert!(!error.to_string().contains("b: c"));
}
