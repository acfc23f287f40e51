//! The code service through the router, on a world in memory.

mod commits;
mod merges;
mod pulls;
mod repos;

use serde_json::{Value, json};

use crate::clock::Clock;
use crate::places;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Match, Router, as_unit};
use crate::scope::Scope;
use crate::store::{Key, Store};
use crate::world::World;

const START: i64 = 1_796_032_800_000;

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
        Self { world, router: Router::new(super::routes()) }
    }

    /// A sandbox with repository `r`, whose `main` holds `a.txt` with five lines.
    fn with_repo() -> Self {
        let sandbox = Self::new();
        sandbox.made("POST", "/repos", json!({"identifier": "r"}));
        sandbox.commit("main", &[("CREATE", "a.txt", "one\ntwo\nthree\nfour\nfive\n")]);
        sandbox
    }

    fn seeded() -> Self {
        let sandbox = Self::new();
        let store = sandbox.world.store();
        super::seed_repositories(&sandbox.world, &store, &Scope::project("o", "p"), START).unwrap();
        drop(store);
        sandbox
    }

    fn tick(&self) {
        self.world.clock.advance(std::time::Duration::from_secs(60));
    }

    fn send_with(&self, method: &str, path: &str, body: &Value, accept: &str) -> Reply {
        let joint = if path.contains('?') { '&' } else { '?' };
        let target = format!(
            "/code/api/v1{path}{joint}accountIdentifier=A&orgIdentifier=o&projectIdentifier=p"
        );
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let mut request = Request::new(method, &target, text.as_bytes());
        request.headers.push(("accept".to_owned(), accept.to_owned()));
        let Match::Found(route, params) = self.router.find(&request) else {
            panic!("no route for {method} {path}")
        };
        as_unit(&self.world, || (route.handler)(&self.world, &request, &params))
    }

    fn send(&self, method: &str, path: &str, body: Value) -> Reply {
        self.send_with(method, path, &body, "application/json")
    }

    /// Sends what must succeed and gives its body.
    fn made(&self, method: &str, path: &str, body: Value) -> Value {
        let reply = self.send(method, path, body);
        assert!(
            reply.is_success(),
            "{path}: {} {}",
            reply.status,
            String::from_utf8_lossy(&reply.body)
        );
        reply.json().unwrap_or_default()
    }

    fn get(&self, path: &str) -> Value {
        self.made("GET", path, Value::Null)
    }

    /// Sends what must be refused and gives status and message.
    fn refused(&self, method: &str, path: &str, body: Value) -> (u16, String) {
        let reply = self.send(method, path, body);
        assert!(!reply.is_success(), "{path} should be refused");
        let message = reply.json().unwrap()["message"].as_str().unwrap().to_owned();
        (reply.status, message)
    }

    fn commit(&self, branch: &str, actions: &[(&str, &str, &str)]) -> String {
        self.tick();
        let actions: Vec<Value> = actions
            .iter()
            .map(|(action, path, payload)| json!({"action": action, "path": path, "payload": payload}))
            .collect();
        let body =
            json!({"title": format!("Change {branch}"), "branch": branch, "actions": actions});
        let commit = self.made("POST", "/repos/r/commits", body);
        commit["commit_id"].as_str().unwrap().to_owned()
    }

    fn branch(&self, name: &str) {
        self.made("POST", "/repos/r/branches", json!({"name": name, "target": "main"}));
    }

    /// Opens a pull request of a branch into main and gives its number.
    fn pull(&self, source: &str) -> u64 {
        let body = json!({"title": format!("Take {source}"), "source_branch": source, "target_branch": "main"});
        self.made("POST", "/repos/r/pullreq", body)["number"].as_u64().unwrap()
    }

    fn text_of(&self, branch: &str, path: &str) -> Option<String> {
        let scope = Scope::project("o", "p");
        super::file_text(&self.world, &self.world.store(), &scope, "r", branch, path).unwrap()
    }
}
