//! Runs through the router, on a world in memory whose clock moves only when pushed.

mod approvals;
mod hostile;
mod input_sets;
mod listing;
mod logs;
mod runs;

use std::time::Duration;

use serde_json::{Value, json};

use crate::clock::Clock;
use crate::places;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Match, Router, as_unit};
use crate::scope::Scope;
use crate::store::{Key, Store};
use crate::world::World;
use crate::yaml;

const START: i64 = 1_796_032_800_000;

/// Organization `o` with project `p`, as every query of these tests names them.
const PLACE: &str = "accountIdentifier=Sandbox_Account_000001&orgIdentifier=o&projectIdentifier=p";

struct Sandbox {
    world: World,
    router: Router,
}

impl Sandbox {
    fn new() -> Self {
        let store = Store::in_memory().unwrap();
        store.insert(&Key::account(places::ORGANIZATION, "o"), &json!({}), START).unwrap();
        let project = Key::new(places::PROJECT, &Scope::organization("o"), "p");
        store.insert(&project, &json!({}), START).unwrap();
        let world = World::new(store, Clock::fixed(START), "http://127.0.0.1:4711");
        let mut routes = super::routes();
        routes.extend(crate::families::routes());
        Self { world, router: Router::new(routes) }
    }

    /// A sandbox with one pipeline.
    fn with(pipeline: Value) -> Self {
        let sandbox = Self::new();
        sandbox.add(pipeline);
        sandbox
    }

    fn add(&self, mut pipeline: Value) {
        let id = pipeline["identifier"].as_str().unwrap().to_owned();
        pipeline["orgIdentifier"] = json!("o");
        pipeline["projectIdentifier"] = json!("p");
        let text = yaml::write(&json!({"pipeline": pipeline}));
        let body = json!({"identifier": id, "name": pipeline["name"], "yaml": text});
        let key = Key::new("pipeline", &Scope::project("o", "p"), &id);
        self.world.store().put(&key, &body, START).unwrap();
    }

    fn pass(&self, seconds: u64) {
        self.world.clock.advance(Duration::from_secs(seconds));
    }

    fn send(&self, method: &str, target: &str, body: &str) -> Reply {
        let request = Request::new(method, target, body.as_bytes());
        let Match::Found(route, params) = self.router.find(&request) else {
            panic!("no route for {method} {target}")
        };
        as_unit(&self.world, || (route.handler)(&self.world, &request, &params))
    }

    /// Sends a request in the project and gives `data` of its success.
    fn data(&self, method: &str, path: &str, body: &str) -> Value {
        let reply = self.place(method, path, body);
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        reply.json().unwrap()["data"].clone()
    }

    fn place(&self, method: &str, path: &str, body: &str) -> Reply {
        let joint = if path.contains('?') { '&' } else { '?' };
        self.send(method, &format!("{path}{joint}{PLACE}"), body)
    }

    /// Sends a request that must be refused with 400 and gives code and message.
    fn refusal(&self, method: &str, path: &str, body: &str) -> (String, String) {
        let reply = self.place(method, path, body);
        let said = reply.json().unwrap_or_default();
        assert_eq!(reply.status, 400, "{said}");
        let text = |field: &str| said[field].as_str().unwrap_or_default().to_owned();
        (text("code"), text("message"))
    }

    fn run(&self, pipeline: &str, inputs: &str) -> String {
        let data = self.data("POST", &format!("/pipeline/api/pipeline/execute/{pipeline}"), inputs);
        data["planExecution"]["uuid"].as_str().unwrap().to_owned()
    }

    fn execution(&self, id: &str) -> Value {
        self.data("GET", &format!("/pipeline/api/pipelines/execution/v2/{id}"), "")
    }

    fn status(&self, id: &str) -> String {
        self.execution(id)["pipelineExecutionSummary"]["status"].as_str().unwrap().to_owned()
    }

    fn graph(&self, id: &str) -> Value {
        let path = format!("/pipeline/api/pipelines/execution/v2/{id}?renderFullBottomGraph=true");
        self.data("GET", &path, "")["executionGraph"].clone()
    }

    fn node(&self, id: &str, identifier: &str) -> Value {
        let graph = self.graph(id);
        let nodes = graph["nodeMap"].as_object().unwrap();
        nodes.values().find(|node| node["identifier"] == identifier).unwrap().clone()
    }

    fn interrupt(&self, id: &str, kind: &str) -> Reply {
        self.place(
            "PUT",
            &format!("/pipeline/api/pipeline/execute/interrupt/{id}?interruptType={kind}"),
            "",
        )
    }
}

fn step(id: &str) -> Value {
    json!({"step": {"identifier": id, "name": id, "type": "ShellScript",
        "tags": {"sandbox.duration": "10s"},
        "spec": {"source": {"spec": {"script": format!("echo hello from {id}")}}}}})
}

fn stage(id: &str, steps: Value) -> Value {
    json!({"stage": {"identifier": id, "name": id, "type": "Custom",
        "spec": {"execution": {"steps": steps}}}})
}

fn pipeline(id: &str, stages: Value) -> Value {
    json!({"identifier": id, "name": format!("The {id}"), "tags": {"team": "web"}, "stages": stages})
}
