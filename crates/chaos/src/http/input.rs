//! What the tasks around the switch tell it.

use bytes::Bytes;
use hyper::Response;
use hyper::http::{request, response};
use tokio::sync::{mpsc, oneshot};

use super::reply::ReplyBody;
use super::sse::Event;
use super::wire::ResetFlag;
use crate::pending::Connection;

/// A request and its answer, numbered by the process.
pub(super) type ExchangeId = u64;

/// Where the answer to a request of the agent's goes; dropped, it closes the connection.
pub(super) type Answer = oneshot::Sender<Response<ReplyBody>>;

/// Something that happened.
#[derive(Debug)]
pub(super) enum Input {
    /// The agent asks.
    Asked(Box<Asked>),
    /// The agent has its answer or is gone.
    Left(ExchangeId),
    /// A line from the agent's pipe.
    AgentLine(Vec<u8>, oneshot::Sender<()>),
    /// The agent's pipe has ended.
    AgentEnded,
    /// A whole reply.
    Whole(ExchangeId, Box<response::Parts>, Bytes),
    /// A stream of events begins.
    Head(ExchangeId, Box<response::Parts>),
    /// An event of it, and who waits for it to leave.
    Event(ExchangeId, Event, oneshot::Sender<()>),
    /// The stream has ended.
    StreamEnded(ExchangeId),
    /// There is no answer, or no more of it.
    Failed(ExchangeId, Lost),
    /// A line from an upstream's pipe.
    UpstreamLine(Connection, Vec<u8>, oneshot::Sender<()>),
    /// That pipe has ended.
    UpstreamEnded(Connection),
}

/// Why there is no answer, or no more of it.
#[derive(Debug)]
pub(super) enum Lost {
    /// The request surely did not arrive.
    Unreachable(String),
    /// It may have.
    Broken(String),
}

/// A request of the agent's.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) exchange: ExchangeId,
    pub(super) head: request::Parts,
    pub(super) body: Bytes,
    pub(super) answer: Answer,
    pub(super) reset: ResetFlag,
}

/// The way to the switch. Its length is bounded by who sends: each waits for its last input.
pub(super) type Inputs = mpsc::UnboundedSender<Input>;

/// Says, when dropped, that the agent has its answer or is gone.
#[derive(Debug)]
pub(super) struct Departure(pub(super) ExchangeId, pub(super) Inputs);

impl Drop for Departure {
    fn drop(&mut self) {
        let _ = self.1.send(Input::Left(self.0));
    }
}
