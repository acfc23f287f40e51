//! Whether the faults that were to be tried were applied at all.

use super::absence;
use crate::attempt::Attempt;
use crate::judgement::{Code, Reason};
use crate::run::Run;

pub(super) fn check(run: &Run, attempts: &[&Attempt], operations: u64) -> Vec<Reason> {
    match run.start.scenario.as_deref() {
        // F4 injects nothing; it has been applied as soon as there was a write to watch.
        Some("F4") if operations > 0 => vec![absence(Code::BaselineOnly)],
        Some("F4") => vec![absence(Code::ScenarioNotTriggered)],
        Some(_) if run.struck.is_empty() => vec![not_triggered(run)],
        Some(_) => rules_not_triggered(run),
        None if attempts.iter().any(|it| it.is_faulted()) => Vec::new(),
        None => vec![absence(Code::BaselineOnly)],
    }
}

fn not_triggered(run: &Run) -> Reason {
    let reason = absence(Code::ScenarioNotTriggered);
    if run.in_batch == 0 {
        return reason;
    }
    let detail = format!(
        "{}; {} calls came in JSON-RPC batches, and no fault strikes those",
        reason.detail, run.in_batch
    );
    Reason { detail, ..reason }
}

fn rules_not_triggered(run: &Run) -> Vec<Reason> {
    let rules = (0_u32..).zip(&run.start.faults);
    let missed = rules.filter(|(rule, _)| !run.struck.contains(rule));
    let reason = |(rule, fault): (u32, &String)| Reason {
        detail: format!("no call met rule {} of the scenario (`{fault}`)", rule + 1),
        ..absence(Code::RuleNotTriggered)
    };
    missed.map(reason).collect()
}
