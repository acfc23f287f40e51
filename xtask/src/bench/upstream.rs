//! A local platform that always gives the same list of pipelines, as fast as it can.
#![expect(clippy::disallowed_types, reason = "there is no runtime here to block")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};

/// How many pipelines the list holds.
pub(super) const PIPELINES: usize = 20;

/// The size that a list of 20 pipelines has on the platform.
const REPLY_BYTES: usize = 34_000;

/// How many recent runs each pipeline tells of, which is most of the reply.
const RUNS: usize = 5;

pub(super) struct Upstream {
    address: SocketAddr,
    reply_bytes: usize,
}

impl Upstream {
    /// Serves on a port of its own until the program ends.
    pub(super) fn start() -> Result<Self> {
        let body = body();
        let reply: Arc<[u8]> = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
        .into();
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let upstream = Self { address: listener.local_addr()?, reply_bytes: body.len() };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let reply = Arc::clone(&reply);
                std::thread::spawn(move || answer(stream, &reply));
            }
        });
        Ok(upstream)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn reply_bytes(&self) -> usize {
        self.reply_bytes
    }
}

/// Answers one connection until the other side closes it.
fn answer(mut stream: TcpStream, reply: &[u8]) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut length = 0;
        let mut line = String::new();
        while reader.read_line(&mut line).ok()? > 2 {
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            line.clear();
        }
        if line.is_empty() {
            return None;
        }
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).ok()?;
        stream.write_all(reply).ok()?;
    }
}

/// A page of pipelines with as much beside the point as the platform sends.
fn body() -> String {
    let bare = page(0).to_string().len();
    page(REPLY_BYTES.saturating_sub(bare) / PIPELINES).to_string()
}

fn page(filling: usize) -> Value {
    let pipelines: Vec<Value> = (0..PIPELINES).map(|number| pipeline(number, filling)).collect();
    json!({
        "status": "SUCCESS",
        "data": {
            "content": pipelines,
            "totalElements": PIPELINES,
            "totalPages": 1,
            "size": PIPELINES,
            "number": 0,
        },
        "metaData": null,
        "correlationId": "00000000-0000-0000-0000-000000000000",
    })
}

fn pipeline(number: usize, filling: usize) -> Value {
    let runs: Vec<Value> = (0..RUNS).map(run).collect();
    json!({
        "identifier": format!("deploy_{number}"),
        "name": format!("Deploy {number}"),
        "description": "Builds, deploys and verifies",
        "tags": { "team": "payments" },
        "orgIdentifier": "default",
        "projectIdentifier": "demo",
        "createdAt": 1_700_000_000_000_u64,
        "lastUpdatedAt": 1_700_003_600_000_u64,
        "numOfStages": 3,
        "stageNames": ["Build", "Deploy", "Verify"],
        "storeType": "REMOTE",
        "gitDetails": { "branch": "main", "filePath": "x".repeat(filling) },
        "recentExecutionsInfo": runs,
    })
}

fn run(number: usize) -> Value {
    json!({
        "executorInfo": { "triggerType": "MANUAL", "username": "Someone", "email": "someone@example.com" },
        "startTs": 1_700_000_000_000_u64,
        "endTs": 1_700_000_060_000_u64,
        "status": "SUCCESS",
        "planExecutionId": "AAAAAAAAAAAAAAAAAAAAAA",
        "runSequence": number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reply_has_the_size_of_the_real_one() {
        let bytes = body().len();
        assert!(bytes.abs_diff(REPLY_BYTES) <= PIPELINES, "{bytes}");
    }
}
