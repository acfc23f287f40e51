//! Plants entities through the platform's own routes while the clock stands in the past.

use std::time::Duration;

use serde_json::{Value, json};

use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Match, Router};
use crate::scope::Scope;
use crate::store::StoreError;
use crate::world::World;

/// Sends requests at moments of the past, all in one transaction.
pub(super) struct Gardener<'a> {
    pub(super) world: &'a World,
    router: &'a Router,
    now_ms: i64,
    at_ms: i64,
    refusals: Vec<String>,
}

impl<'a> Gardener<'a> {
    /// Turns the clock back and opens the transaction.
    pub(super) fn begin(
        world: &'a World,
        router: &'a Router,
        ago: Duration,
    ) -> Result<Self, StoreError> {
        world.store().batch("BEGIN")?;
        let now_ms = world.now_ms();
        let mut gardener = Self { world, router, now_ms, at_ms: now_ms, refusals: Vec::new() };
        gardener.at_ms -= millis(ago);
        world.clock.travel_to(gardener.at_ms);
        Ok(gardener)
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, by: Duration) {
        self.at_ms = (self.at_ms + millis(by)).min(self.now_ms);
        self.world.clock.travel_to(self.at_ms);
    }

    /// Lets time pass until `ago` before now.
    pub(super) fn until(&mut self, ago: Duration) {
        self.at_ms = self.at_ms.max(self.now_ms - millis(ago));
        self.world.clock.travel_to(self.at_ms);
    }

    /// The moment the sandbox starts at.
    pub(super) fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// Notes a refusal.
    pub(super) fn refused(&mut self, what: &str, reply: &Reply) {
        self.refusals.push(format!("{what}: {}", String::from_utf8_lossy(&reply.body)));
    }

    /// Sets the clock right again and keeps what was planted.
    pub(super) fn finish(self) -> Result<Vec<String>, StoreError> {
        self.world.clock.travel_to(self.now_ms);
        self.world.store().batch("COMMIT")?;
        for refusal in &self.refusals {
            tracing::warn!(refusal, "A seeded entity was refused");
        }
        Ok(self.refusals)
    }

    /// Sends one request.
    pub(super) fn send(&mut self, method: &str, target: &str, body: &str) {
        let request = Request::new(method, target, body.as_bytes());
        let reply = match self.router.find(&request) {
            Match::Found(route, params) => (route.handler)(self.world, &request, &params),
            _ => Reply::invalid("no such route"),
        };
        if !reply.is_success() {
            self.refused(&format!("{method} {target}"), &reply);
        }
    }

    /// Plants an entity of `world.yaml`.
    pub(super) fn entity(&mut self, entity: &Value) {
        let kind = text(entity, "kind");
        let (path, wrapper) = match kind {
            "organization" => ("/ng/api/organizations", "organization"),
            "project" => ("/ng/api/projects", "project"),
            "secret" => ("/ng/api/v2/secrets", "secret"),
            "connector" => ("/ng/api/connectors", "connector"),
            "service" => ("/ng/api/servicesV2", ""),
            "environment" => ("/ng/api/environmentsV2", ""),
            "infrastructure" => ("/ng/api/infrastructures", ""),
            _ => ("/ng/api/serviceOverrides", ""),
        };
        let mut fields = entity.as_object().cloned().unwrap_or_default();
        fields.shift_remove("at");
        fields.shift_remove("kind");
        let body = match wrapper {
            "" => Value::Object(fields),
            wrapper => json!({wrapper: fields}),
        };
        self.send("POST", &format!("{path}?{}", query(entity)), &body.to_string());
    }

    /// Plants a template or trigger of `texts.yaml`.
    pub(super) fn text(&mut self, entity: &Value) {
        let target = match text(entity, "kind") {
            "trigger" => {
                let of = text(entity, "of");
                format!("/pipeline/api/triggers?{}&targetIdentifier={of}", query(entity))
            }
            _ => format!("/template/api/templates?{}", query(entity)),
        };
        self.send("POST", &target, text(entity, "yaml"));
    }

    /// Plants an input set.
    pub(super) fn input_set(&mut self, entity: &Value) {
        let (query, of) = (query(entity), text(entity, "of"));
        let target = format!("/pipeline/api/inputSets?{query}&pipelineIdentifier={of}");
        self.send("POST", &target, text(entity, "yaml"));
    }

    /// Plants a pipeline where its YAML says.
    pub(super) fn pipeline(&mut self, yaml: &str) {
        let (scope, _) = home(yaml);
        let target = format!(
            "/pipeline/api/pipelines/v2?orgIdentifier={}&projectIdentifier={}",
            scope.org, scope.project
        );
        self.send("POST", &target, yaml);
    }
}

/// Scope and identifier a pipeline's YAML names.
pub(super) fn home(yaml: &str) -> (Scope, String) {
    let line = |name: &str| {
        let found =
            yaml.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or_default().to_owned()
    };
    let scope = Scope::project(&line("orgIdentifier"), &line("projectIdentifier"));
    (scope, line("identifier"))
}

fn query(entity: &Value) -> String {
    let at = text(entity, "at");
    match at.split_once('/') {
        Some((org, project)) => format!("orgIdentifier={org}&projectIdentifier={project}"),
        None if at == "account" => String::new(),
        None => format!("orgIdentifier={at}"),
    }
}

pub(super) fn text<'a>(entity: &'a Value, field: &str) -> &'a str {
    entity.get(field).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
