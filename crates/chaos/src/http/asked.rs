//! Requests of an agent on HTTP.

use hyper::{Method, StatusCode};
use uuid::Uuid;

use super::exchange::{Exchange, Outlet, json_head, stream_head};
use super::headers::{self, SESSION};
use super::input::{Asked, ExchangeId};
use super::switch::{SHARED, Switch, Upstream};
use crate::frame::{Frame, Message};
use crate::pending::Connection;
use crate::stdio::ProxyError;

/// The most requests that are open at a time.
const MAX_EXCHANGES: usize = 2048;

/// The most sessions that are told apart by name.
const MAX_SESSIONS: usize = 4096;

/// Where clients look for an authorization server; pipes have none.
const WELL_KNOWN: &str = "/.well-known/";

impl Switch<'_> {
    pub(super) fn asked(&mut self, asked: Asked) -> Result<(), ProxyError> {
        let id = asked.exchange;
        let mut awaited = Vec::new();
        let (request, is_call, is_message) = match Frame::read(&asked.body) {
            Frame::Single(Message::Request { id, method, .. }) => {
                (id.map(str::to_owned), method == "tools/call", true)
            }
            Frame::Batch(messages) => {
                awaited = requests(&messages);
                (None, false, true)
            }
            Frame::Single(Message::Response { .. }) => (None, false, true),
            Frame::Opaque => (None, false, false),
        };
        let is_message = is_message && asked.head.method == Method::POST;
        let mut exchange = Exchange::own(0, request.filter(|_| is_message));
        exchange.is_call = is_call && is_message;
        exchange.awaited = awaited;
        exchange.is_modern = headers::is_modern(&asked.head.headers);
        exchange.takes_stream = headers::takes_stream(&asked.head.headers);
        exchange.is_get = asked.head.method == Method::GET;
        exchange.is_sent = false;
        exchange.outlet = Outlet::Waiting(asked.answer);
        exchange.body = asked.body;
        exchange.head = Some(asked.head);
        exchange.reset = asked.reset;
        if self.exchanges.len() >= MAX_EXCHANGES {
            refuse(exchange, StatusCode::SERVICE_UNAVAILABLE, "too many requests are open");
            return Ok(());
        }
        if session_of(&exchange).is_some_and(|session| self.lost_sessions.contains(&session)) {
            refuse(exchange, StatusCode::NOT_FOUND, "Session not found");
            return Ok(());
        }
        match self.upstream {
            Upstream::Url(_) => self.asked_of_url(id, exchange, is_message),
            Upstream::Children(_) => self.asked_of_child(id, exchange, is_message),
        }
    }

    fn asked_of_url(
        &mut self,
        id: ExchangeId,
        mut exchange: Exchange,
        is_message: bool,
    ) -> Result<(), ProxyError> {
        let known = session_of(&exchange).map(|session| self.sessions.get(&session).copied());
        let connection = match known {
            Some(Some(connection)) => connection,
            // One that was opened before this process: it gets a number of its own.
            Some(None) => {
                let connection = self.new_connection();
                if self.sessions.len() < MAX_SESSIONS {
                    let session = session_of(&exchange).unwrap_or_default();
                    self.sessions.insert(session, connection);
                }
                connection
            }
            None => self.new_connection(),
        };
        exchange.connection = connection;
        let body = exchange.body.clone();
        self.exchanges.insert(id, exchange);
        if is_message {
            self.asking = Some(id);
            let done = self.carry_out(|engine| {
                engine.set_lane(id);
                engine.from_agent(connection, &body)
            });
            self.asking = None;
            return done;
        }
        self.forward(id, body.to_vec());
        Ok(())
    }

    fn asked_of_child(
        &mut self,
        id: ExchangeId,
        mut exchange: Exchange,
        is_message: bool,
    ) -> Result<(), ProxyError> {
        let Some(head) = &exchange.head else { return Ok(()) };
        if head.uri.path().starts_with(WELL_KNOWN) {
            refuse(exchange, StatusCode::NOT_FOUND, "there is no authorization server");
            return Ok(());
        }
        let method = head.method.clone();
        let is_opening = is_message && opens_session(&exchange.body);
        let connection = match (exchange.is_modern, session_of(&exchange)) {
            (true, _) => SHARED,
            (false, None) if is_opening => {
                let connection = self.new_connection();
                let session = Uuid::new_v4().to_string();
                self.sessions.insert(session.clone(), connection);
                exchange.session = Some(session);
                connection
            }
            (false, None) => {
                refuse(exchange, StatusCode::BAD_REQUEST, "Bad Request: no valid session ID");
                return Ok(());
            }
            (false, Some(session)) => match self.sessions.get(&session) {
                Some(connection) => *connection,
                None => {
                    refuse(exchange, StatusCode::NOT_FOUND, "Session not found");
                    return Ok(());
                }
            },
        };
        exchange.connection = connection;
        match method {
            Method::POST if is_message => {
                let body = exchange.body.clone();
                self.exchanges.insert(id, exchange);
                self.asking = Some(id);
                let done = self.carry_out(|engine| {
                    engine.set_lane(id);
                    engine.from_agent(connection, &body)
                });
                self.asking = None;
                done
            }
            Method::POST => {
                refuse(exchange, StatusCode::BAD_REQUEST, "Parse error");
                Ok(())
            }
            // No event of a process has an id, so there is none to resume after: `Last-Event-ID` is
            // ignored, as a server may that keeps no events (MCP 2025-11-25, transports).
            Method::GET if !exchange.is_modern => {
                exchange.is_sent = true;
                exchange.begin(stream_head());
                self.exchanges.insert(id, exchange);
                Ok(())
            }
            Method::DELETE if !exchange.is_modern => {
                self.sessions.retain(|_, known| *known != connection);
                let (head, ()) = hyper::Response::new(()).into_parts();
                exchange.answer_whole(head, "".into(), true);
                self.child_ended(connection)
            }
            _ => {
                refuse(exchange, StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
                Ok(())
            }
        }
    }

    /// The agent heard that its session is unknown: it is from now on (MCP 2025-11-25, transports,
    /// session management), and its streams end. What becomes of its calls is still heard.
    pub(super) fn lose_session(&mut self, connection: Connection) {
        let lost: Vec<_> =
            self.sessions.extract_if(|_, known| *known == connection).map(|it| it.0).collect();
        self.lost_sessions.extend(lost);
        while self.lost_sessions.len() > MAX_SESSIONS {
            self.lost_sessions.pop_front();
        }
        for exchange in self.exchanges.values_mut() {
            if exchange.connection == connection && exchange.is_get {
                exchange.end();
            }
        }
    }

    fn new_connection(&mut self) -> Connection {
        self.last_connection += 1;
        self.last_connection
    }

    /// A message that the engine has kept to itself was received all the same.
    pub(super) fn acknowledge_swallowed(&mut self) {
        if self.book.engine.held_bytes() > 0 {
            return;
        }
        let swallowed = |it: &&mut Exchange| !it.is_sent && it.is_waiting() && it.id.is_none();
        for exchange in self.exchanges.values_mut().filter(swallowed) {
            exchange.accept();
        }
        self.exchanges.retain(|_, it| it.is_sent || it.is_open() || it.id.is_some());
    }
}

fn session_of(exchange: &Exchange) -> Option<String> {
    let session = exchange.head.as_ref()?.headers.get(SESSION)?;
    Some(session.to_str().unwrap_or_default().to_owned())
}

/// The ids of a batch's requests.
pub(super) fn requests(messages: &[Message<'_>]) -> Vec<String> {
    let asks = |message: &Message<'_>| match message {
        Message::Request { id, .. } => id.map(str::to_owned),
        Message::Response { .. } => None,
    };
    messages.iter().filter_map(asks).collect()
}

fn opens_session(body: &[u8]) -> bool {
    matches!(Frame::read(body), Frame::Single(Message::Request { method: "initialize", .. }))
}

fn refuse(mut exchange: Exchange, status: StatusCode, why: &str) {
    let why = serde_json::Value::from(why);
    let body =
        format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32000,"message":{why}}},"id":null}}"#);
    exchange.answer_whole(json_head(status), body.into(), true);
}
