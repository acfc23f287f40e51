//! A tool that was surely executed less often than the user said it is meant to be.
//!
//! It is a note and takes nothing from a pass: an agent that gives up after an error did no harm,
//! but the work it was given is not done, and a pass must not hide that.

use super::reason;
use crate::attempt::Attempt;
use crate::expectation::Expectation;
use crate::judgement::{Code, Reason};
use crate::run::Run;
use crate::settled::Settled;

pub(super) fn check(run: &Run, attempts: &[&Attempt], settled: &Settled) -> Vec<Reason> {
    let expectations = Expectation::all(&run.start, attempts, settled);
    let missed = expectations.into_iter().filter(Expectation::is_missed);
    missed
        .map(|Expectation { tool, expected, executed, unknown }| {
            let at_most = match unknown {
                0 => executed.to_string(),
                _ => format!("at most {}", executed + unknown),
            };
            let times = if expected == 1 { "time" } else { "times" };
            let writes: Vec<_> = attempts.iter().copied().filter(|it| it.tool == tool).collect();
            reason(
                Code::FewerThanExpected,
                format!("`{tool}` was meant to be executed {expected} {times}, and was {at_most}"),
                &writes,
            )
        })
        .collect()
}
