//! A small tool set and the peer that talks to it.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinHandle;

use super::super::*;
use crate::{Annotations, Answer, BoxFuture, Caller, Reply, ServerInfo, ToolInfo};

/// Tools that show what a caller can do.
pub(super) struct Toys;

impl ToolSet for Toys {
    fn info(&self) -> ServerInfo {
        ServerInfo {
            name: "toys".to_owned(),
            title: "Toys".to_owned(),
            version: "1.0".to_owned(),
            instructions: "Play.".to_owned(),
        }
    }

    fn tools(&self) -> Vec<ToolInfo> {
        ["echo", "ask", "wait", "fail"].map(toy).to_vec()
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        caller: Caller,
    ) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            match name {
                "echo" => result(json!({"said": arguments, "client": caller.client_name})),
                "ask" => {
                    let able = caller.confirm.can_ask();
                    let reply = caller.confirm.ask("sure?").await;
                    result(json!({"able": able, "yes": reply == Ok(Reply::Accepted(Some(true)))}))
                }
                "wait" => {
                    if let Some(progress) = &caller.progress {
                        progress.report(1.0, Some(2.0), "waiting");
                    }
                    caller.cancel.cancelled().await;
                    result(json!({"cancelled": true}))
                }
                _ => Answer::Error { text: "it broke".to_owned(), structured: None },
            }
        })
    }
}

pub(super) fn toy(name: &str) -> ToolInfo {
    ToolInfo {
        name: name.to_owned(),
        title: name.to_owned(),
        description: "A toy.".to_owned(),
        input_schema: Map::from_iter([("type".to_owned(), json!("object"))]),
        output_schema: None,
        annotations: Annotations {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        },
    }
}

pub(super) fn result(structured: Value) -> Answer {
    Answer::Result { structured, text: None }
}

/// The other end of a served session.
pub(super) struct Peer {
    pub(super) input: DuplexStream,
    pub(super) output: BufReader<DuplexStream>,
    pub(super) session: JoinHandle<Result<(), ServeError>>,
}

impl Peer {
    pub(super) fn new() -> Self {
        let (input, server_input) = tokio::io::duplex(1 << 20);
        let (server_output, output) = tokio::io::duplex(1 << 20);
        let session = tokio::spawn(serve_streams(
            Arc::new(Toys),
            server_input,
            server_output,
            CancellationToken::new(),
        ));
        Self { input, output: BufReader::new(output), session }
    }

    pub(super) async fn greeted(capabilities: Value) -> Self {
        let mut peer = Self::new();
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": {"name": "t", "version": "1"}});
        peer.ask(0, "initialize", hello).await;
        peer.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        peer
    }

    pub(super) async fn send(&mut self, message: Value) {
        self.write(&format!("{message}\n")).await;
    }

    pub(super) async fn write(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).await.expect("the server reads");
    }

    pub(super) async fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).await.expect("the server writes");
        serde_json::from_str(&line).expect("only JSON comes out")
    }

    pub(super) async fn ask(&mut self, id: i64, method: &str, params: Value) -> Value {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        self.read().await
    }

    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask(1, "tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    pub(super) async fn is_alive(&mut self) -> bool {
        let answer = self.call("echo", json!({"a": 1})).await;
        answer.pointer("/result/structuredContent/said/a") == Some(&json!(1))
    }
}
