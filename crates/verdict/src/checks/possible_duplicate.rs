//! A write whose outcome nobody knows, sent again; or a known one repeated with no known outcome.

use super::reason;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;

pub(super) fn check(operations: &[Operation<'_>]) -> Vec<Reason> {
    operations
        .iter()
        .filter_map(|operation| {
            let unknown = operation.attempts.iter().position(|it| it.is_unknown())?;
            let is_repeated = operation.attempts.len() > unknown + 1;
            let is_repeat = operation.executions() > 0;
            (is_repeated || is_repeat).then(|| {
                let tool = operation.tool;
                reason(
                    Code::PossibleDuplicate,
                    format!("`{tool}` may have been executed twice: one attempt has no outcome"),
                    &operation.attempts,
                )
            })
        })
        .collect()
}
