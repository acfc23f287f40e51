//! Answers that are no frame: a status, a cut body, a reset, a cut stream.

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::response;

use super::exchange::{Exchange, json_head};
use crate::faults::{Reply, Shape, write};

/// What a real gateway says in a stream before it falls silent.
const COMMENT: &[u8] = b": open\n\n";

/// What the upstream has answered, as far as it is one body.
pub(super) type Real<'a> = Option<(&'a response::Parts, &'a [u8])>;

/// Breaks the answer to a request.
pub(super) fn break_off(
    exchange: &mut Exchange,
    shape: Shape,
    id: &str,
    reply: &Reply,
    real: Real<'_>,
) {
    exchange.is_answered = true;
    match shape {
        // A status can no longer be sent once a stream has begun; a gateway then cuts it.
        Shape::Status if exchange.is_waiting() => {
            exchange.held = None;
            let (head, body) = status(reply);
            exchange.answer_whole(head, body, true);
        }
        Shape::CutBody => cut_body(exchange, id, reply, real),
        Shape::CutStream | Shape::Status => {
            exchange.push(COMMENT.to_vec(), None);
            exchange.end();
        }
        Shape::Reset => {
            exchange.reset.set(true);
            exchange.abort();
        }
        Shape::Close | Shape::Soft | Shape::Error | Shape::Silence | Shape::CutFrame => {
            exchange.abort();
        }
    }
}

/// A whole reply, correct to HTTP, whose JSON ends in the middle.
fn cut_body(exchange: &mut Exchange, id: &str, reply: &Reply, real: Real<'_>) {
    let frame = match real {
        Some((_, body)) => body.to_vec(),
        None => write(reply, Shape::Soft, id, exchange.is_modern).unwrap_or_default(),
    };
    let cut = frame.get(..frame.len() / 2).unwrap_or_default();
    if exchange.is_streaming() {
        exchange.push([b"event: message\ndata: ", cut, b"\n\n"].concat(), None);
        return exchange.end();
    }
    let head = real.map_or_else(|| json_head(StatusCode::OK), |(head, _)| head.clone());
    exchange.answer_whole(head, Bytes::copy_from_slice(cut), true);
}

fn status(reply: &Reply) -> (response::Parts, Bytes) {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut head = json_head(status);
    for (name, value) in &reply.headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            head.headers.insert(HeaderName::from_static(name), value);
        }
    }
    let body = match reply.text.find('{').and_then(|at| reply.text.get(at..)) {
        Some(json) if serde_json::from_str::<serde_json::Value>(json).is_ok() => json.to_owned(),
        // Servers do not know whose request it was when they answer in place of a session.
        _ => {
            String::from_utf8_lossy(&write(reply, Shape::Error, "null", false).unwrap_or_default())
                .into_owned()
        }
    };
    (head, body.into())
}
