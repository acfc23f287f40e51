//! Requests that the harness itself makes of the upstream; their answers are swallowed.

use std::collections::HashMap;

use crate::pending::{Connection, WaitingCall};
use crate::request_id::by_value;

/// What a request of ours is for.
#[derive(Debug)]
pub(super) enum Purpose {
    /// A call that the agent believes to have timed out.
    Late(WaitingCall),
    /// A second delivery.
    Again(Box<Again>),
    /// A read of the upstream's state; the stage of the run it belongs to.
    Probe {
        /// The tool.
        tool: String,
        /// `start`, `after N`, `end`.
        when: String,
    },
    /// A session that is opened anew.
    Opening,
    /// None any more: the answer comes too late, and the agent never asked for it.
    Overdue,
    /// A look at a task whose handle was lost.
    Task {
        /// The call that it is for.
        attempt: u64,
        /// Its name.
        task: String,
    },
}

/// A second delivery of a call.
#[derive(Debug)]
pub(super) struct Again {
    /// The agent's id.
    pub(super) id: String,
    /// The call.
    pub(super) attempt: u64,
    /// The answer to the first delivery.
    pub(super) first: Vec<u8>,
}

/// The requests that wait for an answer.
#[derive(Debug, Default)]
pub(super) struct Own {
    count: u64,
    asked: HashMap<(Connection, String), Purpose>,
}

impl Own {
    /// An id that no client uses, as it goes on the wire.
    pub(super) fn id(&mut self) -> String {
        self.count += 1;
        format!("\"req-{}-{}\"", std::process::id(), self.count)
    }

    pub(super) fn ask(&mut self, connection: Connection, id: String, purpose: Purpose) {
        self.asked.insert((connection, id), purpose);
    }

    pub(super) fn take(&mut self, connection: Connection, id: &str) -> Option<Purpose> {
        if self.asked.is_empty() {
            return None;
        }
        self.asked.remove(&(connection, by_value(id).into_owned()))
    }

    pub(super) fn drain(&mut self) -> Vec<(Connection, Purpose)> {
        self.asked.drain().map(|((connection, _), purpose)| (connection, purpose)).collect()
    }

    /// Whether an answer is awaited that says something about the run.
    pub(super) fn is_awaited(&self) -> bool {
        self.asked.values().any(|purpose| !matches!(purpose, Purpose::Opening | Purpose::Overdue))
    }
}
