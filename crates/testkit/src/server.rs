//! A server on standard streams, and the client that talks to it line by line.

use std::ffi::OsStr;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::Place;

/// Generous, because tests run beside a compiler; a hang must still end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    next_id: u64,
    answer: Option<Value>,
    /// Questions the server asked, in order.
    pub asked: Vec<Value>,
    /// Notifications that came while waiting for an answer, in order.
    pub notified: Vec<Value>,
}

#[expect(clippy::expect_used, reason = "a server that does not do its part fails the test")]
impl Server {
    /// Starts the program in a place; nothing is said yet.
    pub fn start<A: AsRef<OsStr>>(place: &Place, arguments: &[A]) -> Self {
        let mut command = Command::from(place.command(arguments));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().expect("the program starts");
        let output = child.stdout.take().expect("it is piped");
        Self {
            input: child.stdin.take(),
            output: BufReader::new(output).lines(),
            child,
            next_id: 0,
            answer: None,
            asked: Vec::new(),
            notified: Vec::new(),
        }
    }

    /// Starts it and shakes hands, as a client with these capabilities.
    pub async fn greeted<A: AsRef<OsStr>>(
        place: &Place,
        arguments: &[A],
        capabilities: Value,
    ) -> Self {
        let mut server = Self::start(place, arguments);
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": {"name": "testkit", "version": "1"}});
        let answer = server.request("initialize", hello).await;
        assert!(answer.get("result").is_some(), "no handshake: {answer}");
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        server
    }

    /// What to reply to every question from now on (`{"action": …}`); without it a question fails
    /// the test.
    #[must_use]
    pub fn answering(mut self, answer: Value) -> Self {
        self.answer = Some(answer);
        self
    }

    /// Writes a line as it is.
    pub async fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("input is open");
        input.write_all(line.as_bytes()).await.expect("the server reads");
        input.write_all(b"\n").await.expect("the server reads");
        input.flush().await.expect("the server reads");
    }

    /// Writes a message.
    pub async fn send(&mut self, message: &Value) {
        self.write(&message.to_string()).await;
    }

    /// The next line, which must be JSON.
    pub async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.output.next_line()).await;
        let line = line.expect("an answer in time").expect("the server writes");
        let Some(line) = line else { panic_with(&mut self.child).await };
        serde_json::from_str(&line).unwrap_or_else(|error| unreachable!("{error}: {line}"))
    }

    /// Sends a request and waits for its answer, replying to questions on the way.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.finish(id).await
    }

    /// Sends a request and gives its id.
    pub async fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request).await;
        id
    }

    /// Waits for the answer to a request.
    pub async fn finish(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await;
            if message.get("method").is_none() {
                if message.get("id") == Some(&json!(id)) {
                    return message;
                }
                continue;
            }
            let Some(question) = message.get("id").cloned() else {
                self.notified.push(message);
                continue;
            };
            self.asked.push(message);
            let answer = self.answer.clone().expect("a question nobody wanted");
            self.send(&json!({"jsonrpc": "2.0", "id": question, "result": answer})).await;
        }
    }

    /// Calls a tool; gives the `result`, or the whole answer when it has none.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let mut answer = self.request("tools/call", params).await;
        match answer.get_mut("result") {
            Some(result) => result.take(),
            None => answer,
        }
    }

    /// Closes its input and waits for its end: how it ended, after how long, and what it wrote to
    /// standard error.
    pub async fn leave(mut self) -> (ExitStatus, Duration, String) {
        drop(self.input.take());
        let start = Instant::now();
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        let status = status.expect("an end").expect("a status");
        let took = start.elapsed();
        let mut complaints = String::new();
        let mut stderr = self.child.stderr.take().expect("it is piped");
        stderr.read_to_string(&mut complaints).await.expect("text");
        (status, took, complaints)
    }

    /// The process.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }
}

/// Fails with what the program complained about.
#[expect(clippy::expect_used, clippy::panic, reason = "this is how a test fails")]
async fn panic_with(child: &mut Child) -> ! {
    let mut complaints = String::new();
    let mut stderr = child.stderr.take().expect("it is piped");
    drop(stderr.read_to_string(&mut complaints).await);
    panic!("the server left: {complaints}");
}

/// The structured result of a call that must have worked; its text must say the same.
#[expect(clippy::expect_used, reason = "another answer fails the test")]
pub fn answer_of(result: &Value) -> &Value {
    assert_ne!(result.get("isError"), Some(&Value::Bool(true)), "{result}");
    let structured = result.get("structuredContent").expect("a structured result");
    let text = result.pointer("/content/0/text").and_then(Value::as_str).expect("a text");
    let parsed: Value = serde_json::from_str(text).expect("the text is JSON");
    assert_eq!(parsed, *structured, "text and structure differ");
    structured
}

/// The `_meta` that opens a request of the stateless era.
pub fn modern_meta() -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "testkit", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}})
}
