//! What went wrong between a request and its reply, in words an agent can act on.

use std::fmt;
use std::time::Duration;

use crate::outcome::Outcome;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The request could not be put on the wire as it is.
    Unsendable,
    /// No connection: name not found, refused, no route, or TLS failed. Nothing was sent.
    NotReached,
    /// A deadline passed.
    TimedOut,
    /// The connection broke after the request had been sent.
    Lost,
    /// The caller gave up.
    Cancelled,
    /// The platform answered with an error status.
    Status,
    /// The platform asks for a longer wait than this client grants, or too many requests wait here.
    RateLimited,
    /// A web page came instead of a reply, usually a login or a gateway.
    Html,
    /// The platform pointed elsewhere; redirects are not followed.
    Redirected,
    /// The reply ended early.
    Cut,
    /// The reply is not JSON.
    NotJson,
    /// The reply is larger than this client accepts.
    TooLarge,
}

/// How an agent-facing protocol should report an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The request was wrong; the agent can mend it (400, 404).
    Plain,
    /// The credential is not good for it (401, 403).
    Refused,
    /// Anything else.
    Internal,
}

impl Class {
    /// The JSON-RPC error code that goes with it, when it has one.
    pub fn rpc_code(self) -> Option<i32> {
        match self {
            Self::Plain => None,
            Self::Refused => Some(-32600),
            Self::Internal => Some(-32603),
        }
    }
}

/// A request that brought no usable reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// What happened.
    pub kind: Kind,
    /// The HTTP status, when a status line arrived.
    pub status: Option<u16>,
    /// The platform's own error code (`INVALID_REQUEST`).
    pub code: Option<String>,
    /// One or two sentences; never markup, never a credential.
    pub message: String,
    /// The platform's name for this exchange, for its support.
    pub correlation_id: Option<String>,
    /// How long the platform asked to wait.
    pub retry_after: Option<Duration>,
    /// How a write ended; a read has none.
    pub outcome: Option<Outcome>,
    /// How many requests were tried.
    pub attempts: u32,
}

impl ApiError {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            status: None,
            code: None,
            message: message.into(),
            correlation_id: None,
            retry_after: None,
            outcome: None,
            attempts: 1,
        }
    }

    /// How to report it.
    pub fn class(&self) -> Class {
        match self.status {
            Some(400 | 404) => Class::Plain,
            Some(401 | 403) => Class::Refused,
            _ => Class::Internal,
        }
    }

    /// The status, or the one that would have fitted: 408 after a deadline, 502 for a reply that
    /// never came or cannot be read, 499 when the caller gave up.
    pub fn nearest_status(&self) -> u16 {
        match (self.kind, self.status) {
            (_, Some(status)) if status >= 400 => status,
            (Kind::TimedOut, _) => 408,
            (Kind::Cancelled, _) => 499,
            (Kind::RateLimited, _) => 429,
            _ => 502,
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        if let Some(code) = self.code.as_deref().filter(|code| !self.message.contains(*code)) {
            write!(formatter, " [{code}]")?;
        }
        if let Some(id) = &self.correlation_id {
            write!(formatter, " (correlation id {id})")?;
        }
        if self.attempts > 1 {
            write!(formatter, "; gave up after {} attempts", self.attempts)?;
        }
        match self.outcome {
            Some(outcome) => write!(formatter, "; {}", outcome.advice()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ApiError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_code_correlation_attempts_and_outcome() {
        let error = ApiError {
            status: Some(500),
            code: Some("UNKNOWN_ERROR".to_owned()),
            correlation_id: Some("c-2".to_owned()),
            outcome: Some(Outcome::Unknown),
            attempts: 3,
            ..ApiError::new(Kind::Status, "the platform answered 500: oops")
        };
        assert_eq!(
            error.to_string(),
            "the platform answered 500: oops [UNKNOWN_ERROR] (correlation id c-2); gave up after 3 \
             attempts; the change may have been applied: read the resource back (harness_get or \
             harness_list) before you try again"
        );
    }

    #[test]
    fn the_class_follows_the_status() {
        let of = |status| ApiError { status, ..ApiError::new(Kind::Status, "x") }.class();
        assert_eq!(of(Some(400)).rpc_code(), None);
        assert_eq!(of(Some(404)).rpc_code(), None);
        assert_eq!(of(Some(401)).rpc_code(), Some(-32600));
        assert_eq!(of(Some(403)).rpc_code(), Some(-32600));
        for status in [None, Some(409), Some(429), Some(500)] {
            assert_eq!(of(status).rpc_code(), Some(-32603), "{status:?}");
        }
    }

    #[test]
    fn a_failure_without_a_status_has_a_fitting_one() {
        assert_eq!(ApiError::new(Kind::TimedOut, "x").nearest_status(), 408);
        assert_eq!(ApiError::new(Kind::NotReached, "x").nearest_status(), 502);
        let cut = ApiError { status: Some(200), ..ApiError::new(Kind::Cut, "x") };
        assert_eq!(cut.nearest_status(), 502);
    }
}
