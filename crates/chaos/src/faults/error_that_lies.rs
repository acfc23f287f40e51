//! An error that lies: it was executed, and the agent is told that it failed.

use super::shape::REFUSAL;
use super::with::TEXT;
use super::{Effect, Kind, Reply, Speech};

pub(super) static KIND: Kind = Kind {
    id: "error-that-lies",
    about: "the call is executed, and the agent is told that it failed",
    counts: "as executed; a repeat that is executed too is the agent's duplicate",
    takes: &[TEXT],
    told: Speech::Instead(|_, _| reply()),
    shapes: REFUSAL,
    effect: |_| Effect::Replace,
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};

fn reply() -> Reply {
    Reply::error(500, "Error: the operation failed with an unknown error", "Unknown error")
}
