//! Operations that need more than one request.
//!
//! A hook stands around the request of its operation: it may read other things first, change the
//! inputs, send the request (or something else in its place) and finish the result. All it can do
//! to the platform goes through [`Ask`], so it never sees a credential or a base URL, and what it
//! asks obeys the same rules as any other call.

mod logs;
mod pipelines;

use std::time::Duration;

use checkrein_catalog::call::Defaults;
use checkrein_catalog::model::{Operation, ResourceType, Scope};
use checkrein_catalog::request::WireRequest;
use checkrein_mcp::{BoxFuture, CancellationToken, Progress};
use checkrein_platform::logs::{Log, LogError};
use checkrein_platform::{ApiError, Reply};
use serde_json::{Map, Value};

use crate::failure::Failure;
pub use crate::run::template_cache::TemplateCache;

/// What a hook may ask of the platform.
pub trait Ask: Send + Sync {
    /// The request of the hook's own operation, made from these inputs: the shaped result, with
    /// its deep link.
    fn own<'a>(&'a self, inputs: &'a Map<String, Value>) -> BoxFuture<'a, Result<Value, Failure>>;

    /// Another operation of the catalogue (`list`, `get`, … or an action), without its hook: the
    /// shaped result. The caller's organization, project and scope are those of the hook's call
    /// unless `inputs` say otherwise.
    fn operation<'a>(
        &'a self,
        resource: &'a str,
        operation: &'a str,
        inputs: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value, Failure>>;

    /// A request the catalogue has no operation for.
    fn send<'a>(&'a self, request: &'a WireRequest) -> BoxFuture<'a, Result<Reply, ApiError>>;

    /// The text of a log archive the platform has linked to.
    fn fetch_log<'a>(&'a self, link: &'a str) -> BoxFuture<'a, Result<Log, LogError>>;
}

/// One call of an operation with a hook.
pub struct HookCall<'a> {
    /// The resource type.
    pub resource: &'a ResourceType,
    /// `get`, `create`, … or the action.
    pub op_name: &'a str,
    /// The operation.
    pub operation: &'a Operation,
    /// The scope the caller named.
    pub scope: Option<Scope>,
    /// The merged inputs; the hook owns them and may change them before it asks.
    pub inputs: Map<String, Value>,
    /// The configured account, organization and project.
    pub defaults: &'a Defaults,
    /// The way to the platform.
    pub ask: &'a dyn Ask,
    /// What pipelines were seen to ask for.
    pub templates: &'a TemplateCache,
    /// Whether and how to wait for what the operation starts (`wait` of `harness_execute`).
    pub wait: Option<Wait>,
    /// Fires when the caller gives up; every sleep has to watch it.
    pub cancel: &'a CancellationToken,
    /// Where to report progress, when the caller wants it.
    pub progress: Option<&'a Progress>,
}

impl HookCall<'_> {
    /// The text of an input; absent, empty and anything but text are `None`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.inputs.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }
}

/// What the caller said about waiting; `None` leaves it to the hook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wait {
    /// The longest time to wait.
    pub timeout: Option<Duration>,
    /// The time before the first look.
    pub interval: Option<Duration>,
}

/// A hook, as the catalogue names it.
#[derive(Clone, Copy)]
pub struct Hook {
    /// The name under `hook:` of an operation.
    pub name: &'static str,
    /// What it does.
    pub run: Run,
    /// It reads `resource_id` itself, so the tools do not copy it to an identifier.
    pub reads_resource_id: bool,
}

/// The function of a hook; its value is the result of the call.
pub type Run = for<'a> fn(HookCall<'a>) -> BoxFuture<'a, Result<Value, Failure>>;

/// One list for each toolset that has hooks.
const HOOKS: &[&[Hook]] = &[pipelines::HOOKS, logs::HOOKS];

/// The hook of this name.
pub fn find(name: &str) -> Option<&'static Hook> {
    HOOKS.iter().copied().flatten().find(|hook| hook.name == name)
}

/// Every name a catalogue file may use.
pub fn names() -> impl Iterator<Item = &'static str> {
    HOOKS.iter().copied().flatten().map(|hook| hook.name)
}
