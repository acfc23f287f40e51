//! Turns one line into a message, or into the error it deserves.

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};

use crate::lines::id_in;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// What a line turned out to be.
pub(crate) enum Frame {
    /// A message of the protocol.
    Message(Box<ClientJsonRpcMessage>),
    /// Something to answer with this line.
    Refused(Vec<u8>),
    /// Something that needs no answer, such as a notification of another protocol.
    Ignored,
}

/// Some Windows programs put a byte order mark before their text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads one line.
pub(crate) fn parse(line: &[u8]) -> Frame {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    if let Ok(message) = serde_json::from_slice(line) {
        return Frame::Message(Box::new(message));
    }
    match serde_json::from_slice(line) {
        Ok(value) => misfit(&value),
        Err(error) if error.to_string().starts_with("recursion limit") => {
            let text =
                "the message is nested too deeply; send less depth, or the deep part as text";
            Frame::Refused(error_line(id_in(line).as_ref(), INVALID_REQUEST, text))
        }
        Err(error) => {
            tracing::warn!(%error, "A line on standard input is not JSON");
            Frame::Refused(error_line(None, PARSE_ERROR, &format!("not JSON: {error}")))
        }
    }
}

/// JSON that is no message: only what looks like a request is answered, lest two confused peers
/// answer each other's errors for ever.
fn misfit(value: &Value) -> Frame {
    let Some(object) = value.as_object() else {
        let text = "one JSON-RPC message a line: batches and bare values are not part of MCP";
        return Frame::Refused(error_line(None, INVALID_REQUEST, text));
    };
    if object.contains_key("result") || object.contains_key("error") {
        return Frame::Ignored;
    }
    let Some(id) = object.get("id").filter(|id| id.is_string() || id.is_number()) else {
        let is_notification = object.contains_key("method") && !object.contains_key("id");
        return if is_notification { Frame::Ignored } else { not_a_request(None) };
    };
    let names_a_method = object.get("method").is_some_and(Value::is_string);
    let has_odd_params = object.get("params").is_some_and(|params| !params.is_object());
    if names_a_method && has_odd_params {
        let text = "the `params` of a request must be an object";
        return Frame::Refused(error_line(Some(id), INVALID_PARAMS, text));
    }
    not_a_request(Some(id))
}

fn not_a_request(id: Option<&Value>) -> Frame {
    let text = "not a JSON-RPC 2.0 request: it needs `jsonrpc` \"2.0\", a text or whole number as \
                `id`, and a `method`";
    Frame::Refused(error_line(id, INVALID_REQUEST, text))
}

/// The answer to a line that was too long to read.
pub(crate) fn too_long(id: Option<&Value>, longest: usize) -> Vec<u8> {
    let text = format!("the message is longer than {longest} bytes; send less in one call");
    error_line(id, INVALID_REQUEST, &text)
}

/// An error answer, ready to be written.
pub(crate) fn error_line(id: Option<&Value>, code: i32, message: &str) -> Vec<u8> {
    let mut answer = json!({"jsonrpc": "2.0"});
    if let (Some(id), Some(answer)) = (id, answer.as_object_mut()) {
        answer.insert("id".to_owned(), id.clone());
    }
    if let Some(answer) = answer.as_object_mut() {
        answer.insert("error".to_owned(), json!({"code": code, "message": message}));
    }
    let mut line = answer.to_string().into_bytes();
    line.push(b'\n');
    line
}
