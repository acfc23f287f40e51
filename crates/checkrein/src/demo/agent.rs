//! The scripted agent: calls tools, answers questions, and reads what comes back.

use checkrein_mcp::Client;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};

use super::transcript::Transcript;
use crate::failure::Failure;

/// An agent in a session with a server.
pub(crate) struct Agent<R = DuplexStream, W = DuplexStream> {
    client: Client<R, W>,
}

/// How a call ended.
pub(crate) struct Heard {
    /// The structured result; null when there was none.
    pub(crate) content: Value,
    /// The text beside it.
    pub(crate) text: String,
    /// Whether the server called it an error.
    pub(crate) is_error: bool,
    /// What the person was asked on the way.
    pub(crate) questions: usize,
}

impl Heard {
    /// A text somewhere in the result; empty when there is none.
    pub(crate) fn text_at(&self, pointer: &str) -> &str {
        self.content.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> &[Value] {
        self.content.get("items").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

impl<R, W> Agent<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    pub(crate) fn new(client: Client<R, W>) -> Self {
        Self { client }
    }

    /// How many tools the server lists.
    pub(crate) async fn tools(&mut self) -> Result<usize, Failure> {
        let listed = self.client.list_tools().await.map_err(Failure::new)?;
        Ok(listed.get("tools").and_then(Value::as_array).map_or(0, Vec::len))
    }

    /// Calls a tool and writes the exchange down; the person says yes to every question.
    pub(crate) async fn call(
        &mut self,
        transcript: &Transcript,
        tool: &str,
        arguments: Value,
    ) -> Result<Heard, Failure> {
        transcript.asks(tool, &arguments);
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let result = self.client.call(tool, arguments, true).await.map_err(Failure::new)?;
        let elicited = self.client.take_elicited();
        for question in &elicited {
            transcript.asked_back(&question.message, question.accepted);
        }
        let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
        Ok(Heard {
            content: result.get("structuredContent").cloned().unwrap_or_default(),
            text: text.to_owned(),
            is_error: result.get("isError").and_then(Value::as_bool).unwrap_or_default(),
            questions: elicited.len(),
        })
    }
}
