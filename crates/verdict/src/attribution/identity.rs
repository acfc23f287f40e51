//! The names that a client gives the calls of its model.

use super::clue::{Clue, ClueKind};
use crate::attempt::Attempt;

/// `_meta` keys whose value is one per call of the model: a re-send behind the model's back keeps
/// it, a new decision gets a new one. Turn identities are left out: a turn has many calls.
const CALL_IDENTITIES: [&str; 3] = ["claudecode/toolUseId", "callId", "toolCallId"];

/// Whether both calls carry one and the same identity.
pub(super) fn is_same(first: &Attempt, again: &Attempt) -> bool {
    clue(first, again).is_some_and(|clue| clue.kind == ClueKind::SameIdentity)
}

/// What the identities say, when both calls carry one of the same name.
pub(super) fn clue(first: &Attempt, again: &Attempt) -> Option<Clue> {
    CALL_IDENTITIES.iter().find_map(|name| {
        let (one, other) = (value(first, name)?, value(again, name)?);
        Some(if one == other {
            Clue::new(ClueKind::SameIdentity, format!("both calls carry `{name}` {one}"))
        } else {
            Clue::new(
                ClueKind::OtherIdentity,
                format!("each call carries a `{name}` of its own: {one} and {other}"),
            )
        })
    })
}

fn value<'a>(attempt: &'a Attempt, name: &str) -> Option<&'a str> {
    let found = attempt.identities.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str()).filter(|value| !matches!(*value, "" | "null" | "\"\""))
}
