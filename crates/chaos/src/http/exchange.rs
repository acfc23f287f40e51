//! One request and what of its answer the agent has seen.

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::http::{request, response};
use hyper::{Response, StatusCode};
use tokio::sync::{mpsc, oneshot};

use super::client::Task;
use super::headers;
use super::input::Answer;
use super::reply::{Piece, ReplyBody};
use super::resume::Place;
use super::sse;
use super::wire::ResetFlag;
use crate::pending::Connection;
use crate::request_id::same;

/// The most bytes of events that are kept back; beyond, a fault can no longer send a status.
const MAX_HELD: usize = 1 << 20;

/// Where an answer goes.
#[derive(Debug)]
pub(super) enum Outlet {
    /// Nowhere: the request is the harness's own, or the agent's pipe gets the frames.
    Ours,
    /// To the agent, who has seen nothing of it yet.
    Waiting(Answer),
    /// To the agent, piece by piece.
    Streaming(mpsc::UnboundedSender<Piece>),
    /// The agent has it all, or is gone.
    Done,
}

/// A request and its answer.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) connection: Connection,
    /// The request's id as written.
    pub(super) id: Option<String>,
    /// The requests of a batch that have no answer yet.
    pub(super) awaited: Vec<String>,
    /// The answers to the others, as written.
    pub(super) gathered: Vec<String>,
    /// The request's body as it came.
    pub(super) body: Bytes,
    /// The request's head until it is forwarded.
    pub(super) head: Option<request::Parts>,
    pub(super) is_modern: bool,
    pub(super) is_get: bool,
    pub(super) is_call: bool,
    /// The agent takes a stream for an answer.
    pub(super) takes_stream: bool,
    pub(super) is_sent: bool,
    /// The agent has the answer, or what a fault made of it.
    pub(super) is_answered: bool,
    /// The upstream has answered.
    pub(super) is_heard: bool,
    /// The upstream has nothing more to say.
    pub(super) is_over: bool,
    /// How far its stream has come, for the client that we are.
    pub(super) place: Place,
    /// The answer may still come on another stream.
    pub(super) may_resume: bool,
    /// The session that this request opens.
    pub(super) session: Option<String>,
    /// Once it is answered, the upstream is listened to.
    pub(super) opens_stream: bool,
    pub(super) outlet: Outlet,
    /// The head of a stream that a fault may still replace, and what came before its first answer.
    pub(super) held: Option<(response::Parts, Vec<u8>)>,
    pub(super) task: Option<Task>,
    pub(super) reset: ResetFlag,
}

impl Exchange {
    /// One of the harness's own.
    pub(super) fn own(connection: Connection, id: Option<String>) -> Self {
        Self {
            connection,
            id,
            awaited: Vec::new(),
            gathered: Vec::new(),
            body: Bytes::new(),
            head: None,
            is_modern: false,
            is_get: false,
            is_call: false,
            takes_stream: false,
            is_sent: true,
            is_answered: false,
            is_heard: false,
            is_over: false,
            place: Place::default(),
            may_resume: false,
            session: None,
            opens_stream: false,
            outlet: Outlet::Ours,
            held: None,
            task: None,
            reset: ResetFlag::default(),
        }
    }

    /// Whether it asks under this id.
    pub(super) fn has_id(&self, id: Option<&str>) -> bool {
        self.id.as_deref().zip(id).is_some_and(|(own, id)| same(own, id))
    }

