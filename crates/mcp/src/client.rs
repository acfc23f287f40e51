//! A small client of the `initialize` era, for playing an agent against a server in-process.

use std::io;

use serde_json::{Map, Value, json};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use crate::lines::{LONGEST_LINE, Line, Lines};

/// The newest version that still opens with a handshake.
const PROTOCOL_VERSION: &str = "2025-11-25";

/// A question the server asked while a call ran, and what this client replied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elicited {
    /// What the person was shown.
    pub message: String,
    /// Whether this client said yes.
    pub accepted: bool,
}

/// Why a call got no result.
#[derive(Debug, Error)]
pub enum CallError {
    /// The streams failed.
    #[error("failed to talk to the server: {0}")]
    Io(#[from] io::Error),
    /// The server left.
    #[error("the server closed the session")]
    Closed,
    /// The server wrote something that is no message.
    #[error("the server wrote something that is not JSON-RPC: {0}")]
    NotJson(#[from] serde_json::Error),
    /// The server answered with a protocol error.
    #[error("the server answered {code}: {message}")]
    Protocol {
        /// The JSON-RPC error code.
        code: i64,
        /// What it says.
        message: String,
    },
}

/// A client on a pair of byte streams.
pub struct Client<R, W> {
    lines: Lines<R>,
    output: W,
    next_id: u64,
    elicited: Vec<Elicited>,
}

impl<R, W> Client<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    /// Opens a session as a client called `name` that can show forms.
    ///
    /// # Errors
    /// When the server does not answer as it must.
    pub async fn open(input: R, output: W, name: &str) -> Result<Self, CallError> {
        let lines = Lines::new(input, LONGEST_LINE);
        let mut client = Self { lines, output, next_id: 0, elicited: Vec::new() };
        let hello = json!({
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": name, "version": env!("CARGO_PKG_VERSION")},
        });
        client.request("initialize", hello, false).await?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        Ok(client)
    }

    /// The tools the server lists.
    ///
    /// # Errors
    /// When the server does not answer as it must.
    pub async fn list_tools(&mut self) -> Result<Value, CallError> {
        self.request("tools/list", json!({}), false).await
    }

    /// Calls a tool, answering yes to what it asks if `accept`.
    ///
    /// # Errors
    /// When there is no result; a result with `isError` is one.
    pub async fn call(
        &mut self,
        tool: &str,
        arguments: Map<String, Value>,
        accept: bool,
    ) -> Result<Value, CallError> {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}), accept).await
    }

    /// What the server asked since the last time, and what it was told.
    pub fn take_elicited(&mut self) -> Vec<Elicited> {
        std::mem::take(&mut self.elicited)
    }

    async fn send(&mut self, message: &Value) -> Result<(), CallError> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        self.output.write_all(&line).await?;
        Ok(self.output.flush().await?)
    }

    async fn request(
        &mut self,
        method: &str,
        params: Value,
        accept: bool,
    ) -> Result<Value, CallError> {
        self.next_id += 1;
        let id = json!(self.next_id);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request).await?;
        loop {
            let line = match self.lines.next().await? {
                Line::Whole(line) => line,
                Line::TooLong(_) => continue,
                Line::End => return Err(CallError::Closed),
            };
            let mut message: Value = serde_json::from_slice(&line)?;
            if message.get("method").is_some() {
                self.answer(&message, accept).await?;
            } else if message.get("id") == Some(&id) {
                return outcome(&mut message);
            }
        }
    }

    /// Answers a request of the server; its notifications need nothing.
    async fn answer(&mut self, message: &Value, accept: bool) -> Result<(), CallError> {
        let Some(id) = message.get("id") else { return Ok(()) };
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let reply = if method == "elicitation/create" {
            let text = message.pointer("/params/message").and_then(Value::as_str);
            let message = text.unwrap_or_default().to_owned();
            self.elicited.push(Elicited { message, accepted: accept });
            let result = if accept {
                json!({"action": "accept", "content": {"confirm": true}})
            } else {
                json!({"action": "decline"})
            };
            json!({"jsonrpc": "2.0", "id": id, "result": result})
        } else {
            let error = json!({"code": -32601, "message": format!("unknown method `{method}`")});
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        };
        self.send(&reply).await
    }
}

fn outcome(message: &mut Value) -> Result<Value, CallError> {
    if let Some(error) = message.get("error") {
        return Err(CallError::Protocol {
            code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
        });
    }
    Ok(message.get_mut("result").map(Value::take).unwrap_or_default())
}
