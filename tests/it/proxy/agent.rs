//! A scripted agent in front of a real proxy, and a real upstream behind it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use checkrein_testkit::Place;
use serde_json::{Value, json};

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) const UPSTREAM: &str = include_str!("upstream.py");

/// An agent with its proxy.
pub(super) struct Agent {
    proxy: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Frames that came while another was awaited.
    pub(super) others: Vec<Value>,
    next: u64,
}

/// A place with the upstream in it.
pub(super) fn place() -> Place {
    let place = Place::new();
    place.write("upstream.py", UPSTREAM);
    place
}

/// What the upstream really holds.
pub(super) fn bookings(place: &Place) -> Vec<String> {
    let text = std::fs::read_to_string(place.path().join("bookings")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

pub(super) fn report(place: &Place) -> Value {
    serde_json::from_str(&place.read("report.json")).unwrap()
}

impl Agent {
    /// Starts the proxy with these flags, without a word to it.
    pub(super) fn start(place: &Place, flags: &[&str]) -> Self {
        let usual = ["proxy", "--audit-tools", "off", "--report-file", "report.json"];
        let upstream = ["--", "python3", "-ES", "upstream.py"];
        let run: &[&str] = if flags.contains(&"--run-dir") { &[] } else { &["--run-dir", "run"] };
        let mut proxy = place
            .command(&[&usual, run, flags, &upstream].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(proxy.stdout.take().unwrap());
        let (send, lines) = sync_channel(1024);
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let input = proxy.stdin.take();
        Self { proxy, input, lines, others: Vec::new(), next: 0 }
    }

    /// Starts the proxy and opens a session.
    pub(super) fn greeted(place: &Place, flags: &[&str]) -> Self {
        let mut agent = Self::start(place, flags);
        let client = json!({"name": "scripted", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        agent.request("initialize", hello);
        agent.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    pub(super) fn send(&mut self, frame: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{frame}").unwrap();
    }

    /// Asks without waiting; gives the request's id.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id).unwrap_or_else(|| panic!("no answer to {method}"))
    }

    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The answer to this request, or nothing once the proxy has left or patience ends.
    pub(super) fn answer(&mut self, id: u64) -> Option<Value> {
        self.answer_within(id, PATIENCE)
    }

    pub(super) fn answer_within(&mut self, id: u64, patience: Duration) -> Option<Value> {
        loop {
            let line = self.lines.recv_timeout(patience).ok()?;
            let frame: Value = serde_json::from_str(&line).unwrap();
            if frame["id"] == id && frame.get("method").is_none() {
                return Some(frame);
            }
            self.others.push(frame);
        }
    }

    /// Listens for a while; what comes is kept.
    pub(super) fn listen(&mut self, how_long: Duration) {
        let nobody = u64::MAX;
        let until = Instant::now() + how_long;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            assert_eq!(self.answer_within(nobody, left), None);
        }
    }

    /// Leaves, and gives the proxy's exit status and what else it still said.
    pub(super) fn leave(mut self) -> (Option<i32>, Vec<Value>) {
        drop(self.input.take());
        let status = self.proxy.wait().unwrap().code();
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(2)) {
            self.others.push(serde_json::from_str(&line).unwrap());
        }
        (status, self.others)
    }
}

/// The text of a tool result, or of an error.
pub(super) fn text(answer: &Value) -> String {
    match answer["result"]["content"][0]["text"].as_str() {
        Some(text) => text.to_owned(),
        None => answer["error"]["message"].as_str().unwrap_or_default().to_owned(),
    }
}
