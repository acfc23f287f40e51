//! Which header fields pass, and those that repeat what the body says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue,
};
use serde_json::Value;

use crate::frame::{Body, Frame, Message};

/// The session of the older revisions.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// The revision.
pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// What to resume after.
pub(super) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const PARAMETER: &str = "mcp-param-";

/// The first revision without sessions.
const MODERN: &str = "2026-07-28";

/// Where a message names its revision.
const DECLARED: &str = "io.modelcontextprotocol/protocolVersion";

/// Fields that are about one connection only (RFC 9110 section 7.6.1), and `Expect`, which is
/// answered here.
pub(super) const HOP_BY_HOP: [&str; 9] = [
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "expect",
];

/// Takes out what is about one connection only.
pub(super) fn strip(headers: &mut HeaderMap) {
    let named: Vec<String> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    headers.remove(CONNECTION);
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
    for name in named {
        headers.remove(name.as_str());
    }
}

/// Says how long the body is.
pub(super) fn set_length(headers: &mut HeaderMap, length: usize) {
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
}

/// Asks for a body that can be read.
pub(super) fn ask_for_plain(headers: &mut HeaderMap) {
    if headers.contains_key(ACCEPT_ENCODING) {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
}

/// Whether the sender takes a stream of events for an answer.
pub(super) fn takes_stream(headers: &HeaderMap) -> bool {
    let kinds = headers.get_all(hyper::header::ACCEPT).iter().filter_map(|it| it.to_str().ok());
    kinds.flat_map(|it| it.split(',')).any(|it| it.trim_start().starts_with("text/event-stream"))
}

/// Whether the sender speaks a revision without sessions.
pub(super) fn is_modern(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|value| value.to_str().ok());
    version.map_or_else(|| headers.contains_key(METHOD), |version| version >= MODERN)
}

/// The revision that a message of the newer ones names itself.
pub(super) fn declared_version(frame: &[u8]) -> Option<HeaderValue> {
    let Frame::Single(Message::Request { params, .. }) = Frame::read(frame) else { return None };
    let params = params.filter(|params| params.contains(DECLARED))?;
    let params: Value = serde_json::from_str(params).ok()?;
    HeaderValue::from_str(params.get("_meta")?.get(DECLARED)?.as_str()?).ok()
}

/// The revision that the answer to `initialize` names.
pub(super) fn agreed_version(frame: &[u8]) -> Option<HeaderValue> {
    let Frame::Single(Message::Response { body: Body::Result(result), .. }) = Frame::read(frame)
    else {
        return None;
    };
    let result: Value = serde_json::from_str(result).ok()?;
    HeaderValue::from_str(result.get("protocolVersion")?.as_str()?).ok()
}

/// The fields of a client that has sent none yet.
pub(super) fn fresh() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers
}

/// Makes the fields that repeat what the body says say what this body says.
///
/// `earlier` is the body that the fields were written for: `Mcp-Param-*` stay only for a call of
/// the same tool, because which argument such a field repeats is known to the client alone.
pub(super) fn mirror(headers: &mut HeaderMap, frame: &[u8], earlier: &[u8]) {
    let Frame::Single(Message::Request { method, params, .. }) = Frame::read(frame) else {
        return;
    };
    set(headers, METHOD, Some(method));
    let name = name(method, params);
    set(headers, NAME, name.as_deref());
    let was = match Frame::read(earlier) {
        Frame::Single(Message::Request { method, params, .. }) => self::name(method, params),
        _ => None,
    };
    if was != name {
        drop_parameters(headers);
    }
}

fn drop_parameters(headers: &mut HeaderMap) {
    let names: Vec<_> =
        headers.keys().filter(|name| name.as_str().starts_with(PARAMETER)).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// What `Mcp-Name` repeats.
fn name(method: &str, params: Option<&str>) -> Option<String> {
    let field = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    let params: Value = serde_json::from_str(params?).ok()?;
    Some(params.get(field)?.as_str()?.to_owned())
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: Option<&str>) {
    match value {
        Some(value) => {
            headers.insert(name, encoded(value));
        }
        None => {
            headers.remove(name);
        }
    }
}

/// A value as it may stand in a header field (MCP 2026-07-28, streamable HTTP).
pub(super) fn encoded(value: &str) -> HeaderValue {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && value.trim() == value
        && !value.starts_with("=?base64?");
    let text =
        if is_plain { value.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(value)) };
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &[u8] =
        br#"{"id":1,"method":"tools/call","params":{"name":"create","arguments":{}}}"#;

    #[test]
    fn what_a_connection_header_names_is_stripped_too() {
        let mut headers = fresh();
        headers.insert(CONNECTION, HeaderValue::from_static("close, X-Hop"));
        headers.insert("x-hop", HeaderValue::from_static("1"));
        headers.insert("x-end", HeaderValue::from_static("1"));
        strip(&mut headers);
        assert!(!headers.contains_key("x-hop") && !headers.contains_key(CONNECTION));
        assert!(headers.contains_key("x-end"));
    }

    #[test]
    fn parameters_stay_for_the_same_tool_only() {
        let mut headers = fresh();
        headers.insert("mcp-param-city", HeaderValue::from_static("Rome"));
        mirror(&mut headers, CALL, CALL);
        assert_eq!(headers["mcp-name"], "create");
        assert_eq!(headers["mcp-param-city"], "Rome");
        mirror(&mut headers, br#"{"id":2,"method":"tools/list"}"#, CALL);
        assert_eq!(headers["mcp-method"], "tools/list");
        assert!(!headers.contains_key("mcp-name") && !headers.contains_key("mcp-param-city"));
    }

    #[test]
    fn a_name_that_is_no_header_text_is_encoded() {
        assert_eq!(encoded("søk"), "=?base64?c8O4aw==?=");
        assert_eq!(encoded("a b"), "a b");
    }
}
