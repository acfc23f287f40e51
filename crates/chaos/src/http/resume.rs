//! Streams that the upstream ended before it had answered: where the proxy is the client, it comes
//! back for the rest (MCP 2025-11-25, transports, resumability). It never posts a request again.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Uri};

use super::client;
use super::exchange::Outlet;
use super::headers::LAST_EVENT;
use super::input::ExchangeId;
use super::sse::Event;
use super::switch::{Switch, Template, Upstream};

/// How often in a row a stream is asked for that brings nothing new.
const MOST_TRIES: u32 = 8;

/// How long it is to the next try when the upstream does not say.
const REST: Duration = Duration::from_secs(1);

/// The longest rest that the upstream may ask for.
const LONGEST_REST: Duration = Duration::from_secs(30);

/// How far a stream has come.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// How the request looked.
    template: Option<Box<Template>>,
    last_event: Option<HeaderValue>,
    rest: Option<Duration>,
    tries: u32,
}

impl Place {
    /// Takes in how the request looked that the stream is for.
    pub(super) fn remember(&mut self, template: &Template) {
        let body = Bytes::new();
        let (target, headers) = (template.target.clone(), template.headers.clone());
        self.template = Some(Box::new(Template { target, headers, body }));
    }

    /// Takes in what an event says of it.
    pub(super) fn take_in(&mut self, event: &Event) {
        if let Some(id) = &event.id {
            let id = HeaderValue::from_bytes(id).ok().filter(|id| !id.is_empty());
            if self.last_event != id {
                self.tries = 0;
            }
            self.last_event = id;
        }
        if let Some(retry) = event.retry {
            self.rest = Some(Duration::from_millis(retry).min(LONGEST_REST));
        }
    }
}

impl Switch<'_> {
    /// Asks for the rest of a stream of ours that has ended; `false` when there is no way to.
    pub(super) fn resume(&mut self, id: ExchangeId) -> bool {
        let Upstream::Url(address) = &self.upstream else { return false };
        let Some(exchange) = self.exchanges.get_mut(&id) else { return false };
        let is_awaited = !exchange.is_heard && (exchange.id.is_some() || exchange.is_get);
        if !matches!(exchange.outlet, Outlet::Ours) || !exchange.may_resume || !is_awaited {
            return false;
        }
        let Some(last_event) = exchange.place.last_event.clone() else { return false };
        // What was learned since, such as the session, is in the connection's own.
        let latest = self.templates.get(&exchange.connection);
        let Some(template) = latest.or(exchange.place.template.as_deref()) else { return false };
        if exchange.place.tries >= MOST_TRIES {
            return false;
        }
        let target = Uri::try_from(&template.target).unwrap_or_default();
        let mut fields = template.headers.clone();
        exchange.place.tries += 1;
        let mut request = Request::new(Full::new(Bytes::new()));
        *request.uri_mut() = target;
        fields.remove(CONTENT_LENGTH);
        fields.remove(CONTENT_TYPE);
        fields.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        fields.insert(LAST_EVENT, last_event);
        *request.headers_mut() = fields;
        let rest = exchange.place.rest.unwrap_or(REST);
        let (address, inputs) = (address.clone(), self.inputs.clone());
        exchange.task = Some(client::send_after(rest, address, id, request, inputs));
        true
    }
}
