//! Every write leaves a trace.

use serde_json::json;

use crate::client::{STOREFRONT, Shop};

const LIST: &str = "/audit/api/audits/list";

#[tokio::test]
async fn each_write_is_found_with_the_yaml_before_and_after() {
    let shop = Shop::open().await;
    let all = format!("/ng/api/servicesV2?{STOREFRONT}");
    shop.post(&all, json!({"identifier": "tea", "name": "Tea"})).await;
    shop.put(&all, json!({"identifier": "tea", "name": "Green tea"})).await;
    shop.delete(&format!("/ng/api/servicesV2/tea?{STOREFRONT}")).await;
    let wanted = json!({"resources": [{"type": "SERVICE", "identifier": "tea"}]});
    let found = shop.post(LIST, wanted).await;
    let actions: Vec<String> = found
        .at("/data/content")
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["action"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(actions, ["DELETE", "UPDATE", "CREATE"], "newest first");
    let event = found.at("/data/content/1");
    assert_eq!(event["authenticationInfo"]["labels"]["username"], "Riley Chen");
    assert_eq!(event["resourceScope"]["projectIdentifier"], "storefront");
    assert_eq!(event["yaml"], json!(null), "the YAML is in the difference only");
    let diff = shop
        .get(&format!("/audit/api/auditYaml?auditId={}", event["auditId"].as_str().unwrap()))
        .await;
    assert!(diff.at("/data/oldYaml").as_str().unwrap().contains("name: Tea"));
    assert!(diff.at("/data/newYaml").as_str().unwrap().contains("name: Green tea"));
}

#[tokio::test]
async fn a_refused_write_leaves_none() {
    let shop = Shop::open().await;
    let count = async || shop.post(LIST, json!({})).await.at("/data/totalItems");
    let before = count().await;
    shop.post(
        &format!("/ng/api/servicesV2?{STOREFRONT}"),
        json!({"identifier": "web", "name": "W"}),
    )
    .await;
    shop.delete("/ng/api/connectors/docker_hub").await;
    assert_eq!(count().await, before);
}

#[tokio::test]
async fn lists_filter_by_scope_action_and_time() {
    let shop = Shop::open().await;
    let storefront = json!({"scopes": [{"orgIdentifier": "default", "projectIdentifier": "storefront"}],
        "actions": ["UPDATE"]});
    let found = shop.post(LIST, storefront).await;
    let names: Vec<String> = found
        .at("/data/content")
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["resource"]["identifier"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["search", "deploy_web"], "what the seeded world changed lately");
    let recent = shop.post(LIST, json!({})).await.at("/data/totalItems");
    let ever = shop.post(LIST, json!({"startTime": 0})).await.at("/data/totalItems");
    assert!(recent.as_i64() < ever.as_i64(), "without times only the last week is shown");
    assert_eq!(shop.get("/audit/api/auditYaml?auditId=none").await.status, 404);
}
