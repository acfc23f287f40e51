use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::scripted::Scripted;

/// A tool as it goes over the wire.
fn listed(tool: &ToolInfo) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": {
            "readOnlyHint": tool.annotations.read_only,
            "destructiveHint": tool.annotations.destructive,
            "idempotentHint": tool.annotations.idempotent,
            "openWorldHint": tool.annotations.open_world,
        },
    })
}

#[test]
fn the_list_of_tools_is_short() {
    /// Every agent pays for the list in every session.
    const MOST_BYTES: usize = 7_000;
    let tools: Vec<Value> = TOOLS.iter().map(|tool| listed(&tool.info())).collect();
    let bytes = json!({ "tools": tools }).to_string().len();
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}

#[test]
fn schemas_are_plain_objects_at_their_root() {
    for tool in TOOLS {
        let info = tool.info();
        for schema in [Some(info.input_schema), info.output_schema].into_iter().flatten() {
            assert_eq!(schema.get("type"), Some(&json!("object")), "{}", tool.name);
            for word in ["oneOf", "anyOf", "allOf", "$ref"] {
                assert!(!schema.contains_key(word), "{} has {word}", tool.name);
            }
        }
    }
}

#[test]
fn a_description_says_it_in_one_sentence_and_a_name_fits_every_client() {
    for tool in TOOLS {
        assert!(tool.name.len() <= 32, "{}", tool.name);
        assert!(tool.about.len() <= 100 && tool.about.ends_with('.'), "{}", tool.about);
    }
    assert!(INSTRUCTIONS.len() <= 2048);
}

const QUERY: &str = "accountIdentifier=acc&routingId=acc&orgIdentifier=o&projectIdentifier=p";

#[tokio::test]
async fn a_list_is_short_and_says_what_of_the_call_was_not_read() {
    let platform = Scripted::new(&[(
        200,
        r#"{"status":"SUCCESS","data":{"content":[{"service":{"identifier":"s1","name":"One","yaml":"y"}}],"totalItems":7}}"#,
    )])
    .await;
    let page = platform
        .result("harness_list", json!({ "resource_type": "service", "module": "CI" }))
        .await;
    assert_eq!(page["total"], 7);
    assert_eq!(page["_ignored"], json!(["module"]));
    assert_eq!(platform.seen().len(), 1);
    assert!(platform.seen()[0].starts_with("GET /ng/api/servicesV2?"), "{:?}", platform.seen());
}

