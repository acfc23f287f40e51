//! What the user said would happen, beside what did.

use checkrein_ledger::Start;
use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;
use crate::settled::Settled;

/// How often a tool was meant to be executed, and was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The tool.
    pub tool: String,
    /// How often it was meant to be.
    pub expected: u64,
    /// How often it surely was, all its operations together.
    pub executed: u64,
    /// How many more attempts may have been carried out.
    pub unknown: u64,
}

impl Expectation {
    /// Everything the user expects of a run.
    pub(crate) fn all(start: &Start, attempts: &[&Attempt], settled: &Settled) -> Vec<Self> {
        let of = |(tool, expected): &(String, u64)| {
            let calls = attempts.iter().filter(|it| it.tool == *tool && it.continues.is_none());
            let count = |is: fn(&Attempt) -> bool| calls.clone().filter(|it| is(it)).count() as u64;
            Self {
                tool: tool.clone(),
                expected: *expected,
                executed: settled.executed.get(tool).copied().unwrap_or_default()
                    + count(Attempt::is_executed),
                unknown: count(Attempt::is_unknown),
            }
        };
        start.expect.iter().map(of).collect()
    }

    /// Whether it surely was executed less often.
    pub fn is_missed(&self) -> bool {
        self.executed + self.unknown < self.expected
    }
}
