//! Pages, their defaults and limits, searches and orders.

use serde_json::{Value, json};

use crate::client::{STOREFRONT, Shop};

fn ids(content: &Value, path: &str) -> Vec<String> {
    let items = content.as_array().unwrap().iter();
    items.map(|item| item.pointer(path).unwrap().as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn ng_pages_are_cut_by_their_own_parameter_names() {
    let shop = Shop::open().await;
    let projects = shop.get("/ng/api/projects?pageIndex=1&pageSize=3").await;
    let data = projects.at("/data");
    assert_eq!(
        (&data["totalItems"], &data["totalPages"], &data["pageItemCount"], &data["pageIndex"]),
        (&json!(4), &json!(2), &json!(1), &json!(1))
    );
    let services = shop.get(&format!("/ng/api/servicesV2?{STOREFRONT}&page=0&size=2")).await;
    assert_eq!(
        (services.at("/data/pageItemCount"), services.at("/data/totalItems")),
        (json!(2), json!(3))
    );
}

#[tokio::test]
async fn default_sizes_are_those_of_each_family() {
    let shop = Shop::open().await;
    for (target, size) in [
        ("/ng/api/projects".to_owned(), 50),
        (format!("/ng/api/connectors?{STOREFRONT}"), 100),
        (format!("/ng/api/servicesV2?{STOREFRONT}"), 100),
        (format!("/pipeline/api/triggers?{STOREFRONT}&targetIdentifier=build_and_test"), 25),
    ] {
        assert_eq!(shop.get(&target).await.at("/data/pageSize"), size, "{target}");
    }
    let pipelines =
        shop.post(&format!("/pipeline/api/pipelines/list?{STOREFRONT}"), json!({})).await;
    assert_eq!(
        (pipelines.at("/data/size"), pipelines.at("/data/pageable/pageNumber")),
        (json!(25), json!(0))
    );
}

#[tokio::test]
async fn a_page_past_the_end_is_empty_and_bad_numbers_name_their_field() {
    let shop = Shop::open().await;
    let past = shop.get("/ng/api/projects?pageIndex=99").await;
    assert_eq!(
        (past.status, past.at("/data/content"), past.at("/data/empty")),
        (200, json!([]), json!(true))
    );
    for (target, field) in [
        ("/ng/api/projects?pageIndex=-1".to_owned(), "pageIndex"),
        ("/ng/api/projects?pageSize=0".to_owned(), "pageSize"),
        (format!("/ng/api/servicesV2?{STOREFRONT}&size=0"), "size"),
        (format!("/ng/api/servicesV2?{STOREFRONT}&page=x"), "page"),
        ("/v1/orgs/default/projects/storefront/pipelines?limit=0".to_owned(), "limit"),
    ] {
        let refused = shop.get(&target).await;
        assert_eq!(
            (refused.status, refused.at("/code")),
            (400, json!("INVALID_REQUEST")),
            "{target}"
        );
        assert_eq!(refused.at("/errors/0/fieldId"), field, "{target}");
    }
}

#[tokio::test]
async fn searches_look_at_name_identifier_and_tags() {
    let shop = Shop::open().await;
    for (term, expected) in [("SEAR", 1), ("tier", 3), ("web", 1), ("nothing", 0)] {
        let found = shop.get(&format!("/ng/api/servicesV2?{STOREFRONT}&searchTerm={term}")).await;
        assert_eq!(found.at("/data/totalItems"), expected, "{term}");
    }
}

#[tokio::test]
async fn lists_are_sorted_as_asked_and_newest_first_otherwise() {
    let shop = Shop::open().await;
    let list = |sort: &str| format!("/ng/api/servicesV2?{STOREFRONT}{sort}");
    let named = |answer: crate::client::Answer| ids(&answer.at("/data/content"), "/service/name");
    assert_eq!(named(shop.get(&list("&sort=name,ASC")).await), ["Checkout", "Search", "Web"]);
    assert_eq!(
        named(shop.get(&list("&sort=name&order=DESC")).await),
        ["Web", "Search", "Checkout"]
    );
    // Search was changed last.
    assert_eq!(named(shop.get(&list("")).await)[0], "Search");
}

#[tokio::test]
async fn connectors_are_filtered_and_parent_scopes_added_on_request() {
    let shop = Shop::open().await;
    let list = format!("/ng/api/connectors/listV2?{STOREFRONT}");
    let own = shop.post(&list, json!({"filterType": "Connector"})).await;
    assert_eq!(ids(&own.at("/data/content"), "/connector/identifier"), ["shop_cluster"]);
    let all = format!("{list}&includeAllConnectorsAvailableAtScope=true");
    assert_eq!(shop.post(&all, json!({})).await.at("/data/totalItems"), 5);
    let github = shop.post(&all, json!({"types": ["Github"]})).await;
    assert_eq!(ids(&github.at("/data/content"), "/connector/identifier"), ["github_main"]);
    let broken = shop.post(&all, json!({"connectivityStatuses": ["FAILURE"]})).await;
    assert_eq!(ids(&broken.at("/data/content"), "/connector/identifier"), ["old_artifactory"]);
}

#[tokio::test]
async fn v1_lists_are_bare_arrays_with_totals_in_headers() {
    let shop = Shop::open().await;
    let list = shop.get("/v1/orgs/default/projects/storefront/pipelines?limit=2").await;
    assert_eq!(list.json().as_array().unwrap().len(), 2);
    assert_eq!(
        (list.header("x-total-elements"), list.header("x-page-size")),
        (Some("5"), Some("2"))
    );
    assert!(list.header("x-correlation-id").is_some());
}

#[tokio::test]
async fn the_catalogue_of_connectors_is_grouped() {
    let shop = Shop::open().await;
    let catalogue = shop.get("/ng/api/connectors/catalogue").await;
    assert_eq!(catalogue.at("/data/catalogue/0/category"), "CLOUD_PROVIDER");
}
