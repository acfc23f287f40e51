use serde_json::json;

use super::*;
use crate::call::Defaults;
use crate::model::{ResourceType, Scope};
use crate::request::build;

const BASE: &str = "https://app.example.com/";

/// The result of a call of a thing whose page has this address.
fn linked(link: &str, name: &str, inputs: Value, scope: Option<Scope>, mut result: Value) -> Value {
    let catalog = crate::request::tests::catalog();
    let thing = catalog.get("thing").unwrap().clone();
    let resource = ResourceType { link: Some(link.to_owned()), ..thing };
    let defaults =
        Defaults { account: "acme".into(), org: Some("shop".into()), project: Some("web".into()) };
    let call = Call {
        resource: &resource,
        op_name: name,
        operation: &resource.operations[name],
        dialect: catalog.dialect(&resource).unwrap(),
        inputs: inputs.as_object().unwrap(),
        scope,
        defaults: &defaults,
    };
    let request = build(&call).unwrap();
    add(&call, &request, BASE, &mut result);
    result
}

const PAGE: &str = "/ng/account/{account}/all/orgs/{org}/projects/{project}/things/{thing_id}";

#[test]
fn a_result_is_linked_by_the_identifier_of_the_call() {
    let inputs = json!({"box_id": "b", "thing_id": "a/b"});
    let result = linked(PAGE, "get", inputs, None, json!({"storeType": "REMOTE"}));
    assert_eq!(
        result[LINK],
        "https://app.example.com/ng/account/acme/all/orgs/shop/projects/web/things/a%2Fb?\
         storeType=REMOTE"
    );
}

#[test]
fn an_item_is_linked_by_its_own_identifier_or_that_of_what_it_wraps() {
    let inputs = json!({"box_id": "b", "kind": "Red"});
    let page = json!({"items": [
        {"identifier": "i", "name": "n"}, {"name": "n"}, {"service": {"identifier": "s"}}, 7, {}
    ]});
    let result = linked("/things/{thing_id}", "list", inputs, None, page);
    let links: Vec<&Value> =
        result["items"].as_array().unwrap().iter().map(|item| &item[LINK]).collect();
    assert_eq!(
        links,
        [
            &json!("https://app.example.com/things/i"),
            &json!("https://app.example.com/things/n"),
            &json!("https://app.example.com/things/s"),
            &Value::Null,
            &Value::Null,
        ]
    );
}

#[test]
fn without_organization_or_project_the_path_is_shorter() {
    let link = "/ng/account/{account}/all/orgs/{org}/projects/{project}/settings/{thing_id}";
    let inputs = json!({"box_id": "b", "kind": "Red"});
    let page = json!({"items": [{"identifier": "i"}]});
    let result = linked(link, "list", inputs, Some(Scope::Account), page);
    assert_eq!(result["items"][0][LINK], "https://app.example.com/ng/account/acme/settings/i");
}

#[test]
fn a_link_with_a_place_that_nothing_fills_is_left_out() {
    let inputs = json!({"box_id": "b", "thing_id": "t"});
    let result = linked("/x/{number}", "get", inputs.clone(), None, json!({"a": 1}));
    assert_eq!(result, json!({"a": 1}));
    let result = linked("/x/{number}", "get", inputs, None, json!({"number": 7}));
    assert_eq!(result[LINK], "https://app.example.com/x/7");
}

#[test]
fn what_is_no_object_gets_no_link() {
    let inputs = json!({"box_id": "b", "thing_id": "t"});
    assert_eq!(linked(PAGE, "get", inputs, None, json!(["x"])), json!(["x"]));
}
