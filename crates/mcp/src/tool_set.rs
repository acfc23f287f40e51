//! What a server offers: its name, its tools, and answers to calls.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::{Confirmer, NobodyToAsk, Progress};

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A set of tools an agent can list and call.
pub trait ToolSet: Send + Sync + 'static {
    /// How the server introduces itself.
    fn info(&self) -> ServerInfo;

    /// The tools, in the order they are listed. Asked once, when the first client wants to know.
    fn tools(&self) -> Vec<ToolInfo>;

    /// Answers one call. The name is one of [`ToolSet::tools`]; the arguments are unchecked.
    ///
    /// The future is dropped soon after `caller.cancel` fires, so a tool that has something to
    /// tidy up does it at once.
    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        caller: Caller,
    ) -> BoxFuture<'a, Answer>;
}

/// How a server introduces itself.
#[derive(Clone, Debug)]
pub struct ServerInfo {
    /// The name, for programs.
    pub name: String,
    /// The name, for people.
    pub title: String,
    /// The version of the program.
    pub version: String,
    /// When and how to use the server, for the model; clients cut it at 2 KB.
    pub instructions: String,
}

/// One tool as it is listed.
#[derive(Clone, Debug)]
pub struct ToolInfo {
    /// The name a call uses.
    pub name: String,
    /// The name people see.
    pub title: String,
    /// What it is for; the first sentence has to be enough.
    pub description: String,
    /// The JSON Schema of its arguments; its root is an object schema without combinators.
    pub input_schema: Map<String, Value>,
    /// The JSON Schema of its structured result, when a program is meant to read that.
    pub output_schema: Option<Map<String, Value>>,
    /// Hints for the client's own permission rules.
    pub annotations: Annotations,
}

/// Hints about a tool; the protocol's defaults are pessimistic, so all four are always sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: bool,
    /// It may remove or overwrite something.
    pub destructive: bool,
    /// Calling it twice is the same as calling it once.
    pub idempotent: bool,
    /// It reaches something outside of this process.
    pub open_world: bool,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It worked.
    Result {
        /// The result; must be an object, which older clients insist on.
        structured: Value,
        /// The text beside it; `None` sends the same JSON, compact.
        text: Option<String>,
    },
    /// It did not, in a way the model can do something about.
    Error {
        /// What went wrong and what to do next.
        text: String,
        /// The same facts for a program.
        structured: Option<Value>,
    },
    /// The call itself made no sense; most clients hide this from the model.
    Protocol {
        /// A JSON-RPC error code.
        code: i32,
        /// What was wrong with it.
        message: String,
    },
}

/// What a tool may use of the one who called it.
pub struct Caller {
    /// Fires when the caller no longer wants the answer.
    pub cancel: CancellationToken,
    /// Where to report progress; `None` when the caller did not ask for it.
    pub progress: Option<Progress>,
    /// Asks the person behind the caller.
    pub confirm: Arc<dyn Confirmer>,
    /// What the caller calls itself.
    pub client_name: Option<String>,
}

impl Caller {
    /// A caller that cannot be asked and wants no progress, for tests and local use.
    pub fn silent() -> Self {
        Self {
            cancel: CancellationToken::new(),
            progress: None,
            confirm: Arc::new(NobodyToAsk),
            client_name: None,
        }
    }
}
