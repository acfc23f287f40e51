//! A forwarded call, reads too, without an answer.

use super::reason;
use crate::attempt::Attempt;
use crate::judgement::{Code, Reason};

pub(super) fn check(attempts: &[&Attempt]) -> Option<Reason> {
    let open: Vec<&Attempt> = attempts.iter().copied().filter(|it| it.is_open()).collect();
    let first = open.first()?;
    let detail = match open.len() {
        1 => format!("the call of `{}` has no answer", first.tool),
        many => format!("{many} calls have no answer, the first one of `{}`", first.tool),
    };
    Some(reason(Code::CallStillOpen, detail, &open))
}
