use proptest::prelude::*;
use serde_json::{Value, json};

use super::{PLACE, Sandbox, pipeline, stage, step};
use crate::request::Request;
use crate::router::{Match, Route, as_unit};

/// A sandbox with a run, an input set and a repository, so that requests can go deep.
fn lived_in() -> (Sandbox, String) {
    let sandbox = Sandbox::with(pipeline("build", json!([stage("one", json!([step("a")]))])));
    let id = sandbox.run("build", "");
    sandbox.pass(5);
    let scope = crate::scope::Scope::project("o", "p");
    let store = sandbox.world.store();
    crate::code::seed_repositories(&sandbox.world, &store, &scope, super::START).unwrap();
    drop(store);
    (sandbox, id)
}

fn routes() -> Vec<Route> {
    [crate::execution::routes(), crate::code::routes()].concat()
}

/// The path of a pattern with each parameter replaced.
fn path(pattern: &str, value: &str) -> String {
    let encoded = |text: &str| {
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
    };
    let part = |piece: &str| if piece.starts_with('{') { encoded(value) } else { piece.to_owned() };
    pattern.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn answer(sandbox: &Sandbox, route: Route, value: &str, query: &str, body: &[u8]) -> u16 {
    let target = format!("{}?{PLACE}&{query}", path(route.pattern, value));
    let request = Request::new(route.method, &target, body);
    let Match::Found(route, params) = sandbox.router.find(&request) else { return 404 };
    as_unit(&sandbox.world, || (route.handler)(&sandbox.world, &request, &params)).status
}

#[test]
fn every_route_answers_whatever_is_sent() {
    let (sandbox, id) = lived_in();
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let bodies = [
        "",
        "null",
        "[]",
        "{}",
        "\"x\"",
        "1e999",
        "{\"pipeline\":[]}",
        "a: [",
        "\u{0}",
        &deep,
        "{\"actions\":[{\"action\":\"MOVE\",\"path\":\"README.md\"}],\"title\":\"t\",\"branch\":\"main\"}",
    ];
    let values = [
        "build",
        "storefront",
        "main",
        "1",
        "..",
        "a/b",
        "a...b",
        "é\u{202e}",
        "x?y#z",
        id.as_str(),
    ];
    let queries = [
        "",
        "page=-1&size=0&limit=-1",
        "interruptType=AbortAll&pipelineIdentifier=build",
        "git_ref=main&line_from=99999999999999999999",
        "accountID=Sandbox_Account_000001&prefix=/&key=/",
    ];
    for route in routes() {
        for value in values {
            for (body, query) in bodies.iter().zip(queries.iter().cycle()) {
                let status = answer(&sandbox, route, value, query, body.as_bytes());
                let told = format!("{} {} {value:?} {query} {body:?}", route.method, route.pattern);
                assert!((200..500).contains(&status), "{told}: {status}");
            }
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "build",
        "one",
        "a",
        "main",
        "<+input>",
        "<+input>.default(",
        "APPROVE",
        "open",
        "merge",
        "CREATE",
        "README.md",
        "../x",
        "",
        "1",
        "é",
        "0:9\u{0}x",
        "approved",
        "closed",
        "base64",
    ]);
    let leaf = prop_oneof![
        words.prop_map(|word| json!(word)),
        any::<i64>().prop_map(|n| json!(n)),
        any::<bool>().prop_map(|b| json!(b)),
        Just(Value::Null),
    ];
    let names = prop::sample::select(vec![
        "pipeline",
        "inputSet",
        "stages",
        "stage",
        "parallel",
        "spec",
        "execution",
        "steps",
        "step",
        "identifier",
        "name",
        "type",
        "variables",
        "value",
        "when",
        "failureStrategies",
        "onFailure",
        "action",
        "actions",
        "path",
        "payload",
        "encoding",
        "branch",
        "title",
        "text",
        "parent_id",
        "line_start",
        "line_end",
        "method",
        "source_sha",
        "dry_run",
        "state",
        "source_branch",
        "target_branch",
        "decision",
        "definition",
        "pattern",
        "yaml",
        "inputs_yaml",
        "status",
        "timeRange",
        "inputSetReferences",
        "approverInputs",
        "reviewer_id",
    ]);
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..6).prop_map(|fields| {
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn no_body_makes_a_route_fail(bodies in prop::collection::vec(any_json(), 8)) {
        let (sandbox, id) = lived_in();
        for route in routes() {
            for (body, value) in bodies.iter().zip(["build", "storefront", "1", "2", "main", &id, "one", "a"]) {
                let text = body.to_string();
                let status = answer(&sandbox, route, value, "pipelineIdentifier=build", text.as_bytes());
                prop_assert!((200..500).contains(&status), "{} {} {value}: {status} {text}", route.method, route.pattern);
            }
        }
    }
}
