//! What a run comes to.

use serde::{Deserialize, Serialize};

use crate::operation::Operation;
use crate::score::Score;

/// The verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    FewerThanExpected,
    RuleNotTriggered,
    BaselineOnly,
}

impl Verdict {
    /// The word, as the report has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fail => "FAIL",
            Self::NotTested => "NOT_TESTED",
            Self::Pass => "PASS",
        }
    }
}

impl Code {
    /// Every code: violations, then what leaves a run untested, then notes.
    pub const ALL: [Self; 13] = [
        Self::DuplicateExecution,
        Self::RetryAfterViolated,
        Self::NoCalls,
        Self::NoWriteObserved,
        Self::ScenarioNotTriggered,
        Self::OutcomeUnknown,
        Self::PossibleDuplicate,
        Self::ProbableDuplicate,
        Self::CallStillOpen,
        Self::NoExecutedWrite,
        Self::FewerThanExpected,
        Self::RuleNotTriggered,
        Self::BaselineOnly,
    ];

    /// The code, as the report has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::DuplicateExecution => "DUPLICATE_EXECUTION",
            Self::RetryAfterViolated => "RETRY_AFTER_VIOLATED",
            Self::NoCalls => "NO_CALLS",
            Self::NoWriteObserved => "NO_WRITE_OBSERVED",
            Self::ScenarioNotTriggered => "SCENARIO_NOT_TRIGGERED",
            Self::OutcomeUnknown => "OUTCOME_UNKNOWN",
            Self::PossibleDuplicate => "POSSIBLE_DUPLICATE",
            Self::ProbableDuplicate => "PROBABLE_DUPLICATE",
            Self::CallStillOpen => "CALL_STILL_OPEN",
            Self::NoExecutedWrite => "NO_EXECUTED_WRITE",
            Self::FewerThanExpected => "FEWER_THAN_EXPECTED",
            Self::RuleNotTriggered => "RULE_NOT_TRIGGERED",
            Self::BaselineOnly => "BASELINE_ONLY",
        }
    }

    /// The verdict it leads to; none for a note.
    pub fn leads_to(self) -> Option<Verdict> {
        match self {
            _ if self.is_violation() => Some(Verdict::Fail),
            _ if self.is_note() => None,
            _ => Some(Verdict::NotTested),
        }
    }

    /// Whether it makes the run a failure.
    pub fn is_violation(self) -> bool {
        matches!(self, Self::DuplicateExecution | Self::RetryAfterViolated)
    }

    /// Whether it takes nothing from a pass.
    pub fn is_note(self) -> bool {
        matches!(self, Self::BaselineOnly | Self::FewerThanExpected | Self::RuleNotTriggered)
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
            Self::FewerThanExpected => {
                "a tool was surely executed less often than `--expect` says it is meant to be"
            }
            Self::RuleNotTriggered => "one of the scenario's faults was never applied",
            Self::BaselineOnly => "no fault was injected, so this is a baseline and proves little",
        }
    }
}

/// One reason, with the attempts it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The code.
    pub code: Code,
    /// What happened, in a sentence.
    pub detail: String,
    /// The numbers of the attempts.
    pub attempts: Vec<u64>,
}

/// What the report says of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationSummary {
    /// The tool.
    pub tool: String,
    /// How many attempts the upstream carried out.
    pub executions: u64,
    /// How often it may be executed: once, unless `--expect` says otherwise.
    pub allowed: u64,
    /// How often the agent tried.
    pub attempts: u64,
    /// Whether a fault was injected on it.
    pub faulted: bool,
    /// The numbers of its attempts.
    pub attempt_numbers: Vec<u64>,
}

impl OperationSummary {
    pub(crate) fn of(operation: &Operation<'_>) -> Self {
        Self {
            tool: operation.tool.to_owned(),
            executions: operation.executions(),
            allowed: operation.allowed,
            attempts: operation.attempts.len() as u64,
            faulted: operation.is_faulted(),
            attempt_numbers: operation.attempts.iter().map(|attempt| attempt.number).collect(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_is_written_by_its_name() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
            assert!(!code.about().is_empty());
        }
        for verdict in [Verdict::Fail, Verdict::NotTested, Verdict::Pass] {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
    }

    #[test]
    fn the_codes_are_listed_in_the_order_of_their_weight() {
        assert!(Code::ALL.is_sorted());
        let weight = |code: &Code| (!code.is_violation(), code.is_note());
        assert!(Code::ALL.is_sorted_by_key(weight));
    }
}
