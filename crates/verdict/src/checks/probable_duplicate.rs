//! After an injected timeout, the same write executed again in another spelling.

use super::reason;
use crate::attempt::Attempt;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;

pub(super) fn check(operations: &[Operation<'_>]) -> Vec<Reason> {
    let writes: Vec<&Attempt> =
        operations.iter().flat_map(|operation| operation.attempts.iter().copied()).collect();
    let ghosts = writes.iter().filter(|it| it.is_ghost() && !it.is_withheld());
    ghosts
        .filter_map(|ghost| {
            let told = ghost.told_at()?;
            let again = writes.iter().find(|it| {
                it.is_executed()
                    && it.received > told
                    && it.tool == ghost.tool
                    && it.loose == ghost.loose
                    && it.operation != ghost.operation
            })?;
            let tool = &ghost.tool;
            Some(reason(
                Code::ProbableDuplicate,
                format!("`{tool}` was executed again with arguments that only look different"),
                &[*ghost, *again],
            ))
        })
        .collect()
}
