//! Resource types of a user's own: served without a rebuild, checked, shown and tested.

use checkrein_testkit::{Asked, Place, Reply, Server, Upstream, answer_of};
use serde_json::json;

const WIDGET: &str = "\
resource: widget
title: Widget
toolset: services
about: Something only we have.
dialect: ng
scopes: [project]
ids: [widget_id]
inputs:
  widget_id: { is: text, about: Its identifier }
  colour: { is: text, about: Only those of this colour, values: [red, blue] }
operations:
  list:
    request: GET /widgets/api/widgets
    query: { colour: $colour }
  get:
    request: GET /widgets/api/widgets/{widget_id}
";

const CASES: &str = "\
- title: Blue ones
  call: { tool: harness_list, filters: { colour: blue } }
  request: GET /widgets/api/widgets
  query: { orgIdentifier: shop, projectIdentifier: web, page: 0, size: 20, colour: blue }
- title: This one is wrong
  call: { tool: harness_get, resource_id: w1 }
  request: GET /widgets/api/widget/w1
  query: { orgIdentifier: shop, projectIdentifier: web }
";

#[tokio::test]
async fn a_type_of_the_users_own_is_listed_and_read() {
    let upstream = Upstream::start(widgets).await;
    let place = Place::new()
        .with("HARNESS_API_KEY", "pat.account.id.secret")
        .with("HARNESS_BASE_URL", upstream.url())
        .with("HARNESS_ALLOW_HTTP", "true")
        .with("HARNESS_ORG", "shop")
        .with("HARNESS_PROJECT", "web");
    place.write("types/widget.yaml", WIDGET);
    place.write("types/broken.yaml", "resource: [");
    let arguments = ["serve", "stdio", "--catalog-dir", "types"];
    let mut server = Server::greeted(&place, &arguments, json!({})).await;

    let list = json!({"resource_type": "widget", "filters": {"colour": "BLUE"}});
    let listed = server.call("harness_list", list).await;
    assert_eq!(answer_of(&listed)["items"][0]["identifier"], "w1");
    let got =
        server.call("harness_get", json!({"resource_type": "widget", "resource_id": "a/b"})).await;
    assert_eq!(answer_of(&got)["content"][0]["identifier"], "w1");

    let asked: Vec<String> = upstream.asked().into_iter().map(|asked| asked.target).collect();
    assert!(asked[0].starts_with("/widgets/api/widgets?"), "{asked:?}");
    assert!(
        asked[0].contains("colour=blue") && asked[0].contains("orgIdentifier=shop"),
        "{asked:?}"
    );
    assert!(asked[1].starts_with("/widgets/api/widgets/a%2Fb?"), "{asked:?}");

    let (_, _, complaints) = server.leave().await;
    assert!(complaints.contains("broken.yaml:2:1: not YAML"), "{complaints}");
}

#[tokio::test]
async fn the_sandbox_answers_to_a_type_of_the_users_own() {
    let place = Place::new();
    let create = "  create:
    request: POST /widgets/api/widgets
    risk: low_write
    body: { document: {} }
";
    place.write("types/widget.yaml", &format!("{WIDGET}{create}"));
    let arguments = ["serve", "stdio", "--sandbox", "--catalog-dir", "types"];
    let mut server = Server::greeted(&place, &arguments, json!({})).await;

    let made = json!({"resource_type": "widget", "body": {"identifier": "w1", "name": "One"}});
    let made = server.call("harness_create", made).await;
    assert_eq!(answer_of(&made)["identifier"], "w1", "{made}");
    let listed = server.call("harness_list", json!({"resource_type": "widget"})).await;
    assert_eq!(answer_of(&listed)["items"][0]["identifier"], "w1", "{listed}");
}

#[test]
fn the_configuration_directory_of_the_user_counts_too() {
    let place = Place::new();
    place.write(".config/checkrein/catalog/widget.yaml", WIDGET);
    let output = place.run(&["catalog", "show", "widget"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("GET /widgets/api/widgets/{widget_id}"), "{text}");
}

#[test]
fn check_names_every_mistake_with_its_place() {
    let place = Place::new();
    place
        .write("types/widget.yaml", &WIDGET.replace("title", "titel").replace("$colour", "$color"));
    let output = place.run(&["catalog", "check", "types"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for mistake in [
        "types/widget.yaml:1:1: `title` is missing",
        "types/widget.yaml:2:1: unknown key `titel`, did you mean `title`?",
        "types/widget.yaml:14:22: unknown input `color`, did you mean `colour`?",
    ] {
        assert!(text.contains(mistake), "{mistake} is missing:\n{text}");
    }
}

#[test]
fn cases_are_tested() {
    let place = Place::new();
    place.write("types/widget.yaml", WIDGET);
    place.write("types/widget.cases.yaml", CASES);
    let output = place.run(&["catalog", "test", "types"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("widget.cases.yaml:5:3: This one is wrong"), "{text}");
    assert!(text.contains("2 cases, 1 failed"), "{text}");
}

fn widgets(_asked: &Asked) -> Reply {
    let page = json!({"content": [{"identifier": "w1", "name": "One"}], "totalElements": 1});
    Reply::json(200, &json!({"status": "SUCCESS", "data": page}))
}
