//! Templates: versions, the stable one, and pipelines made from them.

use serde_json::json;

use crate::client::{STOREFRONT, Shop};

const ALL: &str = "/template/api/templates";

fn step(version: &str) -> String {
    format!(
        "template:\n  name: Greet\n  identifier: greet\n  versionLabel: {version}\n  type: Step\n  \
         spec:\n    type: ShellScript\n    spec:\n      shell: Bash\n"
    )
}

#[tokio::test]
async fn the_first_version_is_stable_until_another_is_chosen() {
    let shop = Shop::open().await;
    let made = shop.send("POST", ALL, &step("v1")).await;
    assert_eq!(made.at("/data/templateResponseDTO/stableTemplate"), true, "{}", made.json());
    let second = shop.send("POST", ALL, &step("v2")).await;
    assert_eq!(second.at("/data/templateResponseDTO/stableTemplate"), false);
    assert_eq!(shop.get(&format!("{ALL}/greet")).await.at("/data/versionLabel"), "v1");
    assert_eq!(
        shop.get(&format!("{ALL}/greet?versionLabel=v2")).await.at("/data/versionLabel"),
        "v2"
    );
    let refused = shop.delete(&format!("{ALL}/greet/v1")).await;
    assert_eq!(refused.status, 400);
    assert!(refused.at("/message").as_str().unwrap().contains("stable version [v1]"));
    shop.send("PUT", &format!("{ALL}/updateStableTemplate/greet/v2"), "").await;
    assert_eq!(shop.delete(&format!("{ALL}/greet/v1")).await.at("/data"), true);
    assert_eq!(shop.delete(&format!("{ALL}/greet/v2")).await.at("/data"), true);
    let gone = shop.get(&format!("{ALL}/greet")).await;
    assert_eq!((gone.status, gone.at("/code")), (400, json!("TEMPLATE_NOT_FOUND")));
}

#[tokio::test]
async fn a_version_is_changed_in_place_and_only_under_its_own_name() {
    let shop = Shop::open().await;
    shop.send("POST", ALL, &step("v1")).await;
    let changed = step("v1").replace("Greet", "Hail");
    let answer = shop.send("PUT", &format!("{ALL}/update/greet/v1"), &changed).await;
    assert_eq!(answer.at("/data/templateResponseDTO/name"), "Hail");
    assert_eq!(answer.at("/data/templateResponseDTO/stableTemplate"), true);
    let wrong = shop.send("PUT", &format!("{ALL}/update/greet/v9"), &changed).await;
    assert_eq!(wrong.status, 400);
    let twice = shop.send("POST", ALL, &step("v1")).await;
    assert_eq!(twice.at("/code"), "DUPLICATE_FIELD");
}

#[tokio::test]
async fn lists_filter_by_type_and_stability_and_metadata_has_no_yaml() {
    let shop = Shop::open().await;
    let all = shop.post(&format!("{ALL}/list"), json!({})).await;
    assert_eq!(all.at("/data/totalElements"), 2);
    assert!(all.at("/data/content/0/yaml").is_string());
    let stable =
        shop.post(&format!("{ALL}/list-metadata?templateListType=Stable"), json!({})).await;
    assert_eq!(
        (stable.at("/data/totalElements"), stable.at("/data/content/0/yaml")),
        (json!(1), json!(null))
    );
    let stages = json!({"templateEntityTypes": ["Stage"]});
    let found = shop.post(&format!("{ALL}/list-metadata?orgIdentifier=default"), stages).await;
    assert_eq!(found.at("/data/content/0/identifier"), "rolling_stage");
}

#[tokio::test]
async fn a_pipeline_is_shown_with_its_templates_resolved() {
    let shop = Shop::open().await;
    let atlas = "orgIdentifier=atlas&projectIdentifier=data_pipelines";
    let target =
        format!("/pipeline/api/pipelines/train_model?{atlas}&getTemplatesResolvedPipeline=true");
    let read = shop.get(&target).await;
    let resolved = read.at("/data/resolvedTemplatesPipelineYaml");
    let resolved = resolved.as_str().unwrap();
    assert!(resolved.contains("./notify --channel releases"), "{resolved}");
    assert!(!resolved.contains("templateRef"), "{resolved}");
}

#[tokio::test]
async fn v1_templates_are_the_same_ones() {
    let shop = Shop::open().await;
    let all = "/v1/orgs/default/projects/storefront/templates";
    let made = shop.post(all, json!({"template_yaml": step("v1")})).await;
    assert_eq!((made.status, made.at("/stable_template")), (201, json!(true)), "{}", made.json());
    let read = shop.get(&format!("{ALL}/greet?{STOREFRONT}")).await;
    assert_eq!(read.at("/data/templateScope"), "project");
    let list = shop.get(all).await;
    assert_eq!(
        (list.at("/0/identifier"), list.header("x-total-elements")),
        (json!("greet"), Some("1"))
    );
    let changed = json!({"template_yaml": step("v1").replace("Greet", "Hail")});
    assert_eq!(shop.put(&format!("{all}/greet/versions/v1"), changed).await.at("/name"), "Hail");
    assert_eq!(shop.delete(&format!("{all}/greet/versions/v1")).await.status, 204);
}

#[tokio::test]
async fn bad_labels_and_types_are_refused() {
    let shop = Shop::open().await;
    let label = shop.send("POST", ALL, &step("\"a b\"")).await;
    assert_eq!(label.at("/errors/0/fieldId"), "versionLabel", "{}", label.json());
    let kind = shop.send("POST", ALL, &step("v1").replace("type: Step", "type: Dance")).await;
    assert_eq!(kind.at("/errors/0/fieldId"), "template.type");
}
