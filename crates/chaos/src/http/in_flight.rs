//! What processes are asked and have not answered: their pipe has one space of ids for all requests.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::input::ExchangeId;
use crate::frame::{Frame, Message};
use crate::pending::Connection;
use crate::request_id::by_value;
use crate::splice;

/// The most requests that are told apart; beyond, ids go on as they came.
const MOST: usize = 8192;

/// By process, and by the id that it was asked under.
type Key = (Connection, String);

/// Requests that no answer has come for.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    asked: HashMap<Key, Asked>,
}

#[derive(Deserialize)]
struct Cancelled<'a> {
    #[serde(borrow, rename = "requestId")]
    request_id: &'a RawValue,
}

#[derive(Debug)]
struct Asked {
    exchange: ExchangeId,
    /// Its id as written, when the process was asked under another.
    own: Option<String>,
}

fn key(connection: Connection, id: &str) -> Key {
    (connection, by_value(id).into_owned())
}

impl InFlight {
    /// Takes in that a process is asked; gives the frame under another id when its own is taken.
    pub(super) fn ask(
        &mut self,
        connection: Connection,
        exchange: ExchangeId,
        frame: &[u8],
    ) -> Option<Vec<u8>> {
        let Frame::Single(Message::Request { id: Some(id), method, .. }) = Frame::read(frame)
        else {
            return None;
        };
        if self.asked.len() >= MOST {
            return None;
        }
        let taken = self.asked.contains_key(&key(connection, id));
        // What such a stream is told names the id that it was asked under.
        if !taken || method == "subscriptions/listen" {
            self.asked.insert(key(connection, id), Asked { exchange, own: None });
            return None;
        }
        let other = format!("\"again-{}-{exchange}\"", std::process::id());
        let renamed = splice::replace(frame, id, other.as_bytes())?;
        self.asked.insert(key(connection, &other), Asked { exchange, own: Some(id.to_owned()) });
        Some(renamed)
    }

    /// Takes in an answer: the exchange that it is for, and the frame under the agent's own id when
    /// the process was asked under another.
    pub(super) fn answered(
        &mut self,
        connection: Connection,
        frame: &[u8],
    ) -> Option<(ExchangeId, Option<Vec<u8>>)> {
        let Frame::Single(Message::Response { id, .. }) = Frame::read(frame) else { return None };
        let asked = self.asked.remove(&key(connection, id))?;
        let own = asked.own.and_then(|own| splice::replace(frame, id, own.as_bytes()));
        Some((asked.exchange, own))
    }

    /// A cancel of a request that the process was asked for under another id: of this exchange's,
    /// or else of the latest that the agent calls so.
    pub(super) fn cancel(
        &self,
        connection: Connection,
        frame: &[u8],
        exchange: Option<ExchangeId>,
    ) -> Option<Vec<u8>> {
        let Frame::Single(Message::Request { method: "notifications/cancelled", params, .. }) =
            Frame::read(frame)
        else {
            return None;
        };
        let written = serde_json::from_str::<Cancelled<'_>>(params?).ok()?.request_id.get();
        let id = by_value(written);
        let mut of_this: Vec<_> = self
            .asked
            .iter()
            .filter(|((process, asked_as), asked)| {
                let own = asked.own.as_deref().map(by_value);
                *process == connection && own.as_deref().unwrap_or(asked_as) == &*id
            })
            .collect();
        of_this.sort_by_key(|(_, asked)| asked.exchange);
        let exact = of_this.iter().find(|(_, asked)| Some(asked.exchange) == exchange);
        let ((_, asked_as), asked) = exact.or(of_this.last())?;
        asked.own.as_ref()?;
        splice::replace(frame, written, asked_as.as_bytes())
    }

    /// A process has ended.
    pub(super) fn end(&mut self, connection: Connection) {
        self.asked.retain(|(process, _), _| *process != connection);
    }

    /// Every process has.
    pub(super) fn end_all(&mut self) {
        self.asked.clear();
    }
}
