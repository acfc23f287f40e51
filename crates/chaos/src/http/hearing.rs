//! What the upstream says, or no longer says, and an agent that leaves.

use bytes::Bytes;
use hyper::http::response;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::exchange::{Outlet, forwarded, without_length};
use super::headers::SESSION;
use super::input::{ExchangeId, Lost};
use super::sse::Event;
use super::switch::{Carrier, Switch, Upstream};
use crate::frame::{Body, Frame, Message};
use crate::pending::Connection;
use crate::request_id::same;
use crate::stdio::ProxyError;

impl Switch<'_> {
    pub(super) fn whole(
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
            // A batch; an agent on pipes gets whatever a reply says.
            None => {
                let is_batch = matches!(Frame::read(&exchange.body), Frame::Batch(_));
                let is_said = self.agent.is_some() && !matches!(Frame::read(&body), Frame::Opaque);
                (is_batch || is_said).then(|| body.to_vec())
            }
        };
        match fed {
            Some(fed) => {
                exchange.is_heard = true;
                let answered = responses(&fed);
                exchange.awaited.retain(|it| !answered.iter().any(|(id, _)| same(it, id)));
                self.feed(id, connection, fed, Carrier::Whole(Box::new(head), body))?;
                // What a reply to a batch leaves out will never be answered.
                self.lose_awaited(id, "the upstream's reply left it out")?;
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

    pub(super) fn head(&mut self, id: ExchangeId, head: response::Parts) {
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

    pub(super) fn event(
        &mut self,
        id: ExchangeId,
        event: Event,
        left: oneshot::Sender<()>,
    ) -> Result<(), ProxyError> {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        exchange.may_resume |= event.id.is_some() && !exchange.is_modern;
        exchange.place.take_in(&event);
        let connection = exchange.connection;
        let Some(data) = event.data.clone().filter(|data| !data.is_empty()) else {
            match &mut exchange.held {
                Some((_, before)) => before.extend_from_slice(&event.raw),
                None => exchange.push(event.raw, Some(left)),
            }
            return Ok(());
        };
        exchange.is_heard |= exchange.has_id(answers(&data));
        if !exchange.awaited.is_empty() {
            let answered = responses(&data);
            exchange.awaited.retain(|it| !answered.iter().any(|(id, _)| same(it, id)));
            exchange.is_heard |= exchange.awaited.is_empty();
        }
        self.feed(id, connection, data, Carrier::Event(event, Some(left)))
    }

    pub(super) fn stream_ended(&mut self, id: ExchangeId) -> Result<(), ProxyError> {
        if self.resume(id) {
            return Ok(());
        }
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        exchange.is_over = true;
        if !exchange.is_heard && !exchange.waits_for_agent() {
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

    pub(super) fn failed(&mut self, id: ExchangeId, lost: Lost) -> Result<(), ProxyError> {
        if self.resume(id) {
            return Ok(());
        }
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        exchange.is_over = true;
        let is_silenced = exchange.is_heard && !exchange.is_answered;
        let (Lost::Unreachable(why) | Lost::Broken(why)) = &lost;
        if !exchange.is_heard && !exchange.waits_for_agent() {
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
        exchange.awaited.extend(exchange.id.clone());
        self.lose_awaited(id, why)
    }

    fn lose_awaited(&mut self, id: ExchangeId, why: &str) -> Result<(), ProxyError> {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        let requests = std::mem::take(&mut exchange.awaited);
        if !requests.is_empty() {
            exchange.is_heard = true;
            exchange.is_answered = true;
        }
        let connection = exchange.connection;
        for request in requests {
            self.feed(id, connection, error(&request, why), Carrier::Nothing)?;
        }
        Ok(())
    }

    pub(super) fn left(&mut self, id: ExchangeId) -> Result<(), ProxyError> {
        let Some(exchange) = self.exchanges.get_mut(&id) else { return Ok(()) };
        let is_url = matches!(self.upstream, Upstream::Url(_));
        let is_answer_kept = exchange.is_heard && exchange.is_open() && !exchange.is_answered;
        let is_through = exchange.is_heard || !exchange.is_open() || is_url && exchange.is_over;
        exchange.outlet = Outlet::Done;
        exchange.held = None;
        // In the older revisions leaving is no cancel: what becomes of the call is still heard.
        let is_awaited = exchange.is_call && !exchange.is_modern || !exchange.is_sent;
        // An answer that a fault keeps back is not there for the agent: it cancels the call.
        let is_crossing = is_answer_kept && exchange.is_modern;
        if (is_through || is_awaited) && !is_crossing {
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
            // For the upstream a call that it has answered is over.
            self.is_cancelling = is_crossing || matches!(self.upstream, Upstream::Url(_));
            self.asking = Some(id);
            let done = self.carry_out(|engine| {
                engine.set_lane(id);
                engine.from_agent(connection, cancel.as_bytes())
            });
            self.asking = None;
            self.is_cancelling = false;
            done?;
        }
        if matches!(self.upstream, Upstream::Url(_)) && !is_crossing {
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

    pub(super) fn learn_session(&mut self, id: ExchangeId, head: &response::Parts) {
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

    /// A line of a process, for the request that it answers.
    pub(super) fn line(&mut self, connection: Connection, line: Vec<u8>) -> Result<(), ProxyError> {
        let Some((number, own)) = self.in_flight.answered(connection, &line) else {
            self.heard(connection, &line);
            return self.carry_out(|engine| engine.from_upstream(connection, &line));
        };
        let line = own.unwrap_or(line);
        match self.exchanges.get_mut(&number) {
            Some(exchange) => exchange.is_heard = true,
            None => self.unclaimed = answers(&line).map(str::to_owned),
        }
        self.asking = Some(number);
        let done = self.carry_out(|engine| {
            engine.set_lane(number);
            engine.from_upstream(connection, &line)
        });
        self.asking = None;
        self.unclaimed = None;
        self.sweep(number);
        done
    }

    /// Marks the oldest request that this line of a process answers.
    fn heard(&mut self, connection: Connection, line: &[u8]) {
        let Some(id) = answers(line) else { return };
        let asked = self
            .exchanges
            .iter_mut()
            .find(|(_, it)| it.connection == connection && !it.is_heard && it.has_id(Some(id)));
        let Some((number, exchange)) = asked else { return };
        exchange.is_heard = true;
        let number = *number;
        self.sweep(number);
    }

    /// A process that has ended answers nobody any more, the harness neither.
    pub(super) fn child_ended(&mut self, connection: Connection) -> Result<(), ProxyError> {
        let Upstream::Children(children) = &mut self.upstream else { return Ok(()) };
        children.end(connection);
        self.in_flight.end(connection);
        let waiting: Vec<_> = self
            .exchanges
            .iter()
            .filter(|(_, it)| it.connection == connection && !it.is_heard)
            .map(|(id, _)| *id)
            .collect();
        for id in waiting {
            let Some(exchange) = self.exchanges.get_mut(&id) else { continue };
            let mut requests = exchange.awaited.clone();
            requests.extend(exchange.id.clone());
            exchange.is_heard |= !requests.is_empty();
            for request in requests {
                let frame = error(&request, "Connection closed: the server went away");
                self.carry_out(|engine| engine.from_upstream(connection, &frame))?;
            }
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

/// Every answer in a frame: the id of its request, and itself as written.
pub(super) fn responses(frame: &[u8]) -> Vec<(String, String)> {
    let Ok(text) = std::str::from_utf8(frame) else { return Vec::new() };
    let each = match serde_json::from_str::<Vec<&RawValue>>(text) {
        Ok(items) => items.into_iter().map(RawValue::get).collect(),
        Err(_) => vec![text.trim()],
    };
    let answer = |text: &str| Some((answers(text.as_bytes())?.to_owned(), text.to_owned()));
    each.into_iter().filter_map(answer).collect()
}

/// The body as an answer to this request: what is none becomes an error with its status.
fn readable(body: &[u8], request: &str, status: u16) -> Vec<u8> {
    match Frame::read(body) {
        Frame::Batch(_) => body.to_vec(),
        Frame::Single(Message::Response { id, .. }) if same(id, request) => body.to_vec(),
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
