//! The ghost write: it was executed, and the agent hears of a timeout.

use super::shape::LOSS;
use super::with::TEXT;
use super::{Effect, Kind, Reply, Speech};

pub(super) static KIND: Kind = Kind {
    id: "ghost-write",
    about: "the call is executed, and the agent hears of a timeout",
    counts: "as executed; a repeat that is executed too is the agent's duplicate",
    takes: &[TEXT],
    told: Speech::Instead(|_, _| timeout()),
    shapes: LOSS,
    effect: |_| Effect::Replace,
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};

/// A timeout as servers and gateways word it.
pub(super) fn timeout() -> Reply {
    let text = "Request timed out after 30 s: no response from the server";
    // The code is what the TypeScript SDK makes locally when its own timer runs out.
    Reply { code: -32001, ..Reply::error(504, text, "Request timed out") }
}
