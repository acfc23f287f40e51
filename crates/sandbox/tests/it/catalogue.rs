//! Every operation of the shipped catalogue is answered, by a family or by the generic store.

use std::path::Path;

use checkrein_catalog::model::Method;
use checkrein_sandbox::clock::Clock;
use checkrein_sandbox::platform::Platform;
use checkrein_sandbox::request::Request;
use checkrein_sandbox::store::Store;
use checkrein_sandbox::{Seed, generic_routes};

use crate::client::{NOW, STOREFRONT};

#[test]
fn no_operation_of_the_catalogue_meets_an_unknown_path_or_an_internal_error() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
    let (catalog, problems) = checkrein_catalog::read::catalogue(&folder);
    assert_eq!(problems, []);
    let routes = generic_routes(&catalog);
    let store = Store::in_memory().unwrap();
    let platform =
        Platform::new(store, Clock::fixed(NOW), "http://x", Seed::World, routes).unwrap();
    let mut seen = 0;
    for (resource, name, operation) in catalog.all() {
        let value = |input: &str| {
            Some(match input {
                "org_id" | "org" => "default".to_owned(),
                "project_id" | "project" => "storefront".to_owned(),
                _ => "something".to_owned(),
            })
        };
        let path = operation.request.path.fill(value).unwrap();
        let method = operation.request.method;
        let body: &[u8] = if method == Method::Get { b"" } else { b"{}" };
        let request = Request::new(method.word(), &format!("{path}?{STOREFRONT}"), body);
        let reply = platform.answer(&request);
        let said = String::from_utf8_lossy(&reply.body);
        let is_unknown = said.contains("HTTP 404 Not Found") || reply.status == 405;
        assert!(!is_unknown, "{}.{name} {} {path}: {said}", resource.name, method.word());
        assert_ne!(reply.status, 500, "{}.{name} {} {path}: {said}", resource.name, method.word());
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}
