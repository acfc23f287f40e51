use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::call::Defaults;
use crate::catalog::Catalog;
use crate::model::{Operation, ResourceType};
use crate::request::build;

const BASE: &str = "https://app.example.com";

static SHIPPED: LazyLock<Catalog> = LazyLock::new(|| {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
    crate::read::catalogue(&dir).0
});

/// Runs with a call of a shipped list whose reply is read in another way.
fn with<T>(
    resource: &str,
    reply: Option<Reply>,
    then: impl FnOnce(&Call<'_>, &WireRequest) -> T,
) -> T {
    let mut resource: ResourceType = SHIPPED.get(resource).unwrap().clone();
    if let Some(reply) = reply {
        let list: &mut Operation = resource.operations.get_mut("list").unwrap();
        list.reply = reply;
    }
    let defaults =
        Defaults { account: "acme".into(), org: Some("shop".into()), project: Some("web".into()) };
    let inputs = json!({"page": 0, "size": 20});
    let call = Call {
        resource: &resource,
        op_name: "list",
        operation: &resource.operations["list"],
        dialect: SHIPPED.dialect(&resource).unwrap(),
        inputs: inputs.as_object().unwrap(),
        scope: None,
        defaults: &defaults,
    };
    let request = build(&call).unwrap();
    then(&call, &request)
}

fn slow(call: &Call<'_>, request: &WireRequest, reply: Value) -> Value {
    let mut result = shape(call, request, reply).unwrap();
    link::add(call, request, BASE, &mut result);
    let page = normalise_list(result, call.inputs.get("page"));
    compact_list(page, &Keep::of(call.resource))
}

fn shaped(reply: Reply, value: Value) -> Value {
    with("pipeline", Some(reply), |call, request| shape(call, request, value).unwrap())
}

#[test]
fn each_named_reply_takes_its_part() {
    let page = json!({"data": {"content": [{"service": {"a": 1}}, {"b": 2}], "totalItems": 7}});
    assert_eq!(shaped(Reply::Data, json!({"data": [1]})), json!([1]));
    assert_eq!(shaped(Reply::Data, json!({"data": null, "x": 1})), json!({"data": null, "x": 1}));
    assert_eq!(shaped(Reply::Resource, json!({"resource": "r"})), json!("r"));
    assert_eq!(shaped(Reply::Unwrap("a".into()), json!({"data": {"a": 1}})), json!(1));
    assert_eq!(shaped(Reply::Unwrap("a".into()), json!({"data": {"b": 1}})), json!({"b": 1}));
    assert_eq!(
        shaped(Reply::Page, page.clone()),
        json!({"items": [{"service": {"a": 1}}, {"b": 2}], "total": 7})
    );
    assert_eq!(
        shaped(Reply::PageOf("service".into()), page),
        json!({"items": [{"a": 1}, {"b": 2}], "total": 7})
    );
    assert_eq!(shaped(Reply::Page, json!("text")), json!({"items": [], "total": 0}));
    assert_eq!(shaped(Reply::ArrayOf(None), json!([1])), json!({"items": [1], "total": 1}));
    assert_eq!(shaped(Reply::ArrayOf(None), json!({"x": 1})), json!({"items": [], "total": 0}));
}

#[test]
fn a_reply_that_is_not_json_is_an_error_and_an_empty_one_is_not() {
    with("pipeline", None, |call, request| {
        let keep = Keep::of(call.resource);
        let answer = |bytes: &[u8]| shape_list_compact(call, request, bytes, &keep, BASE);
        let error = answer(b"<html>").unwrap_err().to_string();
        assert!(error.starts_with("the platform's reply to pipeline.list is not JSON"), "{error}");
        assert!(answer(b"{\"data\": {\"content\": [1").is_err());
        assert_eq!(answer(b" ").unwrap(), json!({"items": [], "total": 0}));
    });
}

#[test]
fn a_plain_page_takes_the_fast_way() {
    let reply = json!({"status": "SUCCESS", "data": {"content": [
        {"identifier": "p", "name": "P", "big": {"x": [1, 2]}, "storeType": "INLINE"}],
        "totalElements": 1}});
    with("pipeline", None, |call, request| {
        let keep = Keep::of(call.resource);
        let page = fast::page(call, request, reply.to_string().as_bytes(), &keep, BASE);
        let link = "https://app.example.com/ng/account/acme/all/orgs/shop/projects/web/pipelines/p/\
                    pipeline-studio?storeType=INLINE";
        assert_eq!(
            page.unwrap(),
            json!({"items": [{"identifier": "p", "name": format!("[P]({link})")}], "total": 1})
        );
    });
}

#[test]
fn a_short_page_of_wrapped_items_says_what_they_are() {
    let reply = json!({"data": {"content": [
        {"service": {"identifier": "web", "name": "Web", "yaml": "y"}, "createdAt": 1}]}});
    with("service", None, |call, request| {
        let keep = Keep::of(call.resource);
        let page = fast::page(call, request, reply.to_string().as_bytes(), &keep, BASE).unwrap();
        assert_eq!(page["items"][0]["_identifier"], "web");
        assert_eq!(page["items"][0]["_name"], "Web");
        assert_eq!(page, slow(call, request, reply.clone()));
    });
}

fn any_item() -> impl Strategy<Value = Value> {
    let leaf = || {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            Just(serde_json::from_str::<Value>("1.10").unwrap()),
            "[a-z/ é\"]{0,5}".prop_map(Value::from),
        ]
    };
    let key = prop::sample::select(vec![
        "identifier",
        "name",
        "storeType",
        "orgIdentifier",
        "org",
        "project",
        "service",
        "connector",
        "user",
        "number",
        "uuid",
        "pipeline",
        "pipelineIdentifier",
        "serviceIdentifier",
        "createdAt",
        "spec",
        "openInHarness",
        "type",
        "planExecutionId",
        "x",
    ]);
    let inner = prop::collection::vec((key.clone(), leaf()), 0..5).prop_map(|members| {
        Value::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
    });
    let member = prop_oneof![
        leaf(),
        inner.clone(),
        prop::collection::vec(leaf(), 0..3).prop_map(Value::from)
    ];
    let item = prop::collection::vec((key, member), 0..8).prop_map(|members| {
        Value::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
    });
    prop_oneof![8 => item, 1 => leaf(), 1 => inner]
}

