//! A platform of prepared answers, for the tests of hooks.

use std::collections::VecDeque;
use std::sync::Mutex;

use checkrein_catalog::call::Defaults;
use checkrein_catalog::catalog::Catalog;
use checkrein_catalog::request::WireRequest;
use checkrein_mcp::{BoxFuture, CancellationToken};
use checkrein_platform::logs::{Log, LogError};
use checkrein_platform::{ApiError, Reply};
use serde_json::{Map, Value};

use super::template_cache::TemplateCache;
use crate::failure::Failure;
use crate::hooks::{self, Ask, HookCall, Wait};

/// Answers in order, and remembers what was asked.
pub(crate) struct Prepared {
    answers: Mutex<VecDeque<Result<Value, Failure>>>,
    asked: Mutex<Vec<String>>,
    catalog: &'static Catalog,
    pub(crate) templates: TemplateCache,
    pub(crate) defaults: Defaults,
    pub(crate) cancel: CancellationToken,
    pub(crate) wait: Option<Wait>,
}

impl Prepared {
    pub(crate) fn new(answers: impl IntoIterator<Item = Result<Value, Failure>>) -> Self {
        Self {
            answers: Mutex::new(answers.into_iter().collect()),
            asked: Mutex::default(),
            catalog: crate::shipped::catalog(),
            templates: TemplateCache::default(),
            defaults: Defaults {
                account: "acc".to_owned(),
                org: Some("default".to_owned()),
                project: Some("demo".to_owned()),
            },
            cancel: CancellationToken::new(),
            wait: None,
        }
    }

    /// Runs the hook of an operation.
    pub(crate) async fn run(
        &self,
        resource: &str,
        op_name: &str,
        inputs: Value,
    ) -> Result<Value, Failure> {
        let resource = self.catalog.get(resource).unwrap();
        let operation = resource.operations.get(op_name).or_else(|| resource.actions.get(op_name));
        let operation = operation.unwrap();
        let Value::Object(inputs) = inputs else { panic!("inputs are an object") };
        let hook = hooks::find(operation.hook.as_deref().unwrap()).unwrap();
        (hook.run)(HookCall {
            resource,
            op_name,
            operation,
            scope: None,
            inputs,
            defaults: &self.defaults,
            ask: self,
            templates: &self.templates,
            wait: self.wait,
            cancel: &self.cancel,
            progress: None,
        })
        .await
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn next(&self, asked: String) -> Result<Value, Failure> {
        let answer = self.answers.lock().unwrap().pop_front();
        let answer = answer.unwrap_or_else(|| panic!("no answer is left for {asked}"));
        self.asked.lock().unwrap().push(asked);
        answer
    }
}

impl Ask for Prepared {
    fn own<'a>(&'a self, inputs: &'a Map<String, Value>) -> BoxFuture<'a, Result<Value, Failure>> {
        let answer = self.next(format!("own {}", Value::Object(inputs.clone())));
        Box::pin(async move { answer })
    }

    fn operation<'a>(
        &'a self,
        resource: &'a str,
        operation: &'a str,
        inputs: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value, Failure>> {
        let inputs = Value::Object(inputs.clone());
        let answer = self.next(format!("{resource}.{operation} {inputs}"));
        Box::pin(async move { answer })
    }

    fn send<'a>(&'a self, request: &'a WireRequest) -> BoxFuture<'a, Result<Reply, ApiError>> {
        panic!("no answer for {}", request.path)
    }

    fn fetch_log<'a>(&'a self, link: &'a str) -> BoxFuture<'a, Result<Log, LogError>> {
        let answer = self.next(format!("log {link}"));
        Box::pin(async move {
            let text = answer.unwrap().as_str().unwrap().to_owned();
            Ok(Log { text, left_out: None })
        })
    }
}
