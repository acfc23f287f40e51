//! The loop: takes in what happened, asks the engine, writes down, and lets out.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::http::response;
use tokio::sync::{mpsc, oneshot};

use super::address::Address;
use super::children::Children;
use super::exchange::{Exchange, Outlet, forwarded, without_length};
use super::headers::SESSION;
use super::input::{ExchangeId, Input, Inputs, Lost};
use super::listener::{self, Numbers};
use super::parameters::Parameters;
use super::pipe::Pipe;
use super::sse::Event;
use crate::alarms::Alarms;
use crate::book::{Book, audit_answer};
use crate::engine::{Action, Config, Engine, Plan};
use crate::faults::Shape;
use crate::frame::{Body, Frame, Message};
use crate::pending::Connection;
use crate::stdio::{Ending, ProxyError};

/// How long answers are awaited that the harness itself has asked for when the agent left.
const SETTLE_LIMIT: Duration = Duration::from_millis(1500);

/// How long it is to the next look when nothing is due.
const IDLE: Duration = Duration::from_secs(3600);

/// The most connections whose fields are remembered for the harness's own requests.
const MAX_TEMPLATES: usize = 4096;

/// The agent's one connection on pipes.
pub(super) const PIPE: Connection = 0;
/// The connection of requests without a session, when the upstream is on pipes.
pub(super) const SHARED: Connection = 1;

/// Where frames for the upstream go.
#[derive(Debug)]
pub(super) enum Upstream {
    Url(Address),
    Children(Children),
}

/// What a frame of the upstream's came in.
pub(super) enum Carrier {
    /// A whole reply.
    Whole(Box<response::Parts>, Bytes),
    /// An event of a stream, and who waits for it to leave.
    Event(Event, Option<oneshot::Sender<()>>),
    /// Nothing that the agent could be shown.
    Nothing,
}

/// The frame that the engine is being asked about.
pub(super) struct Context {
    pub(super) exchange: ExchangeId,
    pub(super) fed: Vec<u8>,
    pub(super) carrier: Carrier,
}

/// The fields and body of a connection's latest request.
#[derive(Debug, Clone, Default)]
pub(super) struct Template {
    pub(super) target: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

pub(super) struct Switch<'a> {
    pub(super) book: Book<'a>,
    pub(super) upstream: Upstream,
    pub(super) agent: Option<Pipe>,
    pub(super) inputs: Inputs,
    pub(super) numbers: Numbers,
    pub(super) exchanges: BTreeMap<ExchangeId, Exchange>,
    pub(super) sessions: HashMap<String, Connection>,
    pub(super) last_connection: Connection,
    pub(super) templates: BTreeMap<Connection, Template>,
    pub(super) parameters: Parameters,
    pub(super) context: Option<Context>,
    /// The upstream hears of a cancel by the end of the connection instead.
    pub(super) is_cancelling: bool,
    /// The request that opens the session of an agent on pipes.
    pub(super) opening: Option<String>,
    alarms: Alarms,
    /// What only informs the agent of a call waits for what a fault makes of its answer.
    pub(super) holds_heads: bool,
    is_closed: bool,
}

/// Whether a fault may have to answer by a status: then no head may leave before its answer.
pub(super) fn may_send_status(config: &Config) -> bool {
    let Plan::Scenario(scenario) = &config.plan else { return false };
    scenario.rules.iter().any(|rule| rule.shape == Shape::Status)
}

impl<'a> Switch<'a> {
    pub(super) fn new(
        book: Book<'a>,
        upstream: Upstream,
        agent: Option<Pipe>,
        inputs: Inputs,
        numbers: Numbers,
        holds_heads: bool,
    ) -> Self {
        Self {
            book,
            upstream,
            agent,
            inputs,
            numbers,
            exchanges: BTreeMap::new(),
            sessions: HashMap::new(),
            last_connection: SHARED,
            templates: BTreeMap::new(),
            parameters: Parameters::default(),
            context: None,
            is_cancelling: false,
            opening: None,
            alarms: Alarms::default(),
            holds_heads,
            is_closed: false,
        }
    }

    /// Relays until the end.
    pub(super) async fn turn(
        mut self,
        mut arriving: mpsc::UnboundedReceiver<Input>,
        stop: impl Future<Output = ()>,
    ) -> Result<Ending, ProxyError> {
        let mut stop = std::pin::pin!(stop);
        let ending = loop {
            let rest = self.alarms.next_in().unwrap_or(IDLE);
            tokio::select! {
                input = arriving.recv() => match input {
                    Some(Input::AgentEnded) | None => break Ending::EndOfInput,
                    Some(input) => self.take_in(input)?,
                },
                () = tokio::time::sleep(rest) => {}
                () = &mut stop => break Ending::Signal,
            }
            self.ring()?;
            if self.is_closed {
                break Ending::Closed;
            }
        };
        self.finish(ending, arriving).await
    }