fn any_reply() -> impl Strategy<Value = Value> {
    let items = || prop::collection::vec(any_item(), 0..4);
    let total = prop_oneof![Just(json!(5)), Just(Value::Null), Just(json!("7"))];
    prop_oneof![
        6 => (items(), total).prop_map(|(items, total)| json!({
            "status": "SUCCESS", "data": {"content": items, "totalElements": total, "totalItems": 3}
        })),
        3 => items().prop_map(Value::from),
        1 => any_item(),
        1 => any_item().prop_map(|data| json!({"data": data})),
    ]
}

proptest! {
    #[test]
    fn the_fast_way_gives_what_the_general_way_gives(
        reply in any_reply(),
        resource in prop::sample::select(vec!["pipeline", "service", "connector", "execution"]),
        form in 0..6,
    ) {
        let form = match form {
            0 | 1 => Reply::Page,
            2 => Reply::PageOf("service".into()),
            3 => Reply::Raw,
            4 => Reply::ArrayOf(None),
            _ => Reply::ArrayOf(Some("pipeline".into())),
        };
        with(resource, Some(form), |call, request| -> Result<(), TestCaseError> {
            let keep = Keep::of(call.resource);
            let bytes = reply.to_string();
            let fast = shape_list_compact(call, request, bytes.as_bytes(), &keep, BASE).unwrap();
            prop_assert_eq!(fast, slow(call, request, reply));
            Ok(())
        })?;
    }
}
