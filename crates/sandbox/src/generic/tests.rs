use serde_json::{Value, json};

use super::{Envelope, Generic, GenericRoute, Operation};
use crate::clock::Clock;
use crate::reply::Reply;
use crate::request::Request;
use crate::store::Store;
use crate::world::World;

const ONE: &str = "/fme/flags/{flag}";

fn generic() -> Generic {
    let route = |method: &str, path: &str, operation, envelope| GenericRoute {
        method: method.to_owned(),
        path_template: path.to_owned(),
        kind: "flag".to_owned(),
        operation,
        envelope,
    };
    Generic::new(vec![
        route("GET", "/fme/flags", Operation::List, Envelope::Keyed("data".to_owned())),
        route("POST", "/fme/flags", Operation::Create, Envelope::Bare),
        route("GET", ONE, Operation::Get, Envelope::Bare),
        route("PATCH", ONE, Operation::Update, Envelope::Bare),
        route("DELETE", ONE, Operation::Delete, Envelope::Bare),
        route("POST", "/fme/flags/{flag}/archive", Operation::Action, Envelope::Data),
    ])
}

#[test]
fn what_is_created_can_be_read_listed_changed_and_removed() {
    let world = World::new(Store::in_memory().unwrap(), Clock::fixed(1), "http://x");
    let generic = generic();
    let ask = |method: &str, target: &str, body: Value| -> Reply {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        generic.answer(&world, &Request::new(method, target, body.as_bytes())).unwrap()
    };
    let json_of = |reply: Reply| reply.json().unwrap();
    let flag = json!({"name": "dark", "description": "d"});
    assert_eq!(json_of(ask("POST", "/fme/flags", flag.clone())), flag);
    assert_eq!(ask("POST", "/fme/flags", flag.clone()).status, 409);
    assert_eq!(json_of(ask("GET", "/fme/flags/dark", json!(null))), flag);
    ask("PATCH", "/fme/flags/dark", json!({"description": null, "owner": "me"}));
    let changed = json!({"name": "dark", "owner": "me"});
    assert_eq!(json_of(ask("GET", "/fme/flags?limit=5", json!(null)))["data"], json!([changed]));
    assert_eq!(json_of(ask("POST", "/fme/flags/dark/archive", json!({})))["data"], changed);
    assert_eq!(ask("DELETE", "/fme/flags/dark", json!(null)).status, 204);
    assert_eq!(ask("GET", "/fme/flags/dark", json!(null)).status, 404);
}