    async fn finish(
        mut self,
        ending: Ending,
        mut arriving: mpsc::UnboundedReceiver<Input>,
    ) -> Result<Ending, ProxyError> {
        self.carry_out(Engine::closing)?;
        let until = Instant::now() + SETTLE_LIMIT;
        while self.book.engine.is_settling() && Instant::now() < until {
            if let Ok(Some(input)) =
                tokio::time::timeout(Duration::from_millis(50), arriving.recv()).await
            {
                self.take_in(input)?;
            }
            self.ring()?;
        }
        self.book.close(match ending {
            Ending::EndOfInput => "end_of_input",
            Ending::Signal => "signal",
            Ending::UpstreamGone => "upstream_gone",
            Ending::Closed => "closed",
        })?;
        self.end_session().await;
        if let Upstream::Children(children) = &mut self.upstream {
            children.end_all();
        }
        if let Some(pipe) = self.agent.take() {
            pipe.close().await;
        }
        Ok(ending)
    }

    fn ring(&mut self) -> Result<(), ProxyError> {
        while let Some(token) = self.alarms.take_due() {
            self.carry_out(|engine| engine.timer(token))?;
        }
        Ok(())
    }

    fn take_in(&mut self, input: Input) -> Result<(), ProxyError> {
        match input {
            Input::Asked(asked) => self.asked(*asked),
            Input::Left(exchange) => self.left(exchange),
            Input::AgentLine(line, _left) => {
                self.carry_out(|engine| engine.from_agent(PIPE, &line))
            }
            Input::AgentEnded => Ok(()),
            Input::Whole(exchange, head, body) => self.whole(exchange, *head, body),
            Input::Head(exchange, head) => {
                self.head(exchange, *head);
                Ok(())
            }
            Input::Event(exchange, event, left) => self.event(exchange, event, left),
            Input::StreamEnded(exchange) => self.stream_ended(exchange),
            Input::Failed(exchange, lost) => self.failed(exchange, lost),
            Input::UpstreamLine(connection, line, _left) => {
                self.heard(connection, &line);
                self.carry_out(|engine| engine.from_upstream(connection, &line))
            }
            Input::UpstreamEnded(connection) => self.child_ended(connection),
        }
    }

    /// Lets the engine decide, writes down, and lets out.
    pub(super) fn carry_out(
        &mut self,
        decide: impl FnOnce(&mut Engine) -> Vec<Action>,
    ) -> Result<(), ProxyError> {
        let effects = self.book.decide(decide)?;
        for effect in effects {
            self.let_out(effect)?;
        }
        self.acknowledge_swallowed();
        Ok(())
    }

    /// Tells the engine what the upstream said in an exchange.
    fn feed(
        &mut self,
        exchange: ExchangeId,
        connection: Connection,
        fed: Vec<u8>,
        carrier: Carrier,
    ) -> Result<(), ProxyError> {
        let frame = fed.clone();
        self.context = Some(Context { exchange, fed, carrier });
        let done = self.carry_out(|engine| engine.from_upstream(connection, &frame));
        self.context = None;
        done
    }

    fn let_out(&mut self, effect: Action) -> Result<(), ProxyError> {
        match effect {
            Action::ToAgent(connection, frame) => self.tell_agent(connection, frame),
            Action::Drip { connection, frame, bytes, every } => {
                self.drip(connection, frame, bytes, every);
            }
            Action::ToUpstream(connection, frame) => self.tell_upstream(connection, frame)?,
            Action::Audit { connection, id, audit, is_modern } => {
                let frame = audit_answer(&id, &self.book.reporter.audit(audit), is_modern);
                self.tell_agent(connection, frame);
            }
            Action::Announce(tools) => self.book.reporter.announce(&tools),
            Action::Break { shape: Shape::Close, .. } if self.agent.is_some() => {
                self.is_closed = true;
            }
            Action::Break { connection, id, shape, reply } => {
                self.break_off(connection, &id, shape, &reply);
            }
            Action::RestartUpstream => {
                if let Upstream::Children(children) = &mut self.upstream {
                    children.end_all();
                }
                self.carry_out(Engine::upstream_started)?;
            }
            Action::Wait { token, after } => self.alarms.set(token, after),
            Action::Record(_) => unreachable!("records were taken out before"),
        }
        Ok(())
    }

