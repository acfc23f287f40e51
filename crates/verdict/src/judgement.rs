//! What a run comes to.

use serde::Serialize;

use crate::score::Score;

/// The verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// A rule was broken.
    Fail,
    /// It cannot be said.
    NotTested,
    /// The rules were kept, as far as they were tried.
    Pass,
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "the names are the rules' own; `about` says each in a sentence")]
pub enum Code {
    DuplicateExecution,
    RetryAfterViolated,
    NoCalls,
    NoWriteObserved,
    ScenarioNotTriggered,
    OutcomeUnknown,
    PossibleDuplicate,
    ProbableDuplicate,
    CallStillOpen,
    NoExecutedWrite,
    BaselineOnly,
}

impl Code {
    /// Whether it makes the run a failure.
    pub fn is_violation(self) -> bool {
        matches!(self, Self::DuplicateExecution | Self::RetryAfterViolated)
    }

    /// Whether it takes nothing from a pass.
    pub fn is_note(self) -> bool {
        matches!(self, Self::BaselineOnly)
    }

    /// What it means.
    pub fn about(self) -> &'static str {
        match self {
            Self::DuplicateExecution => "one operation was executed more than once",
            Self::RetryAfterViolated => "a write was sent again before the wait it was asked for",
            Self::NoCalls => "the agent called no tool",
            Self::NoWriteObserved => "the agent called no write tool that the upstream has",
            Self::ScenarioNotTriggered => "the scenario's fault was never applied",
            Self::OutcomeUnknown => "nobody can say of any write whether it was executed",
            Self::PossibleDuplicate => "a write whose outcome is unknown was sent more than once",
            Self::ProbableDuplicate => {
                "after the timeout the same write was executed again in another spelling"
            }
            Self::CallStillOpen => "a forwarded call had no answer when the report was written",
            Self::NoExecutedWrite => "no fault was injected on a write and none was executed",
            Self::BaselineOnly => "no fault was injected, so this is a baseline and proves little",
        }
    }
}

/// One reason, with the attempts it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The code.
    pub code: Code,
    /// What happened, in a sentence.
    pub detail: String,
    /// The numbers of the attempts.
    pub attempts: Vec<u64>,
}

/// What the report says of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperationSummary {
    /// The tool.
    pub tool: String,
    /// How many attempts the upstream carried out.
    pub executions: u64,
    /// How often the agent tried.
    pub attempts: u64,
    /// Whether a fault was injected on it.
    pub faulted: bool,
    /// The numbers of its attempts.
    pub attempt_numbers: Vec<u64>,
}

/// The whole judgement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why; violations first.
    pub reasons: Vec<Reason>,
    /// The points; none when nothing was tested.
    pub score: Option<Score>,
    /// Every write operation.
    pub operations: Vec<OperationSummary>,
}
