use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::call::Defaults;
use crate::catalog::Catalog;
use crate::model::Scope;

const FILES: [(&str, &str); 3] = [
    ("toolsets.yaml", "- { name: t, title: T }\n"),
    (
        "dialects/ng.yaml",
        "{ name: ng, org_param: orgIdentifier, project_param: projectIdentifier, scope_in_body: true, \
         paging: { page: $page, size: $size } }\n",
    ),
    (
        "t/thing.yaml",
        "
resource: thing
title: Thing
toolset: t
about: A thing.
dialect: ng
scopes: [project, org, account]
ids: [box_id, thing_id]
inputs:
  box_id: { is: text }
  thing_id: { is: text }
  kind: { is: text, values: [Red, Green] }
  tags: { is: array }
  mode: { is: text }
operations:
  list:
    request: GET /box/{box_id}/things
    query: { kind: $kind, tag: $tags, page: { one_based: page }, mode: { input: mode, or: plain } }
    need: [kind]
  get:
    request: GET /log-service/{box_id}/{thing_id}
    variants:
      - { when: '$mode == \"raw\"', request: \"GET /raw/{thing_id}\" }
  create:
    request: POST /things
    risk: low_write
    wrapper: thing
    body: { document: { wrap: thing, fill: { box_id: box } } }
    fields: { name: { need: true }, kind: { need: true } }
  update:
    request: PUT /things/{thing_id}
    risk: low_write
    body: { document: { id: { thing_id: identifier }, yaml_of: thing } }
actions:
  note:
    request: POST /things/{thing_id}/note
    risk: low_write
    headers: { Content-Type: text/plain, X-Extra: y }
    body: { text: '$body.text | need(\"text\")' }
  upload:
    request: POST /upload
    risk: low_write
    body: { multipart: '{ name: $mode, none: null, tag: $tags, content: { base64: $body.data, filename: \"a.txt\" } }' }
",
    ),
];

pub(crate) fn catalog() -> Catalog {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let (catalog, problems) = crate::read::catalogue(dir.path());
    assert_eq!(problems, []);
    catalog
}

fn with<T>(
    name: &str,
    inputs: &Value,
    scope: Option<Scope>,
    then: impl FnOnce(Result<WireRequest, CallError>) -> T,
) -> T {
    let catalog = catalog();
    let resource = catalog.get("thing").unwrap();
    let operation =
        resource.operations.get(name).unwrap_or_else(|| resource.actions.get(name).unwrap());
    let defaults =
        Defaults { account: "acme".into(), org: Some("shop".into()), project: Some("web".into()) };
    then(build(&Call {
        resource,
        op_name: name,
        operation,
        dialect: catalog.dialect(resource).unwrap(),
        inputs: inputs.as_object().unwrap(),
        scope,
        defaults: &defaults,
    }))
}

fn made(name: &str, inputs: Value) -> WireRequest {
    with(name, &inputs, None, Result::unwrap)
}

fn refused(name: &str, inputs: Value) -> String {
    with(name, &inputs, None, |made| made.unwrap_err().to_string())
}

fn body(request: &WireRequest) -> Value {
    match &request.body {
        WireBody::Json(bytes) => serde_json::from_slice(bytes).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_query_has_account_scope_paging_and_then_what_the_operation_states() {
    let inputs =
        json!({"box_id": "b", "kind": "red", "tags": ["x", null, "", "y z"], "page": 2, "size": 5});
    assert_eq!(
        made("list", inputs).target(),
        "/box/b/things?accountIdentifier=acme&routingId=acme&orgIdentifier=shop&\
         projectIdentifier=web&page=3&size=5&kind=Red&tag=x&tag=y%20z&mode=plain"
    );
}

#[test]
fn known_filter_values_are_spelled_as_the_platform_spells_them() {
    let kind = |kind: &str| {
        let request = made("list", json!({"box_id": "b", "kind": kind}));
        request.query_value("kind").unwrap().to_owned()
    };
    assert_eq!(kind("GREEN, red"), "Green,Red");
    assert_eq!(kind("blue"), "blue");
    assert_eq!(kind("Red , Green"), "Red , Green", "nothing is touched without need");
}

#[test]
fn an_explicit_scope_decides_what_is_in_the_query() {
    let keys = |scope| {
        let inputs = json!({"box_id": "b", "thing_id": "t"});
        with("get", &inputs, Some(scope), |made| made.unwrap().target())
    };
    assert!(!keys(Scope::Account).contains("orgIdentifier"));
    assert!(keys(Scope::Org).contains("orgIdentifier=shop"));
    assert!(!keys(Scope::Org).contains("projectIdentifier"));
    assert!(keys(Scope::Project).contains("projectIdentifier=web"));
}

#[test]
fn log_paths_carry_the_account_once_more() {
    let request = made("get", json!({"box_id": "b", "thing_id": "t"}));
    assert_eq!(request.query_value("accountID"), Some("acme"));
}

#[test]
fn a_variant_is_taken_when_its_condition_holds() {
    let request = made("get", json!({"thing_id": "t", "mode": "raw"}));
    assert_eq!(request.path, "/raw/t");
}

#[test]
fn everything_that_is_missing_is_named_with_where_to_pass_it() {
    assert_eq!(
        refused("get", json!({})),
        "thing.get needs `box_id`, `thing_id`; pass them in `params` (the last may be the \
         `resource_id`)"
    );
    assert_eq!(
        refused("list", json!({})),
        "thing.list needs `kind`, `box_id`; pass it in `filters`"
    );
    assert_eq!(
        refused("create", json!({"body": {"thing": {"x": 1}}})),
        "thing.create needs `name`, `kind`; put it into `body`"
    );
    assert_eq!(refused("create", json!({})), "thing.create needs `body`; pass it as `body`");
}

#[test]
fn resource_id_is_not_offered_for_what_it_cannot_stand_for() {
    assert_eq!(
        refused("get", json!({"thing_id": "t"})),
        "thing.get needs `box_id`; pass it in `params`"
    );
    assert_eq!(
        refused("get", json!({"box_id": "b"})),
        "thing.get needs `thing_id`; pass it as `resource_id` or in `params`"
    );
}

#[test]
fn hostile_identifiers_are_refused() {
    assert!(refused("get", json!({"box_id": "..", "thing_id": "t"})).contains("must not be `..`"));
}

#[test]
fn a_document_is_wrapped_filled_and_scoped() {
    let request = made(
        "create",
        json!({"box_id": "b", "body": {"name": "n", "kind": "k", "gone": null, "list": [null]}}),
    );
    assert_eq!(
        body(&request),
        json!({"thing": {"name": "n", "kind": "k", "list": [null], "box": "b",
            "orgIdentifier": "shop", "projectIdentifier": "web"}})
    );
}

#[test]
fn a_document_may_be_yaml_text_and_its_yaml_form_is_added() {
    let request = made("update", json!({"thing_id": "t", "body": "name: nn\nage: 1.50\n"}));
    assert_eq!(
        body(&request),
        json!({"name": "nn", "age": serde_json::from_str::<Value>("1.50").unwrap(), "identifier": "t",
            "yaml": "thing:\n  name: nn\n  age: 1.50\n  identifier: t\n",
            "orgIdentifier": "shop", "projectIdentifier": "web"})
    );
    let message = refused("update", json!({"thing_id": "t", "body": {"identifier": "u"}}));
    assert!(message.contains("`thing_id` is `t`, but the body says `identifier: u`"), "{message}");
    assert!(refused("update", json!({"thing_id": "t", "body": [1]})).contains("must be an object"));
    let message = refused("update", json!({"thing_id": "t", "body": "a: [1"}));
    assert!(message.contains("is not valid YAML: line"), "{message}");
}

#[test]
fn a_content_type_header_decides_the_media_type_and_the_rest_stays() {
    let request = made("note", json!({"thing_id": "t", "body": {"text": "hi"}}));
    assert_eq!(request.body, WireBody::Text { media_type: "text/plain".into(), text: "hi".into() });
    assert_eq!(request.headers, [("X-Extra".to_owned(), "y".to_owned())]);
}

#[test]
fn parts_of_a_form_are_texts_and_files() {
    let request =
        made("upload", json!({"mode": "m", "tags": ["a", "b"], "body": {"data": "aGk="}}));
    let WireBody::Multipart(parts) = &request.body else { panic!("{:?}", request.body) };
    let told: Vec<String> = parts
        .iter()
        .map(|part| format!("{}={}", part.name, String::from_utf8_lossy(&part.bytes)))
        .collect();
    assert_eq!(told, ["name=m", "tag=a", "tag=b", "content=hi"]);
    assert_eq!(parts[3].filename.as_deref(), Some("a.txt"));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(vec!["..", ".", "../x", "%2e%2e", "a/b", "a?b#c", "\u{0}", "\r\n"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,4}", inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn hostile_inputs_never_panic_and_never_leave_their_place(
        name in prop::sample::select(vec!["list", "get", "create", "update", "note", "upload"]),
        values in prop::collection::vec(any_value(), 8),
    ) {
        let keys = ["box_id", "thing_id", "kind", "tags", "mode", "body", "page", "org_id"];
        let inputs: Map<String, Value> =
            keys.into_iter().map(str::to_owned).zip(values).collect();
        with(name, &Value::Object(inputs), None, |made| -> Result<(), TestCaseError> {
            if let Ok(request) = made {
                let segments = request.path.split('/').count();
                prop_assert!((2..=4).contains(&segments), "{}", request.path);
                prop_assert!(!request.path.contains(['?', '#', ' ', '\r', '\n']));
            }
            Ok(())
        })?;
    }
}
