//! Why a call brought no result, and how the agent is told.

use checkrein_mcp::Answer;
use checkrein_platform::{ApiError, Kind};
use serde_json::{Map, Value, json};

use checkrein_catalog::call::CallError;
use checkrein_catalog::shape::ShapeError;

/// Why a call brought no result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The inputs do not make a request; none was sent.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The platform was asked in vain.
    #[error("{error}{}", hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default())]
    Platform {
        /// What it said.
        error: Box<ApiError>,
        /// What to try next.
        hint: Option<String>,
    },
    /// The reply is not what the operation replies.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Anything else the agent has to be told.
    #[error("{}", .0.text)]
    Said(Box<Said>),
}

/// A message for the agent, with facts beside it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    text: String,
    facts: Map<String, Value>,
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Platform { error: Box::new(error), hint: None }
    }
}

impl Failure {
    /// A message for the agent: what is wrong, and the mend.
    pub fn said(text: impl Into<String>) -> Self {
        Self::Said(Box::new(Said { text: text.into(), facts: Map::new() }))
    }

    /// Adds a fact (`unresolved`, `suggested_input_sets`) beside the message; only a message has
    /// room for one.
    #[must_use]
    pub fn with(mut self, key: &str, fact: impl Into<Value>) -> Self {
        if let Self::Said(said) = &mut self {
            said.facts.insert(key.to_owned(), fact.into());
        }
        self
    }

    /// The platform's answer, when it is what failed.
    pub fn platform(&self) -> Option<&ApiError> {
        match self {
            Self::Platform { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Adds what to try when there is no such thing; any other failure stays as it is.
    #[must_use]
    pub(crate) fn when_not_found(mut self, advice: Option<&str>) -> Self {
        if let Self::Platform { error, hint } = &mut self
            && error.kind == Kind::Status
            && error.status == Some(404)
        {
            *hint = advice.map(str::to_owned);
        }
        self
    }

    /// The tool result: an object whose `error` is the whole story in words, with the facts beside
    /// it.
    pub(crate) fn into_answer(self) -> Answer {
        let mut facts = Map::new();
        facts.insert("error".to_owned(), self.to_string().into());
        match self {
            Self::Platform { error, .. } => add_platform_facts(&mut facts, &error),
            Self::Said(said) => facts.extend(said.facts),
            Self::Call(_) | Self::Shape(_) => {}
        }
        let structured = Value::Object(facts);
        Answer::Error { text: structured.to_string(), structured: Some(structured) }
    }
}

fn add_platform_facts(facts: &mut Map<String, Value>, error: &ApiError) {
    let mut add = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            facts.insert(key.to_owned(), value);
        }
    };
    add("status", error.status.map(Value::from));
    add("code", error.code.clone().map(Value::from));
    add("correlation_id", error.correlation_id.clone().map(Value::from));
    add("retry_after_seconds", error.retry_after.map(|wait| json!(wait.as_secs())));
    add("_outcome", error.outcome.map(|outcome| outcome.name().into()));
}
