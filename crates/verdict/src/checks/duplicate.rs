//! One operation executed more than once, whatever its keys.

use super::reason;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;
use crate::run::Run;

pub(super) fn check(run: &Run, operations: &[Operation<'_>]) -> Vec<Reason> {
    let doubled = |operation: &&Operation<'_>| operation.executions() > allowed(run, operation);
    operations
        .iter()
        .filter(doubled)
        .map(|operation| {
            let (times, tool) = (operation.executions(), operation.tool);
            let executed: Vec<_> =
                operation.attempts.iter().copied().filter(|it| it.is_executed()).collect();
            reason(
                Code::DuplicateExecution,
                format!("`{tool}` was executed {times} times with the same arguments"),
                &executed,
            )
        })
        .collect()
}

/// Once, unless the user said how often the tool is meant to run.
fn allowed(run: &Run, operation: &Operation<'_>) -> u64 {
    let declared = run.start.expect.iter().find(|(tool, _)| tool == operation.tool);
    declared.map_or(1, |(_, times)| (*times).max(1))
}
