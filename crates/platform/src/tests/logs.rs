use tokio_util::sync::CancellationToken;

use super::client;
use super::script::{Act, Script, ok};
use crate::logs::LogError;

const LINES: &str = "{\"time\":\"2024-01-01T00:00:01Z\",\"level\":\"INFO\",\"out\":\"two\"}\n\
                     {\"time\":\"2024-01-01T00:00:00Z\",\"level\":\"INFO\",\"out\":\"one\"}\n";
const TEXT: &str = "[2024-01-01T00:00:00Z] INFO: one\n[2024-01-01T00:00:01Z] INFO: two";

#[tokio::test]
async fn a_platform_link_is_asked_for_through_the_client() {
    let server = Script::start([ok(LINES)]).await;
    let link = format!("{}/blob", server.base);
    let log = client(&server.base).fetch_log(&link, &CancellationToken::new()).await.unwrap();
    assert_eq!(log.text, TEXT);
    let head = server.seen()[0].to_lowercase();
    assert!(
        head.starts_with(
            "get /gateway/log-service/blob?accountid=acct123&accountidentifier=acct123\
             &routingid=acct123 http/1.1"
        ),
        "{head}"
    );
    assert!(head.contains("x-api-key: pat."));
}

#[tokio::test]
async fn a_storage_link_is_fetched_without_the_credential() {
    let platform = Script::start([]).await;
    let storage = Script::start([ok(LINES)]).await;
    let link = format!("{}/bucket/logs.zip?sig=a%2Fb", storage.base);
    let log = client(&platform.base).fetch_log(&link, &CancellationToken::new()).await.unwrap();
    assert_eq!(log.text, TEXT);
    let head = storage.seen()[0].to_lowercase();
    assert!(head.starts_with("get /bucket/logs.zip?sig=a%2fb http/1.1"), "{head}");
    assert!(!head.contains("x-api-key") && !head.contains("harness-account"), "{head}");
    assert!(platform.seen().is_empty());
}

#[tokio::test]
async fn a_signed_link_of_an_internal_host_is_fetched_from_the_base_without_the_credential() {
    let server = Script::start([ok(LINES)]).await;
    let link = "http://files.internal/storage/b/logs.zip?X-Goog-Signature=s";
    client(&server.base).fetch_log(link, &CancellationToken::new()).await.unwrap();
    let head = server.seen()[0].to_lowercase();
    assert!(head.starts_with("get /storage/b/logs.zip?x-goog-signature=s http/1.1"), "{head}");
    assert!(!head.contains("x-api-key"), "{head}");
}

#[tokio::test]
async fn a_link_elsewhere_is_refused_and_a_failed_download_is_told() {
    let server =
        Script::start([Act::status(403, "<?xml version='1.0'?><Code>Expired</Code>")]).await;
    let client = client(&server.base);
    let cancel = CancellationToken::new();
    let error = client.fetch_log("https://evil.example/x", &cancel).await.unwrap_err();
    assert!(matches!(error, LogError::Link(_)), "{error}");
    let error = client.fetch_log(&format!("{}/blob", server.base), &cancel).await.unwrap_err();
    assert!(error.to_string().contains("403") && !error.to_string().contains('<'), "{error}");
}

#[tokio::test]
async fn a_gzip_file_cut_by_the_server_is_tried_again() {
    let cut = "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"out\":\"half";
    let server = Script::start([Act::raw(cut), Act::bytes(LINES.as_bytes())]).await;
    let link = format!("{}/blob", server.base);
    let log = client(&server.base).fetch_log(&link, &CancellationToken::new()).await.unwrap();
    assert_eq!(log.text, TEXT);
}
