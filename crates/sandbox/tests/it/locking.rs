//! Versions: `ETag` out, `If-Match` in.

use serde_json::json;

use crate::client::{STOREFRONT, Shop};

#[tokio::test]
async fn a_write_with_an_old_version_is_refused_and_changes_nothing() {
    let shop = Shop::open().await;
    let all = format!("/ng/api/servicesV2?{STOREFRONT}");
    let one = format!("/ng/api/servicesV2/web?{STOREFRONT}");
    let read = shop.get(&one).await;
    let version = read.header("etag").unwrap().to_owned();
    let change = json!({"identifier": "web", "name": "Mine"}).to_string();
    let send = async |tag: &str| {
        shop.send_with("PUT", &all, &[("if-match", tag)], change.as_bytes()).await.unwrap()
    };
    assert_eq!(send(&version).await.status, 200);
    let stale = send(&version).await;
    assert_eq!((stale.status, stale.at("/code")), (400, json!("OPTIMISTIC_LOCKING_EXCEPTION")));
    assert_eq!(stale.at("/status"), "FAILURE");
    let bare = send("1").await;
    assert_eq!((bare.status, bare.header("etag")), (200, Some("\"2\"")));
    let delete = shop.send_with("DELETE", &one, &[("if-match", "\"0\"")], b"").await.unwrap();
    assert_eq!(delete.at("/code"), "OPTIMISTIC_LOCKING_EXCEPTION");
    assert_eq!(shop.get(&one).await.at("/data/service/name"), "Mine");
}

#[tokio::test]
async fn every_versioned_family_shows_its_version() {
    let shop = Shop::open().await;
    for target in [
        "/ng/api/organizations/atlas".to_owned(),
        "/ng/api/projects/storefront?orgIdentifier=default".to_owned(),
        format!("/ng/api/servicesV2/web?{STOREFRONT}"),
        format!("/ng/api/environmentsV2/staging?{STOREFRONT}"),
        format!("/pipeline/api/pipelines/build_and_test?{STOREFRONT}"),
        format!("/pipeline/api/triggers/on_push?{STOREFRONT}&targetIdentifier=build_and_test"),
    ] {
        assert_eq!(shop.get(&target).await.header("etag"), Some("\"0\""), "{target}");
    }
}
