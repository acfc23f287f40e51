//! One call of the agent, with everything that became of it.

use checkrein_ledger::{Answer, Class, Evidence, Fault, Instant, Outcome, Told};

/// The kind of fault by which a read shows an older state, as the ledger has it.
const STALE: &str = "stale-read";

/// One `tools/call` of the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Its number, unique in the run.
    pub number: u64,
    /// The process it came through.
    pub process: u32,
    /// The connection within that process.
    pub connection: u64,
    /// The request id, as the client wrote it.
    pub request_id: String,
    /// When it came.
    pub received: Instant,
    /// The tool.
    pub tool: String,
    /// The tool's class.
    pub class: Class,
    /// The operation, where equal texts are equal operations.
    pub operation: String,
    /// The operation, blind to spelling.
    pub loose: String,
    /// The identities the client gave it.
    pub identities: Vec<(String, String)>,
    /// Whether it went to the upstream.
    pub forwarded: bool,
    /// The fault applied to it.
    pub fault: Option<Fault>,
    /// What became of it, once that is known.
    pub outcome: Option<Outcome>,
    /// When that became known.
    pub concluded: Option<Instant>,
    /// When the upstream answered that it goes on, if it did.
    pub went_on: Option<Instant>,
    /// How that is known.
    pub evidence: Evidence,
    /// The upstream's answer.
    pub answer: Answer,
    /// What the agent was told, and when.
    pub told: Option<(Told, Instant)>,
    /// When the agent cancelled it, if it did.
    pub cancelled: Option<Instant>,
    /// The attempt it carries on, when it is no new one.
    pub continues: Option<u64>,
    /// The call that we had cut short and of which it holds items that were carried out.
    pub repeats_part: Option<u64>,
    /// How often the upstream carried out a further delivery of ours.
    pub redelivered: u64,
}

impl Attempt {
    /// Whether the upstream carried it out.
    pub fn is_executed(&self) -> bool {
        self.outcome == Some(Outcome::Executed)
    }

    /// Whether the agent was told anything by the harness that the upstream did not say.
    pub fn is_faulted(&self) -> bool {
        self.fault.is_some() || matches!(self.told, Some((Told::Injected, _)))
    }

    /// Whether the harness answered instead of forwarding.
    pub fn is_withheld(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| !fault.sent)
    }

    /// Whether it went out, nobody can say what became of it, and no further word is awaited.
    pub fn is_unknown(&self) -> bool {
        !self.is_withheld() && matches!(self.outcome, None | Some(Outcome::Unknown))
    }

    /// Whether the upstream itself answered with an error.
    pub fn is_refused(&self) -> bool {
        !self.is_withheld() && matches!(self.answer, Answer::IsError | Answer::RpcError)
    }

    /// Whether it was forwarded and neither answered nor cancelled.
    pub fn is_open(&self) -> bool {
        self.forwarded && self.outcome.is_none() && self.cancelled.is_none()
    }

    /// When the agent was told something, if it was.
    pub fn told_at(&self) -> Option<Instant> {
        self.told.map(|(_, at)| at)
    }

    /// From when on the agent no longer waited for it: it was told, or it gave up.
    pub fn settled_at(&self) -> Option<Instant> {
        match (self.told, self.cancelled) {
            // Silence is told by nobody: it ends when the agent's own patience does.
            (Some((Told::Nothing, _)), Some(cancelled)) => Some(cancelled),
            (told, cancelled) => told.map(|(_, at)| at).into_iter().chain(cancelled).min(),
        }
    }

    /// Whether the agent heard from the upstream itself that it was carried out.
    pub fn is_confirmed(&self) -> bool {
        self.is_executed() && matches!(self.told, Some((Told::Upstream, _)))
    }

    /// Whether the agent was left without a word and did not give up either.
    pub fn is_silent(&self) -> bool {
        matches!(self.told, Some((Told::Nothing, _))) && self.cancelled.is_none()
    }

    /// Whether the agent could not learn from its answer what had become of it.
    pub fn is_ghost(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.ghost)
    }

    /// Whether it was carried out and the agent could not learn that.
    pub fn is_ghost_write(&self) -> bool {
        self.is_ghost() && self.is_executed()
    }

    /// Whether the agent was shown an older state instead of being let through.
    pub fn is_stale(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.kind == STALE)
            && matches!(self.told, Some((Told::Injected, _)))
    }
}
