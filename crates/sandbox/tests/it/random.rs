//! Whatever is sent, an answer comes.

use std::sync::OnceLock;

use checkrein_sandbox::clock::Clock;
use checkrein_sandbox::platform::Platform;
use checkrein_sandbox::request::{Part, Request};
use checkrein_sandbox::store::Store;
use checkrein_sandbox::{Envelope, GenericRoute, Operation, Seed};
use proptest::prelude::*;
use proptest::sample::select;

use crate::client::NOW;

const PATHS: [&str; 44] = [
    "/ng/api/organizations",
    "/ng/api/organizations/{id}",
    "/ng/api/projects",
    "/ng/api/projects/{id}",
    "/pipeline/api/pipelines/list",
    "/pipeline/api/pipelines/v2",
    "/pipeline/api/pipelines/{id}",
    "/pipeline/api/pipelines/summary/{id}",
    "/pipeline/api/pipelines/import",
    "/pipeline/api/pipelines/move-config/{id}",
    "/pipeline/api/triggers",
    "/pipeline/api/triggers/{id}",
    "/pipeline/api/inputSets",
    "/pipeline/api/inputSets/template",
    "/pipeline/api/pipeline/execute/{id}",
    "/pipeline/api/pipelines/execution/summary",
    "/pipeline/api/pipelines/execution/v2/{id}",
    "/ng/api/servicesV2",
    "/ng/api/servicesV2/{id}",
    "/ng/api/environmentsV2",
    "/ng/api/environmentsV2/{id}",
    "/ng/api/infrastructures",
    "/ng/api/connectors",
    "/ng/api/connectors/{id}",
    "/ng/api/connectors/testConnection/{id}",
    "/ng/api/v2/secrets",
    "/ng/api/delegate-token-ng",
    "/template/api/templates",
    "/template/api/templates/{id}/{id}",
    "/ng/api/user/users",
    "/ng/api/user-groups",
    "/ng/api/serviceaccount",
    "/authz/api/roles",
    "/authz/api/roleassignments",
    "/authz/api/v2/resourcegroup",
    "/ng/api/freeze",
    "/ng/api/freeze/updateFreezeStatus",
    "/ng/api/settings",
    "/ng/api/serviceOverrides",
    "/ng/api/file-store",
    "/audit/api/audits/list",
    "/audit/api/auditYaml",
    "/generic/things/{id}",
    "/code/api/v1/repos/{id}/branches",
];

const BODIES: [&str; 14] = [
    "",
    "{}",
    "[]",
    "null",
    "{",
    "\"text\"",
    "pipeline: [",
    "a: &a [*a]",
    "{\"emails\":[1,null]}",
    "pipeline:\n  identifier: x\n  name: x\n  orgIdentifier: default\n  projectIdentifier: storefront\n  stages:\n    - parallel: 3\n",
    "freeze:\n  identifier: f\n  name: f\n  status: Enabled\n  windows:\n    - {timeZone: UTC, startTime: 9999-12-31 11:59 PM, duration: 365d, recurrence: {type: Yearly}}\n",
    "{\"identifier\":\"x\",\"name\":\"x\",\"type\":\"Production\",\"email\":\"a@b.c\",\"tags\":{\"a\":1}}",
    "{\"connector\":{\"identifier\":\"x\",\"name\":\"x\",\"type\":\"Github\",\"spec\":[]}}",
    "{\"secret\":{\"identifier\":\"x\",\"name\":\"x\",\"type\":\"SecretText\",\"spec\":7}}",
];

fn request() -> impl Strategy<Value = (String, String, Vec<u8>, bool)> {
    let id = prop_oneof![
        select(vec![
            "x",
            "web",
            "default",
            "build_and_test",
            "%2e%2e",
            "a%2Fb",
            "%00",
            "%ff",
            "😀"
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,12}".prop_map(|text| text.replace(['/', '?', '#', ' '], "_")),
    ];
    let query = prop_oneof![
        Just("orgIdentifier=default&projectIdentifier=storefront".to_owned()),
        Just("orgIdentifier=default&projectIdentifier=storefront&targetIdentifier=build_and_test&pipelineIdentifier=smoke_tests&environmentIdentifier=staging&category=CORE".to_owned()),
        Just("page=99999999999999999999&size=-1&sort=,,&searchTerm=%ff".to_owned()),
        Just("page=18446744073709551615&pageIndex=9223372036854775807&limit=1000".to_owned()),
        "[ -~]{0,40}",
    ];
    let body = prop_oneof![
        4 => select(BODIES.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..64),
    ];
    let method = select(vec!["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "BREW"]);
    (method, select(PATHS.to_vec()), id, query, body, any::<bool>()).prop_map(
        |(method, path, id, query, body, as_form)| {
            (method.to_owned(), format!("{}?{query}", path.replace("{id}", &id)), body, as_form)
        },
    )
}

fn platform() -> &'static Platform {
    // One world for all cases: what earlier requests left behind is part of the test.
    static PLATFORM: OnceLock<Platform> = OnceLock::new();
    PLATFORM.get_or_init(|| {
        let operations = [
            ("GET", Operation::Get),
            ("POST", Operation::Action),
            ("PUT", Operation::Update),
            ("PATCH", Operation::Update),
            ("DELETE", Operation::Delete),
        ];
        let routes = operations.map(|(method, operation)| GenericRoute {
            method: method.to_owned(),
            path_template: "/generic/things/{id}".to_owned(),
            kind: "thing".to_owned(),
            operation,
            envelope: Envelope::Bare,
        });
        let store = Store::in_memory().unwrap();
        Platform::new(store, Clock::fixed(NOW), "http://x", Seed::World, routes.to_vec()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_requests_is_answered(requests in proptest::collection::vec(request(), 1..8)) {
        for (method, target, body, as_form) in requests {
            let mut request = Request::new(&method, &target, &body);
            if as_form {
                let part = Part { name: "content".to_owned(), file_name: None, bytes: body };
                request.parts = vec![part];
            }
            let reply = platform().answer(&request);
            prop_assert!((200..600).contains(&reply.status), "{method} {target}");
            let is_internal = reply.status == 500;
            prop_assert!(!is_internal, "{method} {target}: {}", String::from_utf8_lossy(&reply.body));
        }
    }
}
