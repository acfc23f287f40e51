//! Writing an injected answer in the shape that was asked for.

use serde_json::{Value, json};

use super::Shape;

/// What an agent is told, whatever the shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The text of a tool result.
    pub text: String,
    /// Whether that result is an error.
    pub is_error: bool,
    /// The code of a JSON-RPC error.
    pub code: i64,
    /// Its message.
    pub message: String,
    /// Its data.
    pub data: Option<Value>,
    /// The status of an HTTP reply.
    pub status: u16,
    /// Its headers.
    pub headers: Vec<(&'static str, String)>,
}

impl Reply {
    /// An error in these words, for a soft result and for a JSON-RPC error.
    pub(super) fn error(status: u16, text: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: true,
            code: -32603,
            message: message.into(),
            data: None,
            status,
            headers: Vec::new(),
        }
    }

    /// The same, in the scenario's own words where it has any.
    pub(crate) fn in_words(self, words: Option<&str>) -> Self {
        match words {
            Some(words) => Self { text: words.to_owned(), message: words.to_owned(), ..self },
            None => self,
        }
    }
}

/// The frame to send, or `None` for a shape that is no frame. `id` is the request's id as it was
/// written.
pub(crate) fn write(reply: &Reply, shape: Shape, id: &str, is_modern: bool) -> Option<Vec<u8>> {
    let (field, body) = match shape {
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
        Shape::Silence
        | Shape::Close
        | Shape::Status
        | Shape::CutBody
        | Shape::Reset
        | Shape::CutStream => return None,
    };
    // The id goes back as the text it came in: no number of it may be rewritten.
    let mut frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"{field}":{body}}}"#).into_bytes();
    if shape == Shape::CutFrame {
        frame.truncate(frame.len() * 2 / 3);
    }
    Some(frame)
}
