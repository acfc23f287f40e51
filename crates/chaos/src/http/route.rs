//! Which exchange a frame belongs to, and how it leaves.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{HOST, HeaderValue};
use hyper::{Request, StatusCode, Uri};

use super::client;
use super::exchange::Exchange;
use super::headers;
use super::hearing::{answers, responses};
use super::input::ExchangeId;
use super::reply::Piece;
use super::shapes;
use super::sse;
use super::switch::{Carrier, Switch, Template, Upstream};
use super::tags::Tag;
use crate::faults::{Reply, Shape};
use crate::frame::{Frame, Message};
use crate::pending::Connection;
use crate::request_id::same;
use crate::stdio::ProxyError;

impl Switch<'_> {
    /// The agent's exchange for a frame: the one it came in, or the one it answers.
    fn exchange_for(&self, connection: Connection, id: Option<&str>, frame: &[u8]) -> Option<u64> {
        let came_in = self.context.as_ref().filter(|context| {
            let exchange = self.exchanges.get(&context.exchange);
            exchange.is_some_and(|it| !matches!(it.outlet, super::exchange::Outlet::Ours))
        });
        let fits = |exchange: u64, fed: &[u8]| {
            let own = self.exchanges.get(&exchange).and_then(|it| it.id.as_deref());
            id.is_none_or(|id| own.is_some_and(|own| same(own, id))) || fed == frame
        };
        if let Some(context) = came_in.filter(|it| fits(it.exchange, &it.fed)) {
            return Some(context.exchange);
        }
        let waits = |it: &Exchange| it.connection == connection && it.is_open() && !it.is_answered;
        let asking = self.asking.filter(|number| {
            self.exchanges.get(number).is_some_and(|it| waits(it) && it.has_id(id))
        });
        if asking.is_some() {
            return asking;
        }
        if self.unclaimed.as_deref().zip(id).is_some_and(|(gone, id)| same(gone, id)) {
            return None;
        }
        if id.is_some() {
            let mut open = self.exchanges.iter().filter(|(_, it)| waits(it) && it.has_id(id));
            // Of two with this id, it is the one whose answer was kept back.
            let kept = open.clone().find(|(_, it)| it.is_heard);
            let asked = kept.or_else(|| open.next()).map(|(number, _)| *number);
            return asked.or(came_in.map(|context| context.exchange));
        }
        match Tag::of(frame) {
            // Only the stream that asked for it may carry it.
            Some(tag @ Tag::Subscription(_)) => {
                let mut open = self.exchanges.iter().rev().filter(|(_, it)| waits(it));
                return open.find(|(_, it)| tag.fits(it)).map(|(number, _)| *number);
            }
            Some(tag @ Tag::Progress(_)) => {
                let mut open = self.exchanges.iter().filter(|(_, it)| waits(it));
                if let Some((number, _)) = open.find(|(_, it)| tag.fits(it)) {
                    return Some(*number);
                }
            }
            None => {}
        }
        let mut open = self.exchanges.iter().rev().filter(|(_, it)| waits(it));
        let listens = |it: &Exchange| it.is_get && it.is_streaming();
        let stream = open.clone().find(|(_, it)| listens(it));
        stream.or_else(|| open.find(|(_, it)| it.is_call)).map(|(number, _)| *number)
    }

    pub(super) fn tell_agent(&mut self, connection: Connection, frame: Vec<u8>) {
        self.parameters.learn(&frame);
        if self.agent.is_some() {
            self.learn_version(&frame);
            let left = self.take_left();
            if let Some(pipe) = &self.agent {
                pipe.send(frame, left);
            }
            return;
        }
        if matches!(self.upstream, Upstream::Children(_)) && self.gather(connection, &frame) {
            return;
        }
        let id = answers(&frame).map(str::to_owned);
        let Some(number) = self.exchange_for(connection, id.as_deref(), &frame) else { return };
        let is_here = self.context.as_ref().is_some_and(|context| context.exchange == number);
        // What asks the agent for something must not wait for the answer that it holds up.
        let may_wait = self.holds_heads && is_notification(&frame);
        let Some(exchange) = self.exchanges.get_mut(&number) else { return };
        match self.context.as_mut().filter(|_| is_here) {
            None if may_wait && exchange.hold_back(&sse::event(&frame)) => {}
            None => exchange.answer_or_push(id.as_deref(), frame),
            Some(context) => {
                let is_same = context.fed == frame;
                match &mut context.carrier {
                    Carrier::Nothing => {}
                    Carrier::Whole(head, body) if is_same => {
                        exchange.answer_whole((**head).clone(), body.clone(), false);
                    }
                    Carrier::Whole(head, _) => {
                        exchange.answer_whole((**head).clone(), frame.into(), true);
                    }
                    Carrier::Event(event, left) => {
                        let bytes =
                            if is_same { event.raw.clone() } else { event.with_data(&frame) };
                        if !may_wait || !exchange.hold_back(&bytes) {
                            exchange.push(bytes, left.take());
                        }
                    }
                }
            }
        }
        // A batch has no id; it is answered when the last of its answers has passed.
        let is_batch_done = is_here && exchange.id.is_none() && exchange.is_heard;
        exchange.is_answered |= is_batch_done || exchange.has_id(id.as_deref());
        self.sweep(number);
    }

    /// Sends an answer twice, by a stream of our own: a body can hold only one. `false` when the
    /// upstream has a stream for it, or the agent takes none.
    pub(super) fn tell_agent_twice(&mut self, connection: Connection, frame: &[u8]) -> bool {
        let id = answers(frame);
        if self.agent.is_some() || id.is_none() {
            return false;
        }
        let Some(number) = self.exchange_for(connection, id, frame) else { return false };
        let carrier = self.context.as_ref().map(|context| &context.carrier);
        let Some(exchange) = self.exchanges.get_mut(&number) else { return false };
        let can_begin = exchange.is_streaming() || exchange.is_waiting() && exchange.takes_stream;
        if !can_begin || matches!(carrier, Some(Carrier::Event(..))) {
            return false;
        }
        for _ in 0..2 {
            exchange.push(sse::event(frame), None);
        }
        exchange.end();
        exchange.is_answered = true;
        self.sweep(number);
        true
    }

    /// Whether this frame answers requests of a batch, which all its answers answer together.
    fn gather(&mut self, connection: Connection, frame: &[u8]) -> bool {
        let answers = responses(frame);
        let Some((first, _)) = answers.first() else { return false };
        let is_asked = |it: &Exchange| it.awaited.iter().any(|awaited| same(awaited, first));
        let mut open = self.exchanges.iter_mut().filter(|(_, it)| it.connection == connection);
        let Some((number, exchange)) = open.find(|(_, it)| it.is_open() && is_asked(it)) else {
            return false;
        };
        let number = *number;
        exchange.gather(answers);
        self.sweep(number);
        true
    }

    pub(super) fn take_left(&mut self) -> Option<tokio::sync::oneshot::Sender<()>> {
        match &mut self.context.as_mut()?.carrier {
            Carrier::Event(_, left) => left.take(),
            Carrier::Whole(..) | Carrier::Nothing => None,
        }
    }

    /// Sends a frame in pieces.
    pub(super) fn drip(
        &mut self,
        connection: Connection,
        frame: Vec<u8>,
        bytes: usize,
        every: Duration,
    ) {
        let id = answers(&frame).map(str::to_owned);
        let Some(number) = self.exchange_for(connection, id.as_deref(), &frame) else { return };
        let Some(exchange) = self.exchanges.get_mut(&number) else { return };
        let whole = match self.context.as_ref().map(|context| &context.carrier) {
            Some(Carrier::Whole(head, body)) => {
                exchange.begin((**head).clone());
                body.to_vec()
            }
            Some(Carrier::Event(event, _)) => {
                exchange.push(Vec::new(), None);
                event.raw.clone()
            }
            Some(Carrier::Nothing) | None => {
                exchange.begin(super::exchange::json_head(hyper::StatusCode::OK));
                frame
            }
        };
        exchange.is_answered = true;
        let super::exchange::Outlet::Streaming(sender) =
            std::mem::replace(&mut exchange.outlet, super::exchange::Outlet::Done)
        else {
            return;
        };
        tokio::task::spawn_local(async move {
            for piece in whole.chunks(bytes.max(1)) {
                if sender.send(Piece::Bytes(Bytes::copy_from_slice(piece), None)).is_err() {
                    return;
                }
                tokio::time::sleep(every).await;
            }
        });
        self.sweep(number);
    }

    pub(super) fn break_off(
        &mut self,
        connection: Connection,
        id: &str,
        shape: Shape,
        reply: &Reply,
    ) {
        let Some(number) = self.exchange_for(connection, Some(id), b"") else { return };
        let Some(exchange) = self.exchanges.get_mut(&number) else { return };
        let real = match self.context.as_ref().filter(|it| it.exchange == number) {
            Some(context) => match &context.carrier {
                Carrier::Whole(head, body) => Some((&**head, body.as_ref())),
                _ => None,
            },
            None => None,
        };
        shapes::break_off(exchange, shape, id, reply, real);
        if shape == Shape::Status && reply.status == StatusCode::NOT_FOUND.as_u16() {
            self.lose_session(connection);
        }
        self.sweep(number);
    }

    pub(super) fn tell_upstream(
        &mut self,
        connection: Connection,
        frame: Vec<u8>,
    ) -> Result<(), ProxyError> {
        let asked = self.unsent(connection, &frame);
        if asked.is_none() && self.is_cancelling {
            return Ok(());
        }
        if let Upstream::Children(children) = &mut self.upstream {
            if let Some(exchange) = asked.and_then(|number| self.exchanges.get_mut(&number)) {
                exchange.is_sent = true;
                // The frame is all that a process gets of it.
                exchange.is_over = true;
                exchange.head = None;
                if exchange.id.is_none() && exchange.awaited.is_empty() {
                    exchange.accept();
                }
            }
            let own = match Frame::read(&frame) {
                Frame::Single(Message::Request { id: Some(id), .. }) if asked.is_none() => Some(id),
                _ => None,
            };
            if let Some(id) = own {
                let mut exchange = Exchange::own(connection, Some(id.to_owned()));
                exchange.is_over = true;
                let number = super::listener::number(&self.numbers);
                self.exchanges.insert(number, exchange);
            }
            let renamed = match asked {
                Some(number) => self.in_flight.ask(connection, number, &frame),
                None => None,
            };
            let renamed =
                renamed.or_else(|| self.in_flight.cancel(connection, &frame, self.asking));
            children.send(connection, renamed.unwrap_or(frame))?;
            if let Some(number) = asked {
                self.sweep(number);
            }
            return Ok(());
        }
        match asked {
            Some(number) => self.forward(number, frame),
            None => self.send_own(connection, frame),
        }
        Ok(())
    }

    /// The agent's request that this frame is the body of.
    fn unsent(&self, connection: Connection, frame: &[u8]) -> Option<ExchangeId> {
        let unsent =
            || self.exchanges.iter().filter(|(_, it)| !it.is_sent && it.connection == connection);
        let same = unsent().find(|(_, it)| it.body == frame);
        let id = match Frame::read(frame) {
            Frame::Single(Message::Request { id, .. }) => id,
            _ => None,
        };
        // A fault may have edited it: its id stays.
        let edited = || unsent().find(|(_, it)| it.has_id(id));
        same.or_else(edited).map(|(number, _)| *number)
    }

    /// Forwards a request of the agent's with this body.
    pub(super) fn forward(&mut self, number: ExchangeId, frame: Vec<u8>) {
        let Upstream::Url(address) = &self.upstream else { return };
        let Some(exchange) = self.exchanges.get_mut(&number) else { return };
        let Some(mut head) = exchange.head.take() else { return };
        exchange.is_sent = true;
        headers::strip(&mut head.headers);
        headers::ask_for_plain(&mut head.headers);
        set_host(&mut head.headers, &address.authority);
        let is_edited = exchange.body != frame;
        if is_edited && exchange.is_modern {
            headers::mirror(&mut head.headers, &frame, &exchange.body);
            self.parameters.repeat(&mut head.headers, &frame);
        }
        if !frame.is_empty() {
            headers::set_length(&mut head.headers, frame.len());
        }
        let target = head.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
        head.uri = Uri::try_from(&target).unwrap_or_default();
        head.version = hyper::Version::HTTP_11;
        let template =
            Template { target, headers: head.headers.clone(), body: exchange.body.clone() };
        let connection = exchange.connection;
        let request = Request::from_parts(head, Full::new(Bytes::from(frame)));
        let address = address.clone();
        exchange.task = Some(client::send(address, number, request, self.inputs.clone()));
        self.remember(connection, template);
    }
}

fn is_notification(frame: &[u8]) -> bool {
    matches!(Frame::read(frame), Frame::Single(Message::Request { id: None, .. }))
}

pub(super) fn set_host(headers: &mut hyper::HeaderMap, authority: &str) {
    if let Ok(host) = HeaderValue::from_str(authority) {
        headers.insert(HOST, host);
    }
}
