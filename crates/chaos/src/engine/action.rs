//! What the engine decides, for the loop around it to do.

use std::time::Duration;

use checkrein_ledger::{Event, Tool};

use super::Audit;
use crate::faults::{Reply, Shape};
use crate::pending::Connection;

/// What the loop around the engine does, in this order, records first.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Write this into the ledger before anything that follows.
    Record(Event),
    /// Send this frame to the upstream.
    ToUpstream(Connection, Vec<u8>),
    /// Send this frame to the agent.
    ToAgent(Connection, Vec<u8>),
    /// Send this frame to the agent in pieces of so many bytes, this far apart.
    Drip {
        /// To whom.
        connection: Connection,
        /// The frame.
        frame: Vec<u8>,
        /// The bytes of a piece.
        bytes: usize,
        /// Between two pieces.
        every: Duration,
    },
    /// Answer the request with this id, as written, by something that is no frame: the end of the
    /// connection, or on HTTP a status, a cut body, a reset, a cut stream.
    Break {
        /// To whom.
        connection: Connection,
        /// The request's id.
        id: String,
        /// By what.
        shape: Shape,
        /// What it says, where it says anything.
        reply: Reply,
    },
    /// Answer an audit call; the id is the request's, as written.
    Audit {
        /// To whom.
        connection: Connection,
        /// The request's id.
        id: String,
        /// The tool.
        audit: Audit,
        /// Whether the answer needs the newer revision's fields.
        is_modern: bool,
    },
    /// The tools are known now; say so to the user.
    Announce(Vec<Tool>),
    /// End the upstream, start it again, then say so by [`super::Engine::upstream_started`].
    RestartUpstream,
    /// Call [`super::Engine::timer`] with this token once so much time has passed.
    Wait {
        /// The token.
        token: u64,
        /// How long.
        after: Duration,
    },
}
