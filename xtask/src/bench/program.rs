//! The server under measure, spoken to over its standard streams.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::upstream::Upstream;

pub(super) struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Program {
    /// Starts it on the local platform and gives the time until its first answer.
    pub(super) fn start(binary: &Path, upstream: &Upstream) -> Result<(Self, Duration)> {
        let mut command = Command::new(binary);
        command.args(["serve", "stdio"]).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped());
        command.envs([
            ("HARNESS_ALLOW_HTTP", "true"),
            ("HARNESS_API_KEY", "pat.acct123.token.secret"),
            ("HARNESS_BASE_URL", &format!("http://{}", upstream.address())),
            ("HARNESS_ORG", "default"),
            ("HARNESS_PROJECT", "demo"),
            ("HARNESS_RATE_LIMIT_RPS", "100000"),
            ("LOG_LEVEL", "error"),
        ]);
        let begin = Instant::now();
        let mut child = command.spawn().context("the server does not start")?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut program = Self { child, input, output, last_id: 0 };
        let client = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        program.request("initialize", &client)?;
        let took = begin.elapsed();
        program.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok((program, took))
    }

    /// Calls a tool and gives its result, which must not be an error.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let result =
            self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        if result.get("isError") == Some(&Value::Bool(true)) {
            bail!("`{tool}` failed: {result}");
        }
        Ok(result)
    }

    /// Sends a request and waits for its answer.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server ended before it answered `{method}`");
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if message.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            return match message.get_mut("result") {
                Some(result) => Ok(result.take()),
                None => bail!("`{method}` failed: {line}"),
            };
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        self.input.write_all(format!("{message}\n").as_bytes())?;
        self.input.flush()?;
        Ok(())
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The memory that it holds now.
    pub(super) fn resident_bytes(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kibibytes: u64 = kibibytes.context("no `VmRSS` in the status")?.parse()?;
        Ok(kibibytes * 1024)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Nothing is lost when it is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
