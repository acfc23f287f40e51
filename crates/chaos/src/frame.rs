//! The little of a JSON-RPC message that a proxy must understand.
//!
//! Messages are passed on as the bytes they came in. Only the envelope is read, borrowed from
//! those bytes, so that what we do not know cannot be lost.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A message, as far as it could be read.
#[derive(Debug)]
pub(crate) enum Frame<'a> {
    /// One JSON-RPC message.
    Single(Message<'a>),
    /// A batch (JSON-RPC 2.0 section 6; MCP 2025-03-26 only).
    Batch(Vec<Message<'a>>),
    /// Something else; it is passed on all the same.
    Opaque,
}

/// A message's envelope.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Message<'a> {
    /// A request, or a notification when it has no id.
    Request {
        /// The id as written.
        id: Option<&'a str>,
        /// The method.
        method: &'a str,
        /// The parameters as written.
        params: Option<&'a str>,
    },
    /// A response.
    Response {
        /// The id as written.
        id: &'a str,
        /// What it holds.
        body: Body<'a>,
    },
}

/// What a response holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body<'a> {
    /// A result as written.
    Result(&'a str),
    /// An error as written.
    Error(&'a str),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

impl<'a> Frame<'a> {
    /// Reads a line or body.
    pub(crate) fn read(bytes: &'a [u8]) -> Self {
        let Ok(text) = std::str::from_utf8(bytes) else { return Self::Opaque };
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.starts_with('[') {
            let Ok(items) = serde_json::from_str::<Vec<&'a RawValue>>(text) else {
                return Self::Opaque;
            };
            return Self::Batch(
                items.iter().filter_map(|item| Message::read(item.get())).collect(),
            );
        }
        Message::read(text).map_or(Self::Opaque, Self::Single)
    }
}

impl<'a> Message<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let envelope: Envelope<'a> = serde_json::from_str(text).ok()?;
        let id = envelope.id.map(RawValue::get);
        if let Some(method) = envelope.method {
            let method = plain(method.get())?;
            return Some(Self::Request { id, method, params: envelope.params.map(RawValue::get) });
        }
        let body = match (envelope.result, envelope.error) {
            (_, Some(error)) => Body::Error(error.get()),
            (Some(result), None) => Body::Result(result.get()),
            (None, None) => return None,
        };
        Some(Self::Response { id: id?, body })
    }
}

/// Every method that the harness acts on.
const METHODS: &[&str] = &[
    "initialize",
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/tasks/status",
    "notifications/tools/list_changed",
    "prompts/get",
    "resources/read",
    "tasks/get",
    "tasks/result",
    "tools/call",
    "tools/list",
];

/// A method without its quotes. Some writers of JSON escape the slash, so one with escapes is
/// compared by value with those that matter here; any other stays as written.
fn plain(written: &str) -> Option<&str> {
    let bare = written.strip_prefix('"')?.strip_suffix('"')?;
    if !bare.contains('\\') {
        return Some(bare);
    }
    let method: String = serde_json::from_str(written).ok()?;
    Some(METHODS.iter().find(|known| **known == method).copied().unwrap_or(bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_keeps_its_id_and_parameters_as_written() {
        let line = br#"{"id": 1e400,"method":"tools/call","x":[1], "params":{"a" : 0.10}}"#;
        let Frame::Single(Message::Request { id, method, params }) = Frame::read(line) else {
            panic!("not a request")
        };
        assert_eq!((id, method, params), (Some("1e400"), "tools/call", Some(r#"{"a" : 0.10}"#)));
    }

    #[test]
    fn a_method_is_known_however_it_is_escaped() {
        for (written, method) in [
            (r#""tools\/call""#, "tools/call"),
            (r#""\u0074ools/list""#, "tools/list"),
            (r#""own\/method""#, r"own\/method"),
        ] {
            let line = format!(r#"{{"id":1,"method":{written}}}"#);
            let Frame::Single(Message::Request { method: read, .. }) = Frame::read(line.as_bytes())
            else {
                panic!("not a request")
            };
            assert_eq!(read, method);
        }
    }

    #[test]
    fn what_cannot_be_read_is_opaque() {
        for line in
            [&b"Server listening"[..], b"", b"{}", b"\xff", b"{\"id\":1,\"method\":3}", b"[1"]
        {
            assert!(matches!(Frame::read(line), Frame::Opaque), "{line:?}");
        }
    }

    #[test]
    fn a_batch_is_read_item_by_item() {
        let line = br#"[{"id":1,"method":"ping"},{"id":"a","result":{}},7]"#;
        let Frame::Batch(items) = Frame::read(line) else { panic!("not a batch") };
        assert_eq!(items.len(), 2);
    }
}
