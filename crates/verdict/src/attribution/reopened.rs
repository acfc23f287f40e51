//! Whether the client had lost its connection and built it up anew between two calls.
//!
//! Some stacks open a session for each call, so a new session alone says nothing. It speaks for the
//! client only where the first call got no answer that could be read: that is when clients start
//! over, and the known ones then send the call again without asking the model.

use checkrein_ledger::{Answer, Told};

use super::clue::{Clue, ClueKind};
use crate::attempt::Attempt;
use crate::run::Run;
use crate::session::Session;

/// Shapes of a fault that reach the agent as an ordinary answer; every other one breaks the
/// transport.
const READABLE_SHAPES: [&str; 2] = ["soft", "error"];

/// Whether the agent got an answer to this call that its client could read.
pub(super) fn is_answered(run: &Run, attempt: &Attempt) -> bool {
    let Some((told, at)) = attempt.told else { return false };
    if attempt.cancelled.is_some_and(|cancelled| cancelled < at) {
        return false;
    }
    match told {
        Told::Upstream => attempt.answer != Answer::Unreadable,
        Told::Injected => {
            let own = attempt.fault.as_ref().and_then(|fault| fault.shape.as_deref());
            let shape = own.or(run.start.shape.as_deref());
            shape.is_none_or(|shape| READABLE_SHAPES.contains(&shape))
        }
        Told::Lost | Told::Nothing => false,
    }
}

/// What the sessions and the request ids around a repeat say.
pub(super) fn clues(run: &Run, first: &Attempt, again: &Attempt) -> Vec<Clue> {
    let mut clues = Vec::new();
    let session = Session::of(&run.sessions, again);
    if let Some(session) = session.filter(|session| session.opened > first.received) {
        let client = session.client.as_deref().unwrap_or("the client");
        clues.push(Clue::new(
            ClueKind::SessionReopened,
            format!("`{client}` opened a session between the two calls"),
        ));
    }
    let (one, other) = (number(&first.request_id), number(&again.request_id));
    if let (Some(one), Some(other)) = (one, other)
        && other < one
    {
        clues.push(Clue::new(
            ClueKind::RequestIdsRestarted,
            format!("the request ids began anew: {one}, then {other}"),
        ));
    }
    clues
}

fn number(id: &str) -> Option<u64> {
    id.parse().ok()
}
