//! Freeze windows and the global freeze.

use serde_json::json;

use crate::client::{STOREFRONT, Shop};

fn freeze(id: &str, start: &str) -> String {
    format!(
        "freeze:\n  name: Quiet\n  identifier: {id}\n  status: Enabled\n  entityConfigs: []\n  \
         windows:\n    - timeZone: Europe/Berlin\n      startTime: {start}\n      duration: 2h\n"
    )
}

#[tokio::test]
async fn a_freeze_lives_from_create_to_delete() {
    let shop = Shop::open().await;
    let all = format!("/ng/api/freeze?{STOREFRONT}");
    // 10:30 in Berlin is 09:30 in UTC: half an hour ago.
    let made = shop.send("POST", &all, &freeze("quiet", "2026-11-30 10:30 AM")).await;
    assert_eq!(made.at("/data/freezeScope"), "project", "{}", made.json());
    let start = made.at("/data/currentOrUpcomingWindow/startTime").as_i64().unwrap();
    assert_eq!(crate::client::NOW - start, 30 * 60_000);
    let toggle = format!("/ng/api/freeze/updateFreezeStatus?{STOREFRONT}&status=Disabled");
    let toggled = shop.post(&toggle, json!(["quiet", "nothing"])).await;
    assert_eq!(
        (toggled.at("/data/noOfSuccess"), toggled.at("/data/noOfFailed")),
        (json!(1), json!(1))
    );
    assert_eq!(toggled.at("/data/freezeErrorResponseDTOList/0/id"), "nothing");
    let list = format!("/ng/api/freeze/list?{STOREFRONT}");
    let disabled = shop.post(&list, json!({"freezeStatus": "Disabled"})).await;
    assert_eq!(disabled.at("/data/content/0/identifier"), "quiet");
    let one = format!("/ng/api/freeze/quiet?{STOREFRONT}");
    assert!(shop.get(&one).await.at("/data/yaml").as_str().unwrap().contains("status: Disabled"));
    assert_eq!(shop.delete(&one).await.status, 200);
    assert_eq!(shop.post(&list, json!({})).await.at("/data/totalItems"), 0);
}

#[tokio::test]
async fn a_window_in_the_past_or_none_at_all_is_refused() {
    let shop = Shop::open().await;
    let past = shop.send("POST", "/ng/api/freeze", &freeze("old", "2020-01-01 10:00 AM")).await;
    assert!(past.at("/message").as_str().unwrap().contains("past"), "{}", past.json());
    let none = "freeze:\n  name: Q\n  identifier: q\n  status: Enabled\n  windows: []\n";
    let refused = shop.send("POST", "/ng/api/freeze", none).await;
    assert!(refused.at("/message").as_str().unwrap().contains("exactly one window"));
}

#[tokio::test]
async fn the_global_freeze_is_there_from_the_start_and_can_be_switched() {
    let shop = Shop::open().await;
    let get = "/ng/api/freeze/getGlobalFreeze";
    let before = shop.get(get).await;
    assert_eq!(
        (before.at("/data/type"), before.at("/data/status")),
        (json!("GLOBAL"), json!("Disabled"))
    );
    let on = freeze("_GLOBAL_", "2026-11-30 10:30 AM");
    let answer = shop.send("POST", "/ng/api/freeze/manageGlobalFreeze", &on).await;
    assert_eq!(answer.at("/data/status"), "Enabled", "{}", answer.json());
    assert_eq!(shop.get(get).await.at("/data/identifier"), "_GLOBAL_");
    let listed = shop.post("/ng/api/freeze/list", json!({})).await;
    assert_eq!(listed.at("/data/totalItems"), 1, "only the seeded one");
}
