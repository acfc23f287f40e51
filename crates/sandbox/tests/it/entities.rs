//! What is written can be read, and how each family shows it.

use serde_json::json;

use crate::client::{STOREFRONT, Shop};

#[tokio::test]
async fn a_service_lives_from_create_to_delete() {
    let shop = Shop::open().await;
    let (all, one) = (
        format!("/ng/api/servicesV2?{STOREFRONT}"),
        format!("/ng/api/servicesV2/tea?{STOREFRONT}"),
    );
    let tea = json!({"identifier": "tea", "name": "Tea", "description": "d", "tags": {"a": "b"}});
    let made = shop.post(&all, tea).await;
    assert_eq!(made.at("/status"), "SUCCESS");
    assert_eq!(made.at("/data/service/projectIdentifier"), "storefront");
    assert_eq!(made.header("etag"), Some("\"0\""));
    // An update replaces: what it does not say is cleared.
    let changed = shop.put(&all, json!({"identifier": "tea", "name": "Green tea"})).await;
    assert_eq!(changed.header("etag"), Some("\"1\""));
    let read = shop.get(&one).await;
    assert_eq!(read.at("/data/service/name"), "Green tea");
    assert_eq!(
        (read.at("/data/service/description"), read.at("/data/service/tags")),
        (json!(null), json!({}))
    );
    assert_eq!(shop.delete(&one).await.at("/data"), true);
    let gone = shop.get(&one).await;
    assert_eq!((gone.status, gone.at("/code")), (404, json!("ENTITY_NOT_FOUND")));
}

#[tokio::test]
async fn an_update_of_an_unknown_service_is_an_invalid_request_but_an_upsert_makes_it() {
    let shop = Shop::open().await;
    let body = json!({"identifier": "tea", "name": "Tea"});
    let refused = shop.put(&format!("/ng/api/servicesV2?{STOREFRONT}"), body.clone()).await;
    assert_eq!((refused.status, refused.at("/code")), (400, json!("INVALID_REQUEST")));
    let upsert = format!("/ng/api/servicesV2/upsert?{STOREFRONT}");
    assert_eq!(shop.put(&upsert, body.clone()).await.header("etag"), Some("\"0\""));
    assert_eq!(shop.put(&upsert, body).await.header("etag"), Some("\"1\""));
}

#[tokio::test]
async fn an_environment_takes_its_infrastructures_with_it() {
    let shop = Shop::open().await;
    let list = format!("/ng/api/infrastructures?{STOREFRONT}&environmentIdentifier=staging");
    assert_eq!(
        shop.get(&list).await.at("/data/content/0/infrastructure/identifier"),
        "staging_cluster"
    );
    let environment = format!("/ng/api/environmentsV2/staging?{STOREFRONT}");
    let refused = shop.delete(&environment).await;
    assert_eq!(refused.at("/code"), "ENTITY_REFERENCE_EXCEPTION", "a pipeline deploys to it");
    assert_eq!(shop.delete(&format!("{environment}&forceDelete=true")).await.status, 200);
    assert_eq!(shop.get(&list).await.at("/data/totalItems"), 0);
}

#[tokio::test]
async fn infrastructures_need_their_environment_to_be_named() {
    let shop = Shop::open().await;
    let refused = shop.get(&format!("/ng/api/infrastructures?{STOREFRONT}")).await;
    assert_eq!(refused.at("/errors/0/fieldId"), "environmentIdentifier");
}

#[tokio::test]
async fn a_failed_connection_test_is_a_success_of_http() {
    let shop = Shop::open().await;
    let test = |id: &str| format!("/ng/api/connectors/testConnection/{id}");
    let good = shop.send("POST", &test("github_main"), "").await;
    assert_eq!((good.status, good.at("/data/status")), (200, json!("SUCCESS")));
    let bad = shop.send("POST", &test("old_artifactory"), "").await;
    assert_eq!((bad.status, bad.at("/data/status")), (200, json!("FAILURE")));
    assert_eq!(bad.at("/data/errors/0/message"), "Connection refused");
    let none = shop.send("POST", &test("nothing"), "").await;
    assert_eq!((none.status, none.at("/code")), (400, json!("CONNECTOR_NOT_FOUND_EXCEPTION")));
}

#[tokio::test]
async fn the_built_in_secret_manager_cannot_be_changed() {
    let shop = Shop::open().await;
    let read = shop.get("/ng/api/connectors/harnessSecretManager").await;
    assert_eq!(read.at("/data/harnessManaged"), true);
    let refused = shop.delete("/ng/api/connectors/harnessSecretManager?forceDelete=true").await;
    assert_eq!(refused.status, 400);
    assert!(refused.at("/message").as_str().unwrap().contains("managed by the platform"));
}

#[tokio::test]
async fn a_connector_in_use_is_kept_unless_forced() {
    let shop = Shop::open().await;
    let refused = shop.delete("/ng/api/connectors/docker_hub").await;
    assert_eq!((refused.status, refused.at("/code")), (400, json!("ENTITY_REFERENCE_EXCEPTION")));
    assert!(
        refused.at("/message").as_str().unwrap().contains("referenced in 3 entities"),
        "{}",
        refused.json()
    );
    assert_eq!(shop.delete("/ng/api/connectors/docker_hub?forceDelete=true").await.status, 200);
}

