//! A few requests to an upstream on its pipes, one after the other.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::timeout;

/// A list of tools may be long; nothing an upstream rightly says is longer.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// Why a request has no result.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Nothing came in time.
    Silent,
    /// The upstream closed its output.
    Left,
    /// It answered with an error.
    Refused(String),
}

/// The pipes of an upstream.
pub(super) struct Conversation {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// Lines that were no messages.
    pub(super) strays: u32,
}

impl Conversation {
    pub(super) fn new(input: ChildStdin, output: ChildStdout) -> Self {
        Self { input, output: BufReader::new(output), next_id: 0, strays: 0 }
    }

    /// Asks, and waits for the answer.
    pub(super) async fn request(
        &mut self,
        method: &str,
        params: Value,
        patience: Duration,
    ) -> Result<Value, Trouble> {
        self.next_id += 1;
        let id = format!("doctor-{}", self.next_id);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request).await?;
        timeout(patience, self.answer(&id)).await.map_err(|_| Trouble::Silent)?
    }

    /// Says something that is not answered.
    pub(super) async fn notify(&mut self, method: &str) -> Result<(), Trouble> {
        self.send(&json!({"jsonrpc": "2.0", "method": method})).await
    }

    async fn send(&mut self, message: &Value) -> Result<(), Trouble> {
        let line = format!("{message}\n");
        let sent = self.input.write_all(line.as_bytes()).await;
        sent.and(self.input.flush().await).map_err(|_| Trouble::Left)
    }

    async fn answer(&mut self, id: &str) -> Result<Value, Trouble> {
        loop {
            let Some(line) = self.line().await.map_err(|_| Trouble::Left)? else {
                return Err(Trouble::Left);
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let Ok(mut message) = serde_json::from_slice::<Value>(&line) else {
                self.strays = self.strays.saturating_add(1);
                continue;
            };
            if message.get("method").is_some() {
                self.decline(&message).await?;
                continue;
            }
            if message.get("id").and_then(Value::as_str) != Some(id) {
                continue;
            }
            if let Some(error) = message.get("error") {
                let text = error.get("message").and_then(Value::as_str).unwrap_or("an error");
                return Err(Trouble::Refused(text.to_owned()));
            }
            return Ok(message.get_mut("result").map(Value::take).unwrap_or_default());
        }
    }

    /// A request of the upstream to us: we can do nothing for it.
    async fn decline(&mut self, request: &Value) -> Result<(), Trouble> {
        let Some(id) = request.get("id") else { return Ok(()) };
        let error = json!({"code": -32601, "message": "this client offers nothing"});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})).await
    }

    /// The next line; none at the end.
    async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let read = (&mut self.output).take(LONGEST_LINE).read_until(b'\n', &mut line).await?;
        Ok((read > 0).then_some(line))
    }
}
