//! The loop: takes in what happened, asks the engine, writes down, and lets out.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::http::response;
use tokio::sync::{mpsc, oneshot};

use super::address::Address;
use super::children::Children;
use super::exchange::Exchange;
use super::in_flight::InFlight;
use super::input::{ExchangeId, Input, Inputs};
use super::listener::{self, Numbers};
use super::parameters::Parameters;
use super::pipe::Pipe;
use super::sse::Event;
use crate::alarms::Alarms;
use crate::book::{Book, audit_answer};
use crate::engine::{Action, Config, Engine, Plan};
use crate::faults::Shape;
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
    /// Those that a fault has ended, as the agent sees it.
    pub(super) lost_sessions: VecDeque<String>,
    pub(super) last_connection: Connection,
    pub(super) templates: BTreeMap<Connection, Template>,
    pub(super) parameters: Parameters,
    pub(super) context: Option<Context>,
    /// The request that the engine is being asked about.
    pub(super) asking: Option<ExchangeId>,
    /// What processes have not answered.
    pub(super) in_flight: InFlight,
    /// The id of an answer whose request the agent has left: no other of this id may get it.
    pub(super) unclaimed: Option<String>,
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
            lost_sessions: VecDeque::new(),
            last_connection: SHARED,
            templates: BTreeMap::new(),
            parameters: Parameters::default(),
            context: None,
            asking: None,
            in_flight: InFlight::default(),
            unclaimed: None,
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
            Input::UpstreamLine(connection, line, _left) => self.line(connection, line),
            Input::UpstreamEnded(connection) => self.child_ended(connection),
        }
    }

    /// Lets the engine decide, writes down, and lets out.
    pub(super) fn carry_out(
        &mut self,
        decide: impl FnOnce(&mut Engine) -> Vec<Action>,
    ) -> Result<(), ProxyError> {
        let mut effects = self.book.decide(decide)?.into_iter().peekable();
        while let Some(effect) = effects.next() {
            match effect {
                Action::ToAgent(connection, frame) => {
                    let again = Action::ToAgent(connection, frame.clone());
                    if effects.peek() == Some(&again) && self.tell_agent_twice(connection, &frame) {
                        effects.next();
                    } else {
                        self.tell_agent(connection, frame);
                    }
                }
                effect => self.let_out(effect)?,
            }
        }
        self.acknowledge_swallowed();
        Ok(())
    }

    /// Tells the engine what the upstream said in an exchange.
    pub(super) fn feed(
        &mut self,
        exchange: ExchangeId,
        connection: Connection,
        fed: Vec<u8>,
        carrier: Carrier,
    ) -> Result<(), ProxyError> {
        let frame = fed.clone();
        // On a session's own stream the answers to other requests may come.
        let is_shared = self.exchanges.get(&exchange).is_some_and(|it| it.is_get);
        self.context = Some(Context { exchange, fed, carrier });
        let done = self.carry_out(|engine| {
            if !is_shared {
                engine.set_lane(exchange);
            }
            engine.from_upstream(connection, &frame)
        });
        self.context = None;
        done
    }

    fn let_out(&mut self, effect: Action) -> Result<(), ProxyError> {
        match effect {
            Action::ToAgent(connection, frame) => self.tell_agent(connection, frame),
            Action::Drip { frame, bytes, every, .. } if self.agent.is_some() => {
                let left = self.take_left();
                if let Some(pipe) = &self.agent {
                    pipe.drip(frame, left, bytes, every);
                }
            }
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
                self.in_flight.end_all();
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
}
