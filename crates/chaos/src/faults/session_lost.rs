//! A lost session: it was executed, and the session is gone (MCP 2025-11-25, transports).

use super::shape::{ERROR, SOFT};
use super::with::TEXT;
use super::{Effect, Kind, Reply, Shape, Speech};

pub(super) static KIND: Kind = Kind {
    id: "session-lost",
    about: "the call is executed, and the agent hears that its session is unknown",
    counts: "as executed; a repeat that is executed too is a duplicate, the client's own re-send \
             in a new session included, and the report says whose it was; a call of the newest \
             revision, which has no sessions, is never struck",
    takes: &[TEXT],
    told: Speech::Instead(|_, _| reply()),
    shapes: &[
        SOFT,
        ERROR,
        (
            Shape::Status,
            "404, as for each later request of that session; clients open one anew, and some \
             re-send by themselves",
        ),
    ],
    effect: |_| Effect::Replace,
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};

fn reply() -> Reply {
    let reply = Reply::error(404, "HTTP 404 Not Found: session not found", "Session not found");
    Reply { code: -32001, ..reply }
}
