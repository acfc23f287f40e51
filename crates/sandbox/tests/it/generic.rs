//! Operations without behaviour of their own, over HTTP.

use checkrein_sandbox::{Envelope, GenericRoute, Operation, Options};
use serde_json::json;

use crate::client::Shop;

fn route(method: &str, path: &str, operation: Operation) -> GenericRoute {
    let envelope = match operation {
        Operation::List => Envelope::Page(Some("dashboard".to_owned())),
        _ => Envelope::Wrapped("dashboard".to_owned()),
    };
    GenericRoute {
        method: method.to_owned(),
        path_template: path.to_owned(),
        kind: "dashboard".to_owned(),
        operation,
        envelope,
    }
}

#[tokio::test]
async fn a_type_of_the_catalogue_has_a_life_of_its_own() {
    let shop = Shop::with(
        Options::default(),
        vec![
            route("GET", "/dash/orgs/{org}/boards", Operation::List),
            route("POST", "/dash/orgs/{org}/boards", Operation::Create),
            route("GET", "/dash/orgs/{org}/boards/{board}", Operation::Get),
            route("PUT", "/dash/orgs/{org}/boards/{board}", Operation::Update),
            route("DELETE", "/dash/orgs/{org}/boards/{board}", Operation::Delete),
            // The family wins over the catalogue.
            route("GET", "/ng/api/organizations", Operation::List),
        ],
    )
    .await;
    let (all, one) = ("/dash/orgs/default/boards", "/dash/orgs/default/boards/b1");
    let made = shop.post(all, json!({"dashboard": {"identifier": "b1", "title": "One"}})).await;
    assert_eq!(made.status, 200);
    assert_eq!(shop.put(one, json!({"title": "Two"})).await.at("/data/dashboard/title"), "Two");
    assert_eq!(shop.get(all).await.at("/data/totalItems"), 1);
    assert_eq!(shop.get("/dash/orgs/atlas/boards").await.at("/data/totalItems"), 0);
    assert_eq!(shop.get("/dash/orgs/nowhere/boards").await.status, 404);
    assert_eq!(shop.delete(one).await.at("/data"), true);
    let gone = shop.get(one).await;
    assert_eq!((gone.status, gone.at("/code")), (404, json!("ENTITY_NOT_FOUND")));
    assert_eq!(shop.get("/ng/api/organizations").await.at("/data/content/0/harnessManaged"), false);
}