    /// Remembers how this connection's requests look.
    pub(super) fn remember(&mut self, connection: Connection, template: Template) {
        self.templates.insert(connection, template);
        if self.templates.len() > MAX_TEMPLATES {
            self.templates.pop_first();
        }
    }

    pub(super) fn number(&self) -> ExchangeId {
        listener::number(&self.numbers)
    }

    fn whole(
        &mut self,
        id: ExchangeId,
        head: response::Parts,
        body: Bytes,
    ) -> Result<(), ProxyError> {
        self.learn_session(id, &head);
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        exchange.is_over = true;
        let connection = exchange.connection;
        let head = forwarded(head);
        let fed = match &exchange.id {
            Some(request) => Some(readable(&body, request, head.status.as_u16())),
            None => matches!(Frame::read(&exchange.body), Frame::Batch(_)).then(|| body.to_vec()),
        };
        match fed {
            Some(fed) => {
                exchange.is_heard = true;
                self.feed(id, connection, fed, Carrier::Whole(Box::new(head), body))?;
            }
            None => {
                let opens_stream = exchange.opens_stream && head.status.is_success();
                exchange.answer_whole(head, body, false);
                if opens_stream {
                    self.open_stream();
                }
            }
        }
        self.sweep(id);
        Ok(())
    }

    fn head(&mut self, id: ExchangeId, head: response::Parts) {
        self.learn_session(id, &head);
        let holds = self.holds_heads;
        let Some(exchange) = self.exchanges.get_mut(&id) else { return };
        let head = without_length(forwarded(head));
        if holds && exchange.is_call && exchange.is_waiting() {
            exchange.held = Some((head, Vec::new()));
        } else {
            exchange.begin(head);
        }
    }

    fn event(
        &mut self,
        id: ExchangeId,
        event: Event,
        left: oneshot::Sender<()>,
    ) -> Result<(), ProxyError> {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        exchange.may_resume |= event.has_id && !exchange.is_modern;
        let connection = exchange.connection;
        let Some(data) = event.data.clone().filter(|data| !data.is_empty()) else {
            match &mut exchange.held {
                Some((_, before)) => before.extend_from_slice(&event.raw),
                None => exchange.push(event.raw, Some(left)),
            }
            return Ok(());
        };
        let is_answer = answers(&data).is_some_and(|it| exchange.id.as_deref() == Some(it));
        exchange.is_heard |= is_answer;
        self.feed(id, connection, data, Carrier::Event(event, Some(left)))
    }

    fn stream_ended(&mut self, id: ExchangeId) -> Result<(), ProxyError> {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        exchange.is_over = true;
        if !exchange.is_heard && !exchange.may_resume {
            self.lose(id, "the upstream's stream ended without an answer")?;
        }
        if let Some(exchange) = self.exchanges.get_mut(&id) {
            // An answer that was heard and not passed on is awaited for ever.
            let is_silenced = exchange.is_heard && !exchange.is_answered;
            if !is_silenced {
                exchange.end();
            }
        }
        self.sweep(id);
        Ok(())
    }

    fn failed(&mut self, id: ExchangeId, lost: Lost) -> Result<(), ProxyError> {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        exchange.is_over = true;
        let is_silenced = exchange.is_heard && !exchange.is_answered;
        let (Lost::Unreachable(why) | Lost::Broken(why)) = &lost;
        if !exchange.is_heard && !exchange.may_resume {
            self.lose(id, why)?;
        }
        if let Some(exchange) = self.exchanges.get_mut(&id).filter(|_| !is_silenced) {
            match (&lost, exchange.is_waiting() && exchange.held.is_none()) {
                (Lost::Unreachable(why), true) => {
                    let (mut head, ()) = hyper::Response::new(()).into_parts();
                    head.status = hyper::StatusCode::BAD_GATEWAY;
                    exchange.answer_whole(head, why.clone().into(), true);
                }
                _ => {
                    exchange.held = None;
                    exchange.abort();
                }
            }
        }
        self.sweep(id);
        Ok(())
    }

    /// Tells the engine that nobody will answer; what the agent sees of it is the caller's choice.
    pub(super) fn lose(&mut self, id: ExchangeId, why: &str) -> Result<(), ProxyError> {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        let Some(request) = exchange.id.clone() else { return Ok(()) };
        exchange.is_heard = true;
        exchange.is_answered = true;
        let connection = exchange.connection;
        self.feed(id, connection, error(&request, why), Carrier::Nothing)
    }

