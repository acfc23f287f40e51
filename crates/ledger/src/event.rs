//! The things a ledger can say.

use serde::{Deserialize, Serialize};

use crate::clock::Instant;

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Version of this format.
    pub v: u32,
    /// Position in the run, from 1, without gaps.
    pub seq: u64,
    /// The machine's monotonic clock, in microseconds.
    pub at: Instant,
    /// The wall clock, in milliseconds since 1970.
    pub wall_ms: u64,
    /// The process that wrote it.
    pub process: u32,
    /// What happened.
    pub event: Event,
    /// The hash of the line before; empty for the first.
    pub prev: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Event {
    /// A proxy process joined the run.
    Started(Start),
    /// The upstream's tools as they are known now.
    Tools(Vec<Tool>),
    /// The agent opened a session; two of them around a repeat speak for the client re-sending.
    SessionOpened {
        /// The connection, numbered by its process.
        connection: u64,
        /// The client's name and version, as it gives them.
        client: Option<String>,
    },
    /// A `tools/call` came from the agent.
    Received(Received),
    /// It went to the upstream.
    Forwarded {
        /// The attempt.
        attempt: u64,
    },
    /// A fault was applied to it.
    Injected {
        /// The attempt.
        attempt: u64,
        /// The fault.
        fault: Fault,
    },
    /// It met a rule that strikes only at a later call; the count goes over all processes.
    Matched {
        /// The attempt.
        attempt: u64,
        /// The rule, from 0.
        rule: u32,
    },
    /// It is known, as far as it can be, what became of it at the upstream.
    Concluded {
        /// The attempt.
        attempt: u64,
        /// What became of it.
        outcome: Outcome,
        /// How that is known.
        evidence: Evidence,
        /// Whether the upstream answered with an error.
        answer: Answer,
    },
    /// The agent got an answer, the upstream's own or an injected one.
    Told {
        /// The attempt.
        attempt: u64,
        /// What it was told.
        told: Told,
    },
    /// The agent cancelled it.
    Cancelled {
        /// The attempt.
        attempt: u64,
    },
    /// The upstream got the attempt once more, by our doing.
    Redelivered {
        /// The attempt.
        attempt: u64,
        /// What became of the second delivery.
        outcome: Outcome,
    },
    /// The harness itself read the upstream's state.
    Probed {
        /// The read tool.
        tool: String,
        /// When: `start`, `after` an attempt, or `end`.
        when: String,
        /// How many records it showed, where that can be said.
        records: Option<u64>,
        /// A digest of what it showed.
        digest: String,
    },
    /// The upstream went away.
    UpstreamGone {
        /// Its exit code, when it had one.
        code: Option<i32>,
    },
    /// The process left the run.
    Finished {
        /// Why: `end_of_input`, `signal`, `upstream_gone`, `error`.
        why: String,
    },
}

/// How a process was set up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Checkrein's version.
    pub version: String,
    /// The scenario, when there is one.
    pub scenario: Option<String>,
    /// The wire shape of its first fault.
    pub shape: Option<String>,
    /// The kinds of its faults, rule by rule.
    #[serde(default)]
    pub faults: Vec<String>,
    /// Whether random faults are on.
    pub chaos: bool,
    /// Their probability, as it was written.
    pub error_rate: Option<String>,
    /// The seed of the draws.
    pub seed: Option<u64>,
    /// How long an injected 429 asks to wait, in seconds.
    pub retry_after_s: Option<u64>,
    /// `TOOL=N`: how often a tool is meant to be executed.
    pub expect: Vec<(String, u64)>,
}

/// A tool and its class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: Class,
    /// Why it has this class.
    pub reason: String,
    /// The arguments it declares, when its schema could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Inputs>,
}

/// The arguments a tool declares, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// All of them.
    pub names: Vec<String>,
    /// Those without which it cannot be called.
    pub required: Vec<String>,
}

/// What kind of tool a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// It changes something.
    Write,
    /// It only looks.
    Read,
    /// Nobody said; it is passed through and not judged.
    Unclassified,
    /// The upstream does not have it.
    NotOffered,
}

/// A call as it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Received {
    /// The attempt's number, unique in the run: the `seq` of its process's [`Event::Started`] in the
    /// upper half, a count in the lower.
    pub attempt: u64,
    /// The connection, numbered by its process.
    pub connection: u64,
    /// The request id as it was written; empty for a notification.
    pub request_id: String,
    /// The tool.
    pub tool: String,
    /// Its class.
    pub class: Class,
    /// The operation: equal texts are equal operations.
    pub operation: String,
    /// The same, blind to mere spelling.
    pub loose: String,
    /// A digest of the arguments as they were written.
    pub arguments_digest: String,
    /// Identities the client gave in `_meta`, such as a tool-use or turn id.
    pub identities: Vec<(String, String)>,
    /// The attempt this one carries on (a multi round-trip answer, a task).
    pub continues: Option<u64>,
    /// A call that we had cut short, when this one holds items that were carried out of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_part: Option<u64>,
    /// It came in a JSON-RPC batch, which no fault strikes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_batch: bool,
}

/// An injected fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The scenario: `F1`, `late-commit`, `chaos`, a user's own …
    pub name: String,
    /// The kind of fault: `ghost-write`, `stale-read` …
    #[serde(default)]
    pub kind: String,
    /// Which of the scenario's rules struck, from 0.
    #[serde(default)]
    pub rule: u32,
    /// The wire shape that it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// Whether the call reaches the upstream all the same.
    pub sent: bool,
    /// The agent cannot know from its answer whether the call was carried out.
    pub ghost: bool,
    /// How long the agent was asked to wait, in microseconds.
    pub retry_after_us: Option<u64>,
}

/// What became of an attempt at the upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Carried out.
    Executed,
    /// Surely refused.
    Rejected,
    /// Nobody can say.
    Unknown,
    /// It goes on: an interim result or a task handle.
    Interim,
}

/// How an outcome is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The upstream answered in time.
    Answer,
    /// It answered after the agent had been told something else, or had given up.
    LateAnswer,
    /// A read by the harness showed it.
    Probe,
    /// Nothing shows it.
    None,
}

/// The kind of answer the upstream gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A result.
    Ok,
    /// A result with `isError: true`.
    IsError,
    /// A JSON-RPC error.
    RpcError,
    /// Something that could not be read.
    Unreadable,
    /// None.
    None,
}

/// What the agent was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// The upstream's own answer.
    Upstream,
    /// An injected one.
    Injected,
    /// That the upstream is gone.
    Lost,
    /// Nothing: the silence is the fault, or the agent had cancelled.
    Nothing,
}
