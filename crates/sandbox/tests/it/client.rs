//! A client small enough to see what really came over the wire.

use std::time::Duration;

use checkrein_sandbox::{GenericRoute, Options, Running, Sandbox};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// 2026-11-30 10:00 UTC.
pub(crate) const NOW: i64 = 1_796_032_800_000;
/// Query of a seeded project.
pub(crate) const STOREFRONT: &str = "orgIdentifier=default&projectIdentifier=storefront";

/// An answer as it came.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("not JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The value at a JSON pointer.
    pub(crate) fn at(&self, pointer: &str) -> Value {
        self.json().pointer(pointer).cloned().unwrap_or_default()
    }
}

/// How a request ended when no whole answer came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Reset or closed before a head arrived.
    NoHead,
    /// Closed inside the body.
    Cut,
    /// Nothing more came.
    Silent,
}

/// A sandbox with a client in front of it.
pub(crate) struct Shop {
    pub(crate) running: Running,
}

impl Shop {
    /// The seeded world at a fixed moment.
    pub(crate) async fn open() -> Self {
        Self::with(Options { start_ms: Some(NOW), speed: 0.0, ..Options::default() }, vec![]).await
    }

    pub(crate) async fn with(options: Options, routes: Vec<GenericRoute>) -> Self {
        Self { running: Sandbox::start(options, routes).await.unwrap() }
    }

    pub(crate) async fn send(&self, method: &str, target: &str, body: &str) -> Answer {
        self.send_with(method, target, &[], body.as_bytes()).await.unwrap()
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.send("GET", target, "").await
    }

    pub(crate) async fn post(&self, target: &str, body: Value) -> Answer {
        self.send("POST", target, &body.to_string()).await
    }

    pub(crate) async fn put(&self, target: &str, body: Value) -> Answer {
        self.send("PUT", target, &body.to_string()).await
    }

    pub(crate) async fn delete(&self, target: &str) -> Answer {
        self.send("DELETE", target, "").await
    }

    /// Arms a fault.
    pub(crate) async fn arm(&self, fault: Value) {
        let answer = self.post("/__sandbox/faults", fault).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
    }

    /// Pushes the clock.
    pub(crate) async fn advance(&self, by: Duration) {
        let ms = u64::try_from(by.as_millis()).unwrap();
        assert_eq!(self.post("/__sandbox/clock", json!({"advance_ms": ms})).await.status, 200);
    }

    /// One request on a connection of its own.
    pub(crate) async fn send_with(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, Broken> {
        let host = self.running.url().trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).await.unwrap();
        let mut head = format!(
            "{method} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body).await.unwrap();
        read(&mut stream, method).await
    }
}

/// How long silence must last to count as such.
const SILENCE: Duration = Duration::from_millis(400);

async fn read(stream: &mut TcpStream, method: &str) -> Result<Answer, Broken> {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    let mut is_silent = false;
    loop {
        match tokio::time::timeout(SILENCE, stream.read(&mut chunk)).await {
            Err(_) if bytes.is_empty() => continue,
            Err(_) => {
                is_silent = true;
                break;
            }
            Ok(Ok(0) | Err(_)) => break,
            Ok(Ok(read)) => bytes.extend_from_slice(&chunk[..read]),
        }
    }
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Err(Broken::NoHead);
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let answer = Answer { status, headers, body: bytes.split_off(end + 4) };
    let length: usize = answer.header("content-length").unwrap_or("0").parse().unwrap();
    if answer.body.len() < length && method != "HEAD" {
        return Err(if is_silent { Broken::Silent } else { Broken::Cut });
    }
    Ok(answer)
}
