//! Which request a notification belongs to that a process sends: pipes have no streams.

use serde_json::Value;

use super::exchange::Exchange;
use crate::frame::{Frame, Message};

/// Names the request that asked to be told (MCP 2026-07-28, subscriptions).
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Names the request whose progress it is (MCP 2025-11-25, progress).
const PROGRESS: &str = "progressToken";

/// What a notification says of where it belongs.
#[derive(Debug, PartialEq)]
pub(super) enum Tag {
    /// To the stream of the request with this id, and to no other.
    Subscription(Value),
    /// To the request with this token.
    Progress(Value),
}

impl Tag {
    /// Reads it.
    pub(super) fn of(frame: &[u8]) -> Option<Self> {
        let Frame::Single(Message::Request { id: None, params, .. }) = Frame::read(frame) else {
            return None;
        };
        let params = params.filter(|it| it.contains(SUBSCRIPTION) || it.contains(PROGRESS))?;
        let params: Value = serde_json::from_str(params).ok()?;
        let subscription = params.get("_meta").and_then(|meta| meta.get(SUBSCRIPTION));
        subscription
            .cloned()
            .map(Self::Subscription)
            .or_else(|| params.get(PROGRESS).cloned().map(Self::Progress))
    }

    /// Whether it belongs to this request.
    pub(super) fn fits(&self, exchange: &Exchange) -> bool {
        match self {
            Self::Subscription(id) => {
                let own = exchange.id.as_deref().and_then(|own| serde_json::from_str(own).ok());
                own.is_some_and(|own: Value| own == *id)
            }
            Self::Progress(token) => token_of(&exchange.body).is_some_and(|own| own == *token),
        }
    }
}

fn token_of(body: &[u8]) -> Option<Value> {
    let Frame::Single(Message::Request { params, .. }) = Frame::read(body) else { return None };
    let params: Value = serde_json::from_str(params.filter(|it| it.contains(PROGRESS))?).ok()?;
    params.get("_meta")?.get(PROGRESS).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_compared_by_value() {
        let note = br#"{"method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"\u0061"}}}"#;
        let tag = Tag::of(note).unwrap();
        assert!(tag.fits(&Exchange::own(1, Some(r#""a""#.to_owned()))));
        assert!(!tag.fits(&Exchange::own(1, Some("1".to_owned()))));
        assert_eq!(Tag::of(br#"{"id":1,"method":"x","params":{"progressToken":1}}"#), None);
    }
}
