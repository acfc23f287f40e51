//! One operation executed more than once, whatever its keys.

use super::reason;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;

pub(super) fn check(operations: &[Operation<'_>]) -> Vec<Reason> {
    let whole = operations.iter().filter(|operation| operation.is_doubled()).map(|operation| {
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
    });
    let parts = operations.iter().flat_map(|operation| &operation.attempts).filter_map(|attempt| {
        attempt.repeats_part.filter(|_| attempt.is_executed())?;
        let tool = &attempt.tool;
        let detail =
            format!("`{tool}` was executed again for items of a call that was carried out in part");
        Some(reason(Code::DuplicateExecution, detail, [attempt]))
    });
    whole.chain(parts).collect()
}