#[tokio::test]
async fn the_value_of_a_secret_is_never_kept() {
    let shop = Shop::open().await;
    let secret = json!({"secret": {"identifier": "s", "name": "S", "type": "SecretText", "spec": {
        "secretManagerIdentifier": "account.harnessSecretManager", "valueType": "Inline",
        "value": "hunter2"}}});
    let made = shop.post(&format!("/ng/api/v2/secrets?{STOREFRONT}"), secret).await;
    assert_eq!(made.at("/data/secret/spec/value"), json!(null));
    let events = shop.post("/audit/api/audits/list", json!({})).await.json();
    let id = events["data"]["content"][0]["auditId"].as_str().unwrap().to_owned();
    let diff = shop.get(&format!("/audit/api/auditYaml?auditId={id}")).await.json();
    assert!(diff["data"]["newYaml"].as_str().unwrap().contains("identifier: s"), "{diff}");
    assert!(!format!("{made:?}{events}{diff}").contains("hunter2"));
}

#[tokio::test]
async fn delegates_and_their_tokens_are_listed_and_tokens_stay_hidden() {
    let shop = Shop::open().await;
    let list = "/ng/api/delegate-setup/listDelegates?all=true";
    let all = shop.post(list, json!({"filterType": "Delegate"})).await;
    assert_eq!(all.at("/resource").as_array().unwrap().len(), 3);
    let off = shop.post(list, json!({"status": "DISCONNECTED"})).await;
    assert_eq!(off.at("/resource/0/name"), "lab-delegate");
    let made = shop.send("POST", "/ng/api/delegate-token-ng?tokenName=new_one", "").await;
    assert_eq!(
        (made.at("/resource/status"), made.at("/resource/value")),
        (json!("ACTIVE"), json!("***"))
    );
    let revoked =
        shop.send("PUT", "/ng/api/delegate-token-ng?tokenName=new_one&status=REVOKED", "").await;
    assert_eq!(revoked.at("/resource/status"), "REVOKED");
    let groups =
        shop.get("/ng/api/delegate-token-ng/delegate-groups?delegateTokenName=lab_token").await;
    assert_eq!(groups.at("/resource/delegateGroupDetails/0/name"), "lab-delegate");
    assert_eq!(
        shop.delete("/ng/api/delegate-token-ng?tokenName=new_one").await.at("/resource"),
        true
    );
    assert_eq!(shop.get("/ng/api/delegate-token-ng/new_one").await.status, 404);
}

#[tokio::test]
async fn settings_are_inherited_overridden_and_restored() {
    let shop = Shop::open().await;
    let list = |query: &str| format!("/ng/api/settings?category=CORE{query}");
    let value = |id: &str| json!([{"identifier": "enable_force_delete", "value": id, "updateType": "UPDATE"}]);
    assert_eq!(shop.get("/ng/api/settings").await.at("/errors/0/fieldId"), "category");
    let wrong = shop.put("/ng/api/settings", value("maybe")).await;
    assert_eq!((wrong.status, wrong.at("/data/0/updateStatus")), (200, json!(false)));
    shop.put("/ng/api/settings", value("true")).await;
    let inherited = shop.get(&list("&orgIdentifier=default&projectIdentifier=storefront")).await;
    let force = |answer: &crate::client::Answer| {
        let all = answer.at("/data").as_array().unwrap().clone();
        all.into_iter().find(|s| s["setting"]["identifier"] == "enable_force_delete").unwrap()
    };
    assert_eq!(force(&inherited)["setting"]["value"], "true");
    assert_eq!(force(&inherited)["setting"]["settingSource"], "ACCOUNT");
    let restore = json!([{"identifier": "enable_force_delete", "updateType": "RESTORE"}]);
    shop.put("/ng/api/settings", restore).await;
    assert_eq!(force(&shop.get(&list("")).await)["setting"]["value"], "false");
}

#[tokio::test]
async fn service_overrides_are_named_after_what_they_join() {
    let shop = Shop::open().await;
    let body = json!({"environmentRef": "staging", "serviceRef": "web",
        "type": "ENV_SERVICE_OVERRIDE", "spec": {"variables": []}});
    let made = shop.post(&format!("/ng/api/serviceOverrides?{STOREFRONT}"), body).await;
    assert_eq!(made.at("/data/identifier"), "staging_web", "{}", made.json());
    let list = format!(
        "/ng/api/environmentsV2/serviceOverrides?{STOREFRONT}&environmentIdentifier=staging"
    );
    assert_eq!(shop.get(&list).await.at("/data/totalItems"), 1);
    let one = format!("/ng/api/serviceOverrides/staging_web?{STOREFRONT}");
    assert_eq!(shop.delete(&one).await.status, 200);
    assert_eq!(shop.get(&one).await.status, 404);
}
