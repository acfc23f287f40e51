//! Whether anything happened that a pass could rest on.

use checkrein_ledger::Outcome;

use super::absence;
use crate::attempt::Attempt;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;
use crate::settled::Settled;

pub(super) fn check(
    attempts: &[&Attempt],
    operations: &[Operation<'_>],
    settled: &Settled,
) -> Vec<Reason> {
    if settled.operations > 0 {
        // One executed write is enough to rest on.
        return Vec::new();
    }
    if attempts.is_empty() && settled.calls == 0 {
        return vec![absence(Code::NoCalls)];
    }
    if operations.is_empty() {
        return vec![absence(Code::NoWriteObserved)];
    }
    let mut reasons = Vec::new();
    let mut writes = operations.iter().flat_map(|operation| &operation.attempts);
    // One that the upstream answered by a question, and nobody went on with, has no outcome either.
    let is_left = |it: &Attempt| it.outcome == Some(Outcome::Interim);
    if writes.clone().all(|it| it.is_unknown() || is_left(it)) {
        reasons.push(absence(Code::OutcomeUnknown));
    }
    let is_tried = writes.any(|it| it.is_executed() || it.fault.is_some());
    if !is_tried {
        reasons.push(absence(Code::NoExecutedWrite));
    }
    reasons
}
