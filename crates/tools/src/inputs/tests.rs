use serde_json::json;

use super::*;
use crate::arguments::{Argument, Is};
use crate::shipped::resource;
use crate::tool::{ORG_ID, PARAMS, PROJECT_ID, RESOURCE_ID, RESOURCE_SCOPE};

const FILTERS: Argument = Argument::new("filters", Is::Object, "");
const OWN: &[&str] = &["org_id", "project_id", "resource_id"];
const URL: &str = "/ng/account/a/module/cd/orgs/urlorg/projects/urlproject/pipelines/urlpipe";

fn merged(name: &str, url: &str, given: Value) -> Inputs {
    let declared = [&ORG_ID, &PROJECT_ID, &RESOURCE_ID, &RESOURCE_SCOPE, &PARAMS, &FILTERS];
    let given = given.as_object().expect("an object").clone();
    let mut arguments = Arguments::read(&declared, given).expect("arguments");
    merge(resource(name), &PastedUrl::read(url), &mut arguments, OWN).expect("inputs")
}

#[test]
fn filters_win_over_params_and_those_over_arguments_and_those_over_the_url() {
    let inputs = merged(
        "pipeline",
        URL,
        json!({
            "org_id": "argument", "project_id": "",
            "params": { "module": "params", "org_id": "params", "branch": "params" },
            "filters": { "module": "filters" },
        }),
    );
    assert_eq!(
        Value::Object(inputs.values),
        json!({
            "module": "filters", "org_id": "params", "project_id": "urlproject",
            "pipeline_id": "urlpipe", "resource_id": "urlpipe", "branch": "params",
        })
    );
}

#[test]
fn the_identifier_of_a_page_is_only_for_its_own_type() {
    let page = "/ng/account/a/orgs/o/projects/p/pipelines/x/executions/e";
    assert_eq!(merged("execution", page, json!({})).values.get("resource_id"), Some(&json!("e")));
    let log = merged("execution_log", page, json!({})).values;
    assert_eq!(log.get("resource_id"), None);
    assert_eq!(log.get("execution_id"), Some(&json!("e")));
    let newer = merged("template_v1", "/ng/account/a/templates/t", json!({})).values;
    assert_eq!(newer.get("resource_id"), Some(&json!("t")));
}

#[test]
fn a_named_scope_wins_over_the_urls_which_counts_only_where_it_exists() {
    let page = "/ng/account/a/settings/resources/connectors/c";
    assert_eq!(merged("connector", page, json!({})).scope, Some(Scope::Account));
    assert_eq!(merged("pipeline", page, json!({})).scope, None);
    let named = merged("connector", page, json!({ "resource_scope": "org" }));
    assert_eq!(named.scope, Some(Scope::Org));
    let in_params = merged("connector", page, json!({ "params": { "resource_scope": "project" } }));
    assert_eq!(in_params.scope, Some(Scope::Project));
    assert_eq!(in_params.values.get("resource_scope"), None);
}

#[test]
fn values_are_spelled_as_the_platform_spells_them() {
    let resource = resource("pipeline");
    let list = &resource.operations["list"];
    let spelled = |module: Value| {
        let mut values = Map::new();
        values.insert("module".to_owned(), module);
        spell_values(resource, list, &mut values);
        values["module"].clone()
    };
    assert_eq!(spelled(json!("cd")), "CD");
    assert_eq!(spelled(json!("cd, ci")), "CD,CI");
    assert_eq!(spelled(json!("CD, CI")), "CD, CI");
    assert_eq!(spelled(json!("new")), "new");
    assert_eq!(spelled(json!(3)), 3);
}

#[test]
fn an_unknown_filter_is_refused_with_the_known_ones() {
    let resource = resource("pipeline");
    let list = &resource.operations["list"];
    let filters = |name: &str| Map::from_iter([(name.to_owned(), json!("x"))]);
    assert!(check_filters(resource, list, &filters("module")).is_ok());
    assert!(check_filters(resource, list, &filters("page")).is_ok());
    let refusal = check_filters(resource, list, &filters("modul")).expect_err("an error");
    let text = refusal.to_string();
    assert!(
        text.starts_with(
            "unknown filter `modul` for `pipeline`, did you mean `module`? Its filters: "
        ),
        "{text}"
    );
}
