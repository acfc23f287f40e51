//! Whether the fault that was to be tried was applied at all.

use super::absence;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;
use crate::run::Run;

pub(super) fn check(run: &Run, operations: &[Operation<'_>]) -> Option<Reason> {
    match run.start.scenario.as_deref() {
        // F4 injects nothing; it has been applied as soon as there was a write to watch.
        Some("F4") if !operations.is_empty() => Some(absence(Code::BaselineOnly)),
        Some("F4") => Some(absence(Code::ScenarioNotTriggered)),
        Some(_) if !run.is_triggered => Some(absence(Code::ScenarioNotTriggered)),
        Some(_) => None,
        None if run.is_faulted() => None,
        None => Some(absence(Code::BaselineOnly)),
    }
}
