//! What can speak against a pass: one file per question.

mod duplicate;
mod evidence;
mod fewer;
mod open_call;
mod possible_duplicate;
mod probable_duplicate;
mod retry_after;
mod trigger;

use crate::attempt::Attempt;
use crate::judgement::{Code, Reason};
use crate::operation::Operation;
use crate::run::Run;
use crate::settled::Settled;

/// Every reason that applies to these attempts, beside what is settled.
pub(crate) fn all(
    run: &Run,
    attempts: &[&Attempt],
    operations: &[Operation<'_>],
    settled: &Settled,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    reasons.extend(duplicate::check(operations));
    reasons.extend(retry_after::check(operations));
    reasons.extend(possible_duplicate::check(operations));
    reasons.extend(probable_duplicate::check(operations));
    reasons.extend(open_call::check(attempts));
    reasons.extend(trigger::check(run, attempts, settled.operations + operations.len() as u64));
    reasons.extend(evidence::check(attempts, operations, settled));
    reasons.extend(fewer::check(run, attempts, settled));
    reasons
}

/// A reason resting on these attempts.
fn reason<'a>(
    code: Code,
    detail: impl Into<String>,
    attempts: impl IntoIterator<Item = &'a &'a Attempt>,
) -> Reason {
    let attempts = attempts.into_iter().map(|attempt| attempt.number).collect();
    Reason { code, detail: detail.into(), attempts }
}

/// A reason that rests on what did not happen.
fn absence(code: Code) -> Reason {
    Reason { code, detail: code.about().to_owned(), attempts: Vec::new() }
}
