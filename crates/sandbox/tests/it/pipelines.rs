//! Pipelines in both forms of the API, and their triggers.

use serde_json::json;

use crate::client::{STOREFRONT, Shop};

const TEA: &str = "pipeline:
  name: Tea
  identifier: tea
  orgIdentifier: default
  projectIdentifier: storefront
  tags:
    hot: \"yes\"
  stages:
    - stage:
        name: Boil
        identifier: boil
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  name: Wait
                  identifier: wait
                  type: Wait
                  spec:
                    duration: 10s
";

fn v2(id: &str) -> String {
    format!("/pipeline/api/pipelines/v2{id}?{STOREFRONT}")
}

#[tokio::test]
async fn a_pipeline_keeps_its_yaml_to_the_letter() {
    let shop = Shop::open().await;
    let made = shop.send("POST", &v2(""), TEA).await;
    assert_eq!(
        (made.at("/data/identifier"), made.at("/data/governanceMetadata/deny")),
        (json!("tea"), json!(false))
    );
    let one = format!("/pipeline/api/pipelines/tea?{STOREFRONT}");
    let read = shop.get(&one).await;
    assert_eq!(read.at("/data/yamlPipeline"), TEA);
    let summary = shop.get(&format!("/pipeline/api/pipelines/summary/tea?{STOREFRONT}")).await;
    assert_eq!(summary.at("/data/numOfStages"), 1);
    assert_eq!(summary.at("/data/stageNames"), json!(["Boil"]));
    assert_eq!(summary.at("/data/tags"), json!({"hot": "yes"}));
    assert_eq!(shop.delete(&one).await.at("/data"), true);
    let gone = shop.get(&one).await;
    let message = "Pipeline [tea] under Project[storefront], Organization [default] doesn't exist or has been deleted.";
    assert_eq!((gone.status, gone.at("/message")), (404, json!(message)));
}

#[tokio::test]
async fn the_yaml_must_agree_with_path_and_query() {
    let shop = Shop::open().await;
    shop.send("POST", &v2(""), TEA).await;
    let other_id = shop.send("PUT", &v2("/coffee"), TEA).await;
    assert_eq!(other_id.status, 400);
    assert!(other_id.at("/message").as_str().unwrap().contains("does not match"));
    let other_project = TEA.replace("storefront", "platform_tools");
    let refused = shop.send("POST", &v2(""), &other_project).await;
    assert!(refused.at("/message").as_str().unwrap().contains("projectIdentifier [storefront]"));
}

#[tokio::test]
async fn broken_yaml_missing_roots_and_schema_faults_are_told_apart() {
    let shop = Shop::open().await;
    let broken = shop.send("POST", &v2(""), "pipeline: [").await;
    assert_eq!((broken.status, broken.at("/code")), (400, json!("INVALID_YAML_ERROR")));
    let rootless = shop.send("POST", &v2(""), "name: x").await;
    assert!(rootless.at("/message").as_str().unwrap().contains("root element `pipeline`"));
    let stageless = TEA.split("  stages:").next().unwrap();
    let refused = shop.send("POST", &v2(""), stageless).await;
    assert_eq!(refused.at("/code"), "SCHEMA_VALIDATION_FAILED");
    assert_eq!(refused.at("/metadata/type"), "YamlSchemaErrorWrapperDTO");
    assert_eq!(
        refused.at("/metadata/schemaErrors/0/message"),
        "$.pipeline.stages: is missing but it is required"
    );
    assert_eq!(refused.at("/responseMessages/0/code"), "SCHEMA_VALIDATION_FAILED");
}

#[tokio::test]
async fn the_list_shows_recent_runs_and_is_filtered() {
    let shop = Shop::open().await;
    let list = format!("/pipeline/api/pipelines/list?{STOREFRONT}");
    let all =
        shop.post(&format!("{list}&sort=name,ASC"), json!({"filterType": "PipelineSetup"})).await;
    assert_eq!((all.at("/data/totalElements"), all.at("/data/last")), (json!(5), json!(true)));
    assert_eq!(all.at("/data/content/0/identifier"), "build_and_test");
    assert!(!all.at("/data/content/0/recentExecutionsInfo").as_array().unwrap().is_empty());
    assert!(all.at("/data/content/0/executionSummaryInfo/lastExecutionId").is_string());
    for (body, query, expected) in [
        (json!({"pipelineIdentifiers": ["deploy_web"]}), "", 1),
        (json!({"name": "tests"}), "", 2),
        (json!({"pipelineTags": [{"key": "kind", "value": "ci"}]}), "", 2),
        (json!({}), "&module=cd", 1),
        (json!({}), "&searchTerm=train", 1),
    ] {
        let found = shop.post(&format!("{list}{query}"), body.clone()).await;
        assert_eq!(found.at("/data/totalElements"), expected, "{body} {query}");
    }
}

#[tokio::test]
async fn v1_reads_and_writes_the_same_pipelines() {
    let shop = Shop::open().await;
    let all = "/v1/orgs/default/projects/storefront/pipelines";
    let body = json!({"pipeline_yaml": TEA, "identifier": "tea", "name": "Tea"});
    let made = shop.post(all, body.clone()).await;
    assert_eq!((made.status, made.at("/identifier")), (201, json!("tea")));
    let read = shop.get(&format!("{all}/tea")).await;
    assert_eq!((read.at("/pipeline_yaml"), read.at("/org")), (json!(TEA), json!("default")));
    let wrong = json!({"pipeline_yaml": TEA, "identifier": "other", "name": "Tea"});
    assert_eq!(shop.post(all, wrong).await.status, 400);
    assert_eq!(shop.put(&format!("{all}/tea"), body).await.header("etag"), Some("\"1\""));
    assert_eq!(shop.delete(&format!("{all}/tea")).await.status, 204);
    assert_eq!(shop.get(&format!("/pipeline/api/pipelines/tea?{STOREFRONT}")).await.status, 404);
}

