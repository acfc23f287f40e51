//! A write whose outcome nobody knows, sent again; or a known one repeated with no known outcome.

use super::reason;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;

pub(super) fn check(operations: &[Operation<'_>]) -> Vec<Reason> {
    let whole = operations.iter().filter(|operation| is_possible(operation)).map(|operation| {
        let tool = operation.tool;
        let often = match operation.allowed {
            1 => "twice".to_owned(),
            allowed => format!("more than {allowed} times"),
        };
        reason(
            Code::PossibleDuplicate,
            format!("`{tool}` may have been executed {often}: one attempt has no outcome"),
            &operation.attempts,
        )
    });
    let parts = operations.iter().flat_map(|operation| &operation.attempts).filter_map(|attempt| {
        attempt.repeats_part.filter(|_| attempt.is_unknown())?;
        let tool = &attempt.tool;
        let detail = format!("`{tool}` may have been executed again for items of a call cut short");
        Some(reason(Code::PossibleDuplicate, detail, [attempt]))
    });
    whole.chain(parts).collect()
}

fn is_possible(operation: &Operation<'_>) -> bool {
    let Some(first) = operation.attempts.iter().position(|it| it.is_unknown()) else {
        return false;
    };
    if operation.allowed > 1 {
        let unknown = operation.attempts.iter().filter(|it| it.is_unknown()).count() as u64;
        return operation.executions() + unknown > operation.allowed;
    }
    operation.attempts.len() > first + 1 || operation.executions() > 0
}
