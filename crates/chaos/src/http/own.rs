//! Requests that the proxy makes itself: the harness's own, and those of an agent on pipes.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::HeaderValue;
use hyper::{Method, Request, Uri};

use super::asked::requests;
use super::client::{self, Task};
use super::exchange::Exchange;
use super::headers::{self, LAST_EVENT, SESSION, VERSION};
use super::hearing::answers;
use super::input::Input;
use super::route::set_host;
use super::switch::{PIPE, Switch, Template, Upstream};
use crate::frame::{Frame, Message};
use crate::pending::Connection;

/// How long an upstream may take to end a session.
const GOODBYE: Duration = Duration::from_millis(500);

impl Switch<'_> {
    /// Sends a request of the harness's own, or a frame from the agent's pipe.
    pub(super) fn send_own(&mut self, connection: Connection, frame: Vec<u8>) {
        let Upstream::Url(address) = &self.upstream else { return };
        let address = address.clone();
        let latest = self.templates.last_key_value().map(|(_, template)| template);
        let template = self.templates.get(&connection).or(latest).cloned();
        let mut template = template.unwrap_or_else(|| Template {
            target: address.target.clone(),
            headers: headers::fresh(),
            body: Bytes::new(),
        });
        template.headers.remove(LAST_EVENT);
        set_host(&mut template.headers, &address.authority);
        if let Some(version) = headers::declared_version(&frame) {
            template.headers.insert(VERSION, version);
            headers::mirror(&mut template.headers, &frame, &template.body);
            self.parameters.repeat(&mut template.headers, &frame);
        } else if headers::is_modern(&template.headers) {
            headers::mirror(&mut template.headers, &frame, &template.body);
        }
        headers::set_length(&mut template.headers, frame.len());
        let (id, method) = match Frame::read(&frame) {
            Frame::Single(Message::Request { id, method, .. }) => (id, method),
            _ => (None, ""),
        };
        let mut exchange = Exchange::own(connection, id.map(str::to_owned));
        if let Frame::Batch(messages) = Frame::read(&frame) {
            exchange.awaited = requests(&messages);
        }
        exchange.is_modern = headers::is_modern(&template.headers);
        exchange.opens_stream = connection == PIPE && method == "notifications/initialized";
        if connection == PIPE && method == "initialize" {
            self.opening = id.map(str::to_owned);
        }
        self.post(exchange, address, Method::POST, &template, frame);
        if connection == PIPE {
            self.remember(PIPE, template);
        }
    }

    fn post(
        &mut self,
        mut exchange: Exchange,
        address: super::Address,
        method: Method,
        template: &Template,
        body: Vec<u8>,
    ) {
        let number = self.number();
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = method;
        *request.uri_mut() = Uri::try_from(&template.target).unwrap_or_default();
        request.headers_mut().clone_from(&template.headers);
        exchange.place.remember(template);
        exchange.task = Some(client::send(address, number, request, self.inputs.clone()));
        self.exchanges.insert(number, exchange);
    }

    /// Listens for what the upstream says of itself to an agent on pipes.
    pub(super) fn open_stream(&mut self) {
        let Upstream::Url(address) = &self.upstream else { return };
        let Some(mut template) = self.templates.get(&PIPE).cloned() else { return };
        template.headers.remove(hyper::header::CONTENT_LENGTH);
        template.headers.remove(hyper::header::CONTENT_TYPE);
        let accept = HeaderValue::from_static("text/event-stream");
        template.headers.insert(hyper::header::ACCEPT, accept);
        let mut exchange = Exchange::own(PIPE, None);
        exchange.is_get = true;
        self.post(exchange, address.clone(), Method::GET, &template, Vec::new());
    }

    /// The revision that both sides agreed on is in the fields from now on.
    pub(super) fn learn_version(&mut self, frame: &[u8]) {
        if self.opening.is_none() || answers(frame) != self.opening.as_deref() {
            return;
        }
        self.opening = None;
        let version = headers::agreed_version(frame);
        if let (Some(version), Some(template)) = (version, self.templates.get_mut(&PIPE)) {
            template.headers.insert(VERSION, version);
        }
    }

    /// An agent on pipes has no way to end the session itself.
    pub(super) async fn end_session(&mut self) {
        let Upstream::Url(address) = &self.upstream else { return };
        let Some(template) = self.templates.get(&PIPE) else { return };
        let Some(session) = template.headers.get(SESSION) else { return };
        let mut request = Request::new(Full::new(Bytes::new()));
        *request.method_mut() = Method::DELETE;
        *request.uri_mut() = Uri::try_from(&template.target).unwrap_or_default();
        request.headers_mut().insert(SESSION, session.clone());
        set_host(request.headers_mut(), &address.authority);
        for name in [VERSION, hyper::header::AUTHORIZATION] {
            if let Some(value) = template.headers.get(&name) {
                request.headers_mut().insert(name, value.clone());
            }
        }
        #[expect(clippy::disallowed_methods, reason = "one request sends one input")]
        let (inputs, mut answered) = tokio::sync::mpsc::unbounded_channel::<Input>();
        let _task: Task = client::send(address.clone(), 0, request, inputs);
        let _ = tokio::time::timeout(GOODBYE, answered.recv()).await;
    }
}
