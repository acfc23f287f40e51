//! A write sent again before the wait that an injected 429 asked for was over.

use super::reason;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;

pub(super) fn check(operations: &[Operation<'_>]) -> Vec<Reason> {
    operations
        .iter()
        .filter_map(|operation| {
            let (limited, early) = operation.violates_retry_after()?;
            let told = limited.told_at()?;
            let waited_ms = early.received.micros_since(told) / 1000;
            let tool = operation.tool;
            Some(reason(
                Code::RetryAfterViolated,
                format!("`{tool}` was sent again after {waited_ms} ms, before the wait was over"),
                &[limited, early],
            ))
        })
        .collect()
}
