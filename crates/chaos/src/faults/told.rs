//! Writing an injected answer in the shape that was asked for.

use serde_json::{Value, json};

use super::Shape;

/// What an agent is told, whatever the shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// The text of a tool result.
    pub(crate) text: String,
    /// Whether that result is an error.
    pub(crate) is_error: bool,
    /// The code of a JSON-RPC error.
    pub(crate) code: i64,
    /// Its message.
    pub(crate) message: String,
    /// Its data.
    pub(crate) data: Option<Value>,
}

/// The frame to send, or `None` for silence. `id` is the request's id as it was written.
pub(crate) fn write(reply: &Reply, shape: Shape, id: &str, is_modern: bool) -> Option<Vec<u8>> {
    let (field, body) = match shape {
        Shape::Silence | Shape::Close => return None,
        Shape::Error => {
            let mut error = json!({"code": reply.code, "message": reply.message});
            if let (Some(data), Some(error)) = (&reply.data, error.as_object_mut()) {
                error.insert("data".to_owned(), data.clone());
            }
            ("error", error)
        }
        Shape::Soft | Shape::CutFrame => {
            let mut result = json!({
                "content": [{"type": "text", "text": reply.text}],
                "isError": reply.is_error,
            });
            if let (true, Some(result)) = (is_modern, result.as_object_mut()) {
                result.insert("resultType".to_owned(), json!("complete"));
            }
            ("result", result)
        }
    };
    // The id goes back as the text it came in: no number of it may be rewritten.
    let mut frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"{field}":{body}}}"#).into_bytes();
    if shape == Shape::CutFrame {
        frame.truncate(frame.len() * 2 / 3);
    }
    Some(frame)
}