    fn left(&mut self, id: ExchangeId) -> Result<(), ProxyError> {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        let is_url = matches!(self.upstream, Upstream::Url(_));
        let is_through = exchange.is_heard || !exchange.is_open() || is_url && exchange.is_over;
        exchange.outlet = Outlet::Done;
        exchange.held = None;
        // In the older revisions leaving is no cancel: what becomes of the call is still heard.
        let is_awaited = exchange.is_call && !exchange.is_modern || !exchange.is_sent;
        if is_through || is_awaited {
            self.sweep(id);
            return Ok(());
        }
        if exchange.is_modern
            && let Some(request) = exchange.id.clone()
        {
            let connection = exchange.connection;
            let cancel = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{request}}}}}"#
            );
            self.is_cancelling = matches!(self.upstream, Upstream::Url(_));
            let done = self.carry_out(|engine| engine.from_agent(connection, cancel.as_bytes()));
            self.is_cancelling = false;
            done?;
        }
        if matches!(self.upstream, Upstream::Url(_)) {
            self.lose(id, "the agent left")?;
        }
        self.exchanges.remove(&id);
        Ok(())
    }

    /// Forgets an exchange that both sides are done with.
    pub(super) fn sweep(&mut self, id: ExchangeId) {
        let is_over = self.exchanges.get(&id).is_some_and(|it| {
            let is_told = matches!(it.outlet, Outlet::Done | Outlet::Ours);
            it.is_over && is_told
        });
        if is_over {
            self.exchanges.remove(&id);
        }
    }

    fn learn_session(&mut self, id: ExchangeId, head: &response::Parts) {
        let Some(exchange) = self.exchanges.get(&id) else { return };
        let Some(session) = head.headers.get(SESSION) else { return };
        let connection = exchange.connection;
        if let Some(template) = self.templates.get_mut(&connection) {
            template.headers.insert(SESSION, session.clone());
        }
        if let Ok(session) = session.to_str() {
            self.sessions.entry(session.to_owned()).or_insert(connection);
        }
    }

    /// Marks the oldest request that this line of a process answers.
    fn heard(&mut self, connection: Connection, line: &[u8]) {
        let Some(id) = answers(line) else { return };
        let asked = self.exchanges.iter_mut().find(|(_, it)| {
            it.connection == connection && !it.is_heard && it.id.as_deref() == Some(id)
        });
        let Some((number, exchange)) = asked else { return };
        exchange.is_heard = true;
        let number = *number;
        self.sweep(number);
    }

    /// A process that has ended answers nobody any more, the harness neither.
    pub(super) fn child_ended(&mut self, connection: Connection) -> Result<(), ProxyError> {
        let Upstream::Children(children) = &mut self.upstream else { return Ok(()) };
        children.end(connection);
        let waiting: Vec<_> = self
            .exchanges
            .iter()
            .filter(|(_, it)| it.connection == connection && it.id.is_some() && !it.is_heard)
            .map(|(id, _)| *id)
            .collect();
        for id in waiting {
            let Some(exchange) = self.exchanges.get_mut(&id) else { continue };
            let Some(request) = exchange.id.clone() else { continue };
            exchange.is_heard = true;
            let frame = error(&request, "Connection closed: the server went away");
            self.carry_out(|engine| engine.from_upstream(connection, &frame))?;
            self.sweep(id);
        }
        Ok(())
    }
}

/// The id of the request that a frame answers.
pub(super) fn answers(frame: &[u8]) -> Option<&str> {
    match Frame::read(frame) {
        Frame::Single(Message::Response { id, .. }) => Some(id),
        _ => None,
    }
}

/// The body as an answer to this request: what is none becomes an error with its status.
fn readable(body: &[u8], request: &str, status: u16) -> Vec<u8> {
    match Frame::read(body) {
        Frame::Batch(_) => body.to_vec(),
        Frame::Single(Message::Response { id, .. }) if id == request => body.to_vec(),
        // A server that could not read the request's id answers with none.
        Frame::Single(Message::Response { body: Body::Error(error), .. }) => {
            format!(r#"{{"jsonrpc":"2.0","id":{request},"error":{error}}}"#).into_bytes()
        }
        _ => error(request, &format!("HTTP {status}")),
    }
}

/// An error that says nothing about whether the call was carried out.
fn error(request: &str, why: &str) -> Vec<u8> {
    let why = serde_json::Value::from(why);
    format!(r#"{{"jsonrpc":"2.0","id":{request},"error":{{"code":-32603,"message":{why}}}}}"#)
        .into_bytes()
}