#[tokio::test]
async fn triggers_belong_to_a_pipeline_and_go_with_it() {
    let shop = Shop::open().await;
    let refused = shop.get(&format!("/pipeline/api/triggers?{STOREFRONT}")).await;
    assert_eq!(
        (refused.at("/status"), refused.at("/errors/0/fieldId")),
        (json!("FAILURE"), json!("targetIdentifier"))
    );
    let target = format!("/pipeline/api/triggers?{STOREFRONT}&targetIdentifier=smoke_tests");
    let cron = "trigger:\n  name: Hourly\n  identifier: hourly\n  orgIdentifier: default\n  \
        projectIdentifier: storefront\n  pipelineIdentifier: smoke_tests\n  source:\n    \
        type: Scheduled\n    spec:\n      type: Cron\n      spec:\n        expression: 0 * * * *\n";
    let broken = shop.send("POST", &target, &cron.replace("0 * * * *", "often")).await;
    assert_eq!(broken.at("/errors/0/fieldId"), "source.spec.spec.expression");
    // The text may come as a JSON string too.
    let made = shop.send("POST", &target, &json!(cron).to_string()).await;
    assert_eq!(
        (made.at("/data/type"), made.at("/data/enabled")),
        (json!("Scheduled"), json!(true))
    );
    let list = shop.get(&target).await;
    assert_eq!(list.at("/data/content/0/triggerStatus/status"), "SUCCESS");
    let unknown = format!("/pipeline/api/triggers?{STOREFRONT}&targetIdentifier=nothing");
    let elsewhere = cron.replace("smoke_tests", "nothing");
    assert_eq!(shop.send("POST", &unknown, &elsewhere).await.status, 404);
    shop.delete(&format!("/pipeline/api/pipelines/smoke_tests?{STOREFRONT}")).await;
    assert_eq!(shop.get(&target).await.at("/data/totalItems"), 0);
}

#[tokio::test]
async fn a_pipeline_moves_to_git_and_back() {
    let shop = Shop::open().await;
    let target = format!("/pipeline/api/pipelines/move-config/smoke_tests?{STOREFRONT}");
    assert_eq!(shop.send("POST", &target, "").await.at("/errors/0/fieldId"), "moveConfigType");
    let remote = format!(
        "{target}&moveConfigType=INLINE_TO_REMOTE&repoName=storefront&branch=main&filePath=p.yaml"
    );
    assert_eq!(shop.send("POST", &remote, "").await.at("/data/pipelineIdentifier"), "smoke_tests");
    let read = shop.get(&format!("/pipeline/api/pipelines/smoke_tests?{STOREFRONT}")).await;
    assert_eq!(
        (read.at("/data/storeType"), read.at("/data/gitDetails/branch")),
        (json!("REMOTE"), json!("main"))
    );
}

#[tokio::test]
async fn a_pipeline_is_imported_from_a_repository_of_the_code_service() {
    let shop = Shop::open().await;
    let commit = json!({"title": "Add a pipeline", "branch": "main", "actions": [
        {"action": "CREATE", "path": ".harness/tea.yaml", "payload": TEA, "encoding": "utf8"}]});
    let made =
        shop.post(&format!("/code/api/v1/repos/storefront/commits?{STOREFRONT}"), commit).await;
    assert_eq!(made.status, 201, "{}", made.json());
    let import = |path: &str| {
        format!(
            "/pipeline/api/pipelines/import?{STOREFRONT}&repoName=storefront&branch=main&filePath={path}"
        )
    };
    let refused = shop.post(&import("none.yaml"), json!({})).await;
    assert!(refused.at("/message").as_str().unwrap().contains("File [none.yaml] not found"));
    let imported = shop.post(&import(".harness/tea.yaml"), json!({})).await;
    assert_eq!(imported.at("/data/identifier"), "tea", "{}", imported.json());
    let read = shop.get(&format!("/pipeline/api/pipelines/tea?{STOREFRONT}")).await;
    assert_eq!(
        (read.at("/data/storeType"), read.at("/data/yamlPipeline")),
        (json!("REMOTE"), json!(TEA))
    );
}

#[tokio::test]
async fn the_newest_failed_run_of_the_seeded_world_fails_again() {
    let shop = Shop::open().await;
    let runs = format!("/pipeline/api/pipelines/execution/summary?{STOREFRONT}");
    let failed = shop.post(&format!("{runs}&status=Failed"), json!({})).await;
    let pipeline = failed.at("/data/content/0/pipelineIdentifier");
    assert_eq!(pipeline, "nightly_checkout_tests");
    let run = "/pipeline/api/pipeline/execute/nightly_checkout_tests";
    let begun = shop.send("POST", &format!("{run}?{STOREFRONT}"), "").await;
    assert_eq!(begun.status, 200, "{}", begun.json());
    shop.advance(std::time::Duration::from_secs(600)).await;
    let newest = shop.post(&runs, json!({})).await;
    assert_eq!(newest.at("/data/content/0/status"), "Failed");
    assert_eq!(newest.at("/data/content/0/planExecutionId"), begun.at("/data/planExecution/uuid"));
}
