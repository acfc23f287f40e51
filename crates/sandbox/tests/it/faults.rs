//! Every fault switch, seen from the other end of the socket.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Broken, STOREFRONT, Shop};

const PROJECTS: &str = "/ng/api/projects";

fn services() -> String {
    format!("/ng/api/servicesV2?{STOREFRONT}")
}

fn tea() -> Vec<u8> {
    json!({"identifier": "tea", "name": "Tea"}).to_string().into_bytes()
}

async fn is_there(shop: &Shop) -> bool {
    shop.delete("/__sandbox/faults").await;
    shop.get(&format!("/ng/api/servicesV2/tea?{STOREFRONT}")).await.status == 200
}

#[tokio::test]
async fn too_many_requests_come_with_and_without_a_time_to_wait() {
    let shop = Shop::open().await;
    for (said, expected) in
        [(Value::Null, None), (json!(1), Some("1")), (json!("600"), Some("600"))]
    {
        shop.arm(json!({"kind": "429", "retry_after": said, "count": 1})).await;
        let refused = shop.get(PROJECTS).await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, expected));
        assert_eq!(shop.get(PROJECTS).await.status, 200, "once only");
    }
    shop.arm(json!({"kind": "429", "retry_after": "date", "count": 1})).await;
    let refused = shop.get(PROJECTS).await;
    assert_eq!(refused.header("retry-after"), Some("Mon, 30 Nov 2026 10:00:01 GMT"));
}

#[tokio::test]
async fn server_errors_are_json_except_the_page_of_the_gateway() {
    let shop = Shop::open().await;
    for status in [500, 502, 503, 504] {
        shop.arm(
            json!({"kind": status, "method": "POST", "path": "/ng/api/servicesV2", "count": 1}),
        )
        .await;
        let refused = shop.send_with("POST", &services(), &[], &tea()).await.unwrap();
        assert_eq!((refused.status, refused.at("/status")), (status, json!("ERROR")));
    }
    assert!(!is_there(&shop).await, "none of them applied anything");
    shop.arm(json!({"kind": "html_502"})).await;
    let page = shop.get(PROJECTS).await;
    assert_eq!((page.status, page.header("content-type")), (502, Some("text/html")));
    assert!(String::from_utf8_lossy(&page.body).contains("<h1>502 Bad Gateway</h1>"));
}

#[tokio::test]
async fn refusals_of_keys_and_rights_name_their_code() {
    let shop = Shop::open().await;
    shop.arm(json!({"kind": 401, "count": 1})).await;
    let expired = shop.get(PROJECTS).await;
    assert_eq!((expired.status, expired.at("/code")), (401, json!("EXPIRED_TOKEN")));
    shop.arm(json!({"kind": "403", "count": 1})).await;
    let denied = shop.get(&services()).await;
    assert_eq!((denied.status, denied.at("/code")), (403, json!("NG_ACCESS_DENIED")));
    let scope = denied.at("/failedPermissionChecks/0/resourceScope");
    assert_eq!(scope["projectIdentifier"], "storefront");
}

#[tokio::test]
async fn empty_answers_were_applied() {
    for (kind, status) in [("empty_200", 200), ("204", 204)] {
        let shop = Shop::open().await;
        shop.arm(json!({"kind": kind})).await;
        let answer = shop.send_with("POST", &services(), &[], &tea()).await.unwrap();
        assert_eq!((answer.status, answer.body.len()), (status, 0));
        assert!(is_there(&shop).await);
    }
}

#[tokio::test]
async fn a_reset_before_applies_nothing_and_a_reset_after_applies_all() {
    for (kind, applied) in [("reset_before", false), ("reset_after", true)] {
        let shop = Shop::open().await;
        shop.arm(json!({"kind": kind, "path": "/ng/api/**"})).await;
        let broken = shop.send_with("POST", &services(), &[], &tea()).await;
        assert_eq!(broken.unwrap_err(), Broken::NoHead, "{kind}");
        assert_eq!(is_there(&shop).await, applied, "{kind}");
    }
}

#[tokio::test]
async fn a_cut_body_ends_early_and_a_stalled_one_never_comes() {
    for (kind, expected) in [("cut_body", Broken::Cut), ("stall", Broken::Silent)] {
        let shop = Shop::open().await;
        shop.arm(json!({"kind": kind})).await;
        let broken = shop.send_with("POST", &services(), &[], &tea()).await;
        assert_eq!(broken.unwrap_err(), expected);
        assert!(is_there(&shop).await, "{kind} comes after the write");
    }
}

