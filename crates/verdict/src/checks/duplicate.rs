//! One operation executed more than once, whatever its keys.

use super::reason;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;

pub(super) fn check(operations: &[Operation<'_>]) -> Vec<Reason> {
    operations
        .iter()
        .filter(|operation| operation.is_doubled())
        .map(|operation| {
            let (times, tool) = (operation.executions(), operation.tool);
            let executed: Vec<_> =
                operation.attempts.iter().copied().filter(|it| it.is_executed()).collect();
            let meant = match operation.allowed {
                1 => String::new(),
                allowed => format!(" and is meant to be executed {allowed} times"),
            };
            reason(
                Code::DuplicateExecution,
                format!("`{tool}` was executed {times} times with the same arguments{meant}"),
                &executed,
            )
        })
        .collect()
}
