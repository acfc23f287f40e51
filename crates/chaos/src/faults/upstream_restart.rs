//! A crash: it was executed, the upstream dies before it can answer, and comes back.

use super::shape::{ERROR, SILENCE, SOFT};
use super::with::TEXT;
use super::{Effect, Kind, Reply, Speech, Transport};

pub(super) static KIND: Kind = Kind {
    id: "upstream-restart",
    about: "the call is executed, then the upstream is ended and started again",
    counts: "as executed; for an upstream that keeps its state, a repeat is the agent's duplicate",
    takes: &[TEXT],
    told: Speech::Instead(|_, _| reply()),
    shapes: &[SOFT, ERROR, SILENCE],
    effect: |_| Effect::Restart,
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[(Transport::Http, "the upstream is not the proxy's to start again")],
};

fn reply() -> Reply {
    // The code is what the TypeScript SDK makes of a pipe that closed.
    let reply = Reply::error(502, "MCP error -32000: Connection closed", "Connection closed");
    Reply { code: -32000, ..reply }
}