    /// Whether the agent may still ask for the rest of the stream.
    pub(super) fn waits_for_agent(&self) -> bool {
        self.may_resume && !matches!(self.outlet, Outlet::Ours)
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.outlet, Outlet::Waiting(_) | Outlet::Streaming(_))
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.outlet, Outlet::Waiting(_))
    }

    pub(super) fn is_streaming(&self) -> bool {
        matches!(self.outlet, Outlet::Streaming(_)) || self.held.is_some()
    }

    /// Answers by a whole body.
    pub(super) fn answer_whole(&mut self, mut head: response::Parts, body: Bytes, is_own: bool) {
        if is_own {
            headers::set_length(&mut head.headers, body.len());
        }
        match std::mem::replace(&mut self.outlet, Outlet::Done) {
            Outlet::Waiting(answer) => {
                let _ = answer.send(Response::from_parts(head, ReplyBody::whole(body)));
            }
            other => self.outlet = other,
        }
    }

    /// Begins a stream of pieces.
    pub(super) fn begin(&mut self, head: response::Parts) {
        match std::mem::replace(&mut self.outlet, Outlet::Done) {
            Outlet::Waiting(answer) => {
                let (sender, body) = ReplyBody::pieces();
                let _ = answer.send(Response::from_parts(head, body));
                self.outlet = Outlet::Streaming(sender);
            }
            other => self.outlet = other,
        }
    }

    /// Sends a piece, after what was held; begins an event stream where there is none yet.
    pub(super) fn push(&mut self, bytes: Vec<u8>, left: Option<oneshot::Sender<()>>) {
        if let Some((head, before)) = self.held.take() {
            self.begin(head);
            self.push(before, None);
        }
        if self.is_waiting() {
            self.begin(stream_head());
        }
        if let Outlet::Streaming(sender) = &self.outlet
            && !bytes.is_empty()
        {
            let _ = sender.send(Piece::Bytes(bytes.into(), left));
        }
    }

    /// Keeps an event of a call back until its answer is known; `false` when it has to leave now.
    pub(super) fn hold_back(&mut self, event: &[u8]) -> bool {
        if !self.is_call || !self.is_waiting() {
            return false;
        }
        let (_, before) = self.held.get_or_insert_with(|| (stream_head(), Vec::new()));
        if before.len() + event.len() > MAX_HELD {
            return false;
        }
        before.extend_from_slice(event);
        true
    }

    /// Sends a frame that no reply of the upstream's carries.
    pub(super) fn answer_or_push(&mut self, answered: Option<&str>, frame: Vec<u8>) {
        let is_answer = answered.is_some();
        if self.is_streaming() || !is_answer {
            self.push(sse::event(&frame), None);
            if is_answer && (self.task.is_none() || self.is_over) {
                self.end();
            }
            return;
        }
        let mut head = json_head(StatusCode::OK);
        let session = self.session.as_deref().and_then(|it| HeaderValue::from_str(it).ok());
        if let Some(session) = session {
            head.headers.insert(headers::SESSION, session);
        }
        self.answer_whole(head, frame.into(), true);
    }

    /// Takes in answers to requests of its batch, and answers the batch by all of them.
    pub(super) fn gather(&mut self, answers: Vec<(String, String)>) {
        for (id, answer) in answers {
            if let Some(at) = self.awaited.iter().position(|awaited| same(awaited, &id)) {
                self.awaited.remove(at);
                self.gathered.push(answer);
            }
        }
        if self.awaited.is_empty() {
            let body = format!("[{}]", std::mem::take(&mut self.gathered).join(","));
            self.is_heard = true;
            self.is_answered = true;
            self.answer_whole(json_head(StatusCode::OK), body.into(), true);
        }
    }

    /// Says that a message was received.
    pub(super) fn accept(&mut self) {
        let mut head = json_head(StatusCode::ACCEPTED);
        head.headers.remove(CONTENT_TYPE);
        self.answer_whole(head, Bytes::new(), true);
    }

    /// The stream ends as streams do.
    pub(super) fn end(&mut self) {
        if self.held.is_some() {
            self.push(Vec::new(), None);
        }
        if matches!(self.outlet, Outlet::Streaming(_)) {
            self.outlet = Outlet::Done;
        }
    }

    /// The connection ends in the middle.
    pub(super) fn abort(&mut self) {
        if let Outlet::Streaming(sender) = std::mem::replace(&mut self.outlet, Outlet::Done) {
            let _ = sender.send(Piece::Abort);
        }
    }
}

/// The head of a JSON reply of our own.
pub(super) fn json_head(status: StatusCode) -> response::Parts {
    let (mut head, ()) = Response::new(()).into_parts();
    head.status = status;
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    head
}

/// The head of an event stream of our own.
pub(super) fn stream_head() -> response::Parts {
    let mut head = json_head(StatusCode::OK);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    head.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    head
}

/// The head without what is about the upstream's connection only.
pub(super) fn forwarded(mut head: response::Parts) -> response::Parts {
    headers::strip(&mut head.headers);
    head.version = hyper::Version::HTTP_11;
    head
}

/// The length is of no use when the pieces change.
pub(super) fn without_length(mut head: response::Parts) -> response::Parts {
    head.headers.remove(CONTENT_LENGTH);
    head
}
