//! Account, organization and project: what lives where, and what goes when one goes.

use serde_json::json;

use crate::client::{STOREFRONT, Shop};

#[tokio::test]
async fn the_same_identifier_may_live_in_every_scope() {
    let shop = Shop::open().await;
    for scope in ["", "orgIdentifier=default", STOREFRONT] {
        let target = format!("/ng/api/servicesV2?{scope}");
        let made = shop
            .post(&target, json!({"identifier": "same", "name": scope.len().to_string()}))
            .await;
        assert_eq!(made.status, 200, "{scope}");
    }
    let org = shop.get("/ng/api/servicesV2/same?orgIdentifier=default").await;
    assert_eq!(org.at("/data/service/name"), "21");
}

#[tokio::test]
async fn a_project_without_its_organization_is_refused() {
    let shop = Shop::open().await;
    let refused = shop.get("/ng/api/servicesV2?projectIdentifier=storefront").await;
    assert_eq!((refused.status, refused.at("/code")), (400, json!("INVALID_REQUEST")));
}

#[tokio::test]
async fn pipelines_need_a_project_and_both_missing_fields_are_named() {
    let shop = Shop::open().await;
    let refused = shop.post("/pipeline/api/pipelines/list", json!({})).await;
    assert_eq!(refused.at("/errors/0/fieldId"), "orgIdentifier");
    assert_eq!(refused.at("/errors/1/fieldId"), "projectIdentifier");
    let unknown = "/pipeline/api/pipelines/list?orgIdentifier=default&projectIdentifier=nope";
    let refused = shop.post(unknown, json!({})).await;
    assert_eq!(
        (refused.status, refused.at("/message")),
        (404, json!("Project with orgIdentifier [default] and identifier [nope] not found"))
    );
}

#[tokio::test]
async fn projects_assume_the_default_organization_and_list_all_without_one() {
    let shop = Shop::open().await;
    assert_eq!(shop.get("/ng/api/projects/storefront").await.status, 200);
    assert_eq!(shop.get("/ng/api/projects/payments").await.status, 404);
    assert_eq!(shop.get("/ng/api/projects").await.at("/data/totalItems"), 4);
    assert_eq!(shop.get("/ng/api/projects?orgIdentifier=atlas").await.at("/data/totalItems"), 2);
    let two = shop.get("/ng/api/projects?identifiers=payments,storefront").await;
    assert_eq!(two.at("/data/totalItems"), 2);
    let sto = shop.get("/ng/api/projects?moduleType=STO&hasModule=true").await;
    assert_eq!(sto.at("/data/totalItems"), 2);
}

#[tokio::test]
async fn an_organization_takes_its_projects_and_all_in_them_with_it() {
    let shop = Shop::open().await;
    assert_eq!(shop.delete("/ng/api/organizations/atlas").await.at("/data"), true);
    assert_eq!(shop.get("/ng/api/projects").await.at("/data/totalItems"), 2);
    let again = json!({"organization": {"identifier": "atlas", "name": "Atlas"}});
    shop.post("/ng/api/organizations", again).await;
    let project =
        json!({"project": {"identifier": "payments", "name": "P", "orgIdentifier": "atlas"}});
    shop.post("/ng/api/projects?orgIdentifier=atlas", project).await;
    let left = shop.get("/ng/api/servicesV2?orgIdentifier=atlas&projectIdentifier=payments").await;
    assert_eq!(left.at("/data/totalItems"), 0);
}

#[tokio::test]
async fn the_default_organization_stays() {
    let shop = Shop::open().await;
    let read = shop.get("/ng/api/organizations/default").await;
    assert_eq!(read.at("/data/harnessManaged"), true);
    assert_eq!(read.at("/data/organization/harnessManaged"), json!(null));
    assert_eq!(shop.delete("/ng/api/organizations/default").await.status, 400);
    assert_eq!(shop.get("/ng/api/projects/storefront").await.status, 200);
}

#[tokio::test]
async fn unknown_paths_and_methods_are_told_apart() {
    let shop = Shop::open().await;
    let head = shop.send_with("HEAD", "/ng/api/organizations", &[], b"").await.unwrap();
    assert_eq!((head.status, head.body.len()), (200, 0));
    let unknown = shop.get("/ng/api/nothing").await;
    assert_eq!((unknown.status, unknown.at("/code")), (404, json!(404)));
    assert_eq!(shop.send("PATCH", "/ng/api/organizations/default", "{}").await.status, 405);
}

#[tokio::test]
async fn the_gateway_prefix_changes_nothing() {
    let shop = Shop::open().await;
    assert_eq!(shop.get("/gateway/ng/api/organizations").await.at("/data/totalItems"), 2);
}

#[tokio::test]
async fn what_is_missing_is_named_the_way_its_family_does() {
    let shop = Shop::open().await;
    for (target, message) in [
        ("/ng/api/organizations/x", "Organization with identifier [x] not found"),
        ("/ng/api/projects/x", "Project with orgIdentifier [default] and identifier [x] not found"),
        (
            "/ng/api/connectors/x?orgIdentifier=default",
            "Connector with identifier [x] in account [Sandbox_Account_000001], org [default] not found",
        ),
        (
            "/ng/api/servicesV2/x?orgIdentifier=default",
            "Service [x] under Organization [default] doesn't exist or has been deleted.",
        ),
    ] {
        assert_eq!(shop.get(target).await.at("/message"), message);
    }
}
