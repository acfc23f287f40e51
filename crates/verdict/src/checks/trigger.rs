//! Whether the fault that was to be tried was applied at all.

use super::absence;
use crate::attempt::Attempt;
use crate::judgement::{Code, Reason};
use crate::run::Run;

pub(super) fn check(run: &Run, attempts: &[&Attempt], operations: u64) -> Option<Reason> {
    match run.start.scenario.as_deref() {
        // F4 injects nothing; it has been applied as soon as there was a write to watch.
        Some("F4") if operations > 0 => Some(absence(Code::BaselineOnly)),
        Some("F4") => Some(absence(Code::ScenarioNotTriggered)),
        Some(_) if !run.is_triggered => Some(absence(Code::ScenarioNotTriggered)),
        Some(_) => None,
        None if attempts.iter().any(|it| it.is_faulted()) => None,
        None => Some(absence(Code::BaselineOnly)),
    }
}