#[tokio::test]
async fn a_delete_says_what_is_gone() {
    let platform = Scripted::new(&[(200, r#"{"status":"SUCCESS","data":true}"#)]).await;
    let gone = platform
        .result("harness_delete", json!({ "resource_type": "service", "resource_id": "s1" }))
        .await;
    assert_eq!(gone, json!({ "deleted": true, "resource_type": "service", "resource_id": "s1" }));
    assert_eq!(platform.seen(), [format!("DELETE /ng/api/servicesV2/s1?{QUERY}")]);
}

#[tokio::test]
async fn without_a_yes_nothing_is_sent() {
    let platform = Scripted::with(&[], |options| options.auto_approve = AutoApprove::None).await;
    let delete = json!({ "resource_type": "service", "resource_id": "s1" });
    let refusal = platform.error("harness_delete", delete).await;
    assert_eq!(refusal["_outcome"], "not_applied");
    let text = refusal["error"].as_str().expect("text");
    assert!(text.contains("delete service \"s1\" needs a confirmation"), "{text}");
    assert!(platform.seen().is_empty());
}

#[tokio::test]
async fn a_read_only_server_sends_no_write() {
    let platform = Scripted::with(&[], |options| options.read_only = true).await;
    for (tool, arguments) in [
        ("harness_create", json!({ "resource_type": "service", "body": { "identifier": "a" } })),
        ("harness_update", json!({ "resource_type": "service", "resource_id": "s", "body": {} })),
        ("harness_delete", json!({ "resource_type": "service", "resource_id": "s" })),
        (
            "harness_execute",
            json!({ "resource_type": "pipeline", "action": "run", "resource_id": "p" }),
        ),
    ] {
        let refusal = platform.error(tool, arguments).await;
        let text = refusal["error"].as_str().expect("text");
        assert!(text.contains("HARNESS_READ_ONLY"), "{tool}: {text}");
    }
    assert!(platform.seen().is_empty());
}

#[tokio::test]
async fn a_failed_write_tells_its_outcome_code_and_correlation() {
    let body =
        r#"{"status":"ERROR","code":"UNKNOWN_ERROR","message":"oops","correlationId":"c-2"}"#;
    let platform = Scripted::new(&[(500, body)]).await;
    let create = json!({ "resource_type": "service", "body": { "identifier": "a", "name": "b" } });
    let failure = platform.error("harness_create", create).await;
    assert_eq!(failure["_outcome"], "unknown");
    assert_eq!(failure["code"], "UNKNOWN_ERROR");
    assert_eq!(failure["correlation_id"], "c-2");
    assert!(failure["error"].as_str().expect("text").contains("oops"), "{failure}");
}

#[tokio::test]
async fn a_missing_resource_comes_with_advice_when_the_type_has_some() {
    let platform = Scripted::new(&[(404, r#"{"message":"no such thing"}"#)]).await;
    let failure = platform
        .error("harness_get", json!({ "resource_type": "connector", "resource_id": "c" }))
        .await;
    let hint = shipped::resource("connector").hint_not_found.clone().expect("a hint");
    let text = failure["error"].as_str().expect("text");
    assert!(text.contains("no such thing") && text.ends_with(&hint), "{text}");
}

#[tokio::test]
async fn a_wrong_name_is_answered_with_the_right_one() {
    let platform = Scripted::new(&[]).await;
    let cases = [
        ("harness_list", json!({ "resource_type": "pipelines" }), "did you mean `pipeline`?"),
        ("harness_list", json!({}), "`resource_type` is required"),
        (
            "harness_list",
            json!({ "resource_type": "execution_inputs" }),
            "`execution_inputs` has no `list`",
        ),
        (
            "harness_execute",
            json!({ "resource_type": "pipeline", "action": "runn", "resource_id": "p" }),
            "did you mean `run`?",
        ),
        (
            "harness_list",
            json!({ "resource_type": "pipeline", "filters": { "modul": "CD" } }),
            "did you mean `module`?",
        ),
        (
            "harness_list",
            json!({ "resource_type": "pipeline", "resource_scope": "account" }),
            "scope",
        ),
        ("harness_get", json!({ "resource_type": "pipeline" }), "pipeline_id"),
        ("harness_get", json!({ "resource_type": "service", "resource_id": ".." }), "must not be"),
    ];
    for (tool, arguments, expected) in cases {
        let failure = platform.error(tool, arguments.clone()).await;
        let text = failure["error"].as_str().expect("text");
        assert!(text.contains(expected), "{arguments}: {text}");
    }
    assert!(platform.seen().is_empty(), "{:?}", platform.seen());
    let page = "/ng/account/a/all/orgs/o/projects/p/registries/r";
    let failure = platform.error("harness_get", json!({ "url": page })).await;
    let text = failure["error"].as_str().expect("text");
    assert!(text.starts_with("`url` is the page of a `registry`"), "{text}");
    let unknown = platform.call("harness_lst", json!({})).await;
    assert!(matches!(unknown, Answer::Protocol { code: -32602, .. }), "{unknown:?}");
}

#[tokio::test]
async fn describing_asks_the_platform_nothing_and_stays_short() {
    let platform = Scripted::new(&[]).await;
    let everything = platform.result("harness_describe", json!({})).await;
    assert!(everything.to_string().len() <= 12_000, "{}", everything.to_string().len());
    let one = platform.result("harness_describe", json!({ "resource_type": "pipeline" })).await;
    assert_eq!(one["toolset"], "pipelines");
    let found = platform.result("harness_describe", json!({ "search_term": "log" })).await;
    assert!(found.to_string().contains("execution_log"), "{found}");
    let unknown = platform.error("harness_describe", json!({ "toolset": "pipeline" })).await;
    assert!(unknown["error"].as_str().expect("text").contains("`pipelines`"), "{unknown}");
    assert!(platform.seen().is_empty());
}

#[tokio::test]
async fn waiting_for_what_ends_at_once_is_named_as_ignored() {
    let platform = Scripted::new(&[(200, r#"{"data":{"status":"SUCCESS"}}"#)]).await;
    let test = json!({
        "resource_type": "connector", "action": "test_connection", "resource_id": "c", "wait": true,
    });
    let tested = platform.result("harness_execute", test).await;
    assert_eq!(tested["_ignored"], json!(["wait"]));
}

#[tokio::test]
async fn a_filter_the_list_does_not_read_is_named() {
    let platform = Scripted::new(&[(200, r#"{"data":{"content":[]}}"#)]).await;
    let list = json!({ "resource_type": "pipeline", "filters": { "connector_ref": "x" } });
    let page = platform.result("harness_list", list).await;
    assert_eq!(page, json!({ "items": [], "total": 0, "_ignored": ["connector_ref"] }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_arguments_make_a_tool_panic(
        tool in 0..TOOLS.len(),
        given in proptest::collection::vec((0..24_usize, 0..12_usize), 0..6),
    ) {
        let odd = [
            json!(null), json!(true), json!(-1), json!(1e300), json!(""), json!("../x"),
            json!("%2e%2e"), json!("a?b#c"), json!([]), json!(["a", 1]), json!({}),
            json!({ "resource_scope": "org", "pipeline_id": {}, "page": [], "body": null }),
        ];
        let tool = TOOLS[tool];
        let mut arguments = Map::new();
        arguments.insert("resource_type".to_owned(), json!("pipeline"));
        arguments.insert("action".to_owned(), json!("retry"));
        for (name, value) in given {
            if let Some(argument) = tool.arguments.get(name) {
                arguments.insert(argument.name.to_owned(), odd[value].clone());
            }
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let platform = Scripted::new(&[]).await;
            platform.call(tool.name, arguments.into()).await;
        });
    }
}