#[tokio::test]
async fn a_stalled_connection_does_not_hold_up_a_stop() {
    let shop = Shop::open().await;
    shop.arm(json!({"kind": "stall"})).await;
    let host = shop.running.url().trim_start_matches("http://").to_owned();
    let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
    let request = b"GET /ng/api/projects HTTP/1.1\r\nhost: x\r\n\r\n";
    tokio::io::AsyncWriteExt::write_all(&mut stream, request).await.unwrap();
    let mut head = [0; 16];
    tokio::io::AsyncReadExt::read_exact(&mut stream, &mut head).await.unwrap();
    let began = Instant::now();
    shop.running.stop().await;
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test]
async fn latency_is_added_and_nothing_else_changes() {
    let shop = Shop::open().await;
    shop.arm(json!({"kind": "latency_ms", "ms": 120})).await;
    let began = Instant::now();
    assert_eq!(shop.get(PROJECTS).await.status, 200);
    assert!(began.elapsed() >= Duration::from_millis(120));
}

#[tokio::test]
async fn a_huge_list_is_about_25_megabytes() {
    let shop = Shop::open().await;
    shop.arm(json!({"kind": "huge_list"})).await;
    let huge = shop.get(PROJECTS).await;
    assert!((24 << 20..28 << 20).contains(&huge.body.len()), "{}", huge.body.len());
    assert_eq!(huge.at("/data/totalItems"), 4, "the total disagrees with the content");
}

/// The link of the log archive of the newest run, polled until it is there.
async fn log_link(shop: &Shop) -> String {
    let runs = format!("/pipeline/api/pipelines/execution/summary?{STOREFRONT}");
    let runs = shop.post(&runs, json!({})).await;
    let run = runs.at("/data/content/0");
    let prefix = format!(
        "Sandbox_Account_000001/pipeline/{}/{}/-{}",
        run["pipelineIdentifier"].as_str().unwrap(),
        run["runSequence"],
        run["planExecutionId"].as_str().unwrap()
    );
    let target = format!(
        "/gateway/log-service/blob/download?accountID=Sandbox_Account_000001&prefix={prefix}"
    );
    for _ in 0..4 {
        let answer = shop.send("POST", &target, "").await;
        if answer.at("/status") == "success" {
            return answer.at("/link").as_str().unwrap().to_owned();
        }
    }
    panic!("the archive was never made");
}

#[tokio::test]
async fn links_of_log_archives_may_have_expired_or_point_inside() {
    let shop = Shop::open().await;
    let path_of = |link: &str| format!("/{}", link.splitn(4, '/').nth(3).unwrap());
    let good = log_link(&shop).await;
    assert!(shop.get(&path_of(&good)).await.body.starts_with(b"PK"));
    shop.arm(json!({"kind": "expired_log_link"})).await;
    let expired = shop.get(&path_of(&log_link(&shop).await)).await;
    assert_eq!(expired.status, 400);
    assert!(String::from_utf8_lossy(&expired.body).contains("ExpiredToken"));
    shop.delete("/__sandbox/faults").await;
    shop.arm(json!({"kind": "internal_log_host"})).await;
    let inside = log_link(&shop).await;
    assert!(inside.starts_with("http://log-service.harness-internal"), "{inside}");
    assert!(shop.get(&path_of(&inside)).await.body.starts_with(b"PK"), "the path is the same");
}

#[tokio::test]
async fn faults_are_listed_with_how_often_they_struck() {
    let shop = Shop::open().await;
    shop.arm(json!([{"kind": "503", "count": 2}, {"kind": "latency_ms", "ms": 1}])).await;
    shop.get(PROJECTS).await;
    let list = shop.get("/__sandbox/faults").await;
    assert_eq!(
        (list.at("/0/struck"), list.at("/0/left"), list.at("/1/struck")),
        (json!(1), json!(1), json!(1))
    );
    let refused = shop.post("/__sandbox/faults", json!({"kind": "odd"})).await;
    assert_eq!(refused.status, 400);
    assert!(refused.at("/error").as_str().unwrap().contains("unknown kind `odd`"));
    assert_eq!(shop.get("/__sandbox/odd").await.status, 404);
}

#[test]
fn the_guide_names_every_fault() {
    let guide = include_str!("../../../../docs/sandbox.md");
    for kind in checkrein_sandbox::fault::KINDS {
        assert!(guide.contains(&format!("`{kind}`")), "{kind}");
    }
}
