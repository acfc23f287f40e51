//! A proxy between a scripted upstream and an agent that writes its own bytes.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use checkrein_chaos::http::{self, Address, Options, To};
use checkrein_chaos::stdio::{Ending, Reporter, Status};
use checkrein_chaos::{Audit, Config, Plan, Scenario, Shape};
use checkrein_ledger::{Entry, Start, Tool};
use checkrein_verdict::{Judgement, Run};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// How long a read may wait before a test calls it silence.
const PATIENCE: Duration = Duration::from_secs(10);

/// A message head and body as they were on the wire.
#[derive(Debug, Clone, Default)]
pub(crate) struct Message {
    pub(crate) first: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Message {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn status(&self) -> u16 {
        self.first.split(' ').nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn method(&self) -> String {
        self.json()["method"].as_str().unwrap_or_default().to_owned()
    }
}

/// Reads one message; the body by its length, in chunks, or up to the end of the connection.
pub(crate) fn read(stream: &mut TcpStream) -> io::Result<Message> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let fields = lines.filter_map(|line| line.split_once(": "));
    let headers: HashMap<String, String> =
        fields.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let mut body = Vec::new();
    if let Some(length) = headers.get("content-length") {
        body.resize(length.parse().unwrap(), 0);
        stream.read_exact(&mut body)?;
    } else if headers.contains_key("transfer-encoding") {
        while let Some(chunk) = read_chunk(stream)? {
            body.extend(chunk);
        }
    }
    Ok(Message { first, headers, body })
}

/// Reads a head and gives its status.
pub(crate) fn read_head(stream: &mut TcpStream) -> u16 {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).split(' ').nth(1).unwrap().parse().unwrap()
}

/// One chunk of a chunked body.
pub(crate) fn read_chunk(stream: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n") {
        stream.read_exact(&mut byte)?;
        line.push(byte[0]);
    }
    let size = usize::from_str_radix(String::from_utf8_lossy(&line).trim(), 16).unwrap();
    let mut chunk = vec![0; size + 2];
    stream.read_exact(&mut chunk)?;
    chunk.truncate(size);
    Ok((size > 0).then_some(chunk))
}

type Script = Arc<dyn Fn(&Message, &mut TcpStream) + Send + Sync>;

/// What the upstream got, without the harness's own look at the tools.
pub(crate) type Log = Arc<Mutex<Vec<Message>>>;

pub(crate) fn upstream(script: Script) -> (SocketAddr, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let log = Log::default();
    let asked = Arc::clone(&log);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, script) = (stream.unwrap(), Arc::clone(&script));
            let asked = Arc::clone(&asked);
            thread::spawn(move || {
                let Ok(message) = read(&mut stream) else { return };
                let is_own = message.json()["id"].as_str().is_some_and(|id| id.contains('-'));
                if !is_own {
                    asked.lock().unwrap().push(message.clone());
                }
                script(&message, &mut stream);
            });
        }
    });
    (address, log)
}

#[derive(Default)]
struct Notes(Run);

impl Reporter for Notes {
    fn update(&mut self, entries: &[Entry], _: Status, _: bool) -> io::Result<()> {
        entries.iter().for_each(|entry| self.0.apply(entry));
        Ok(())
    }

    fn audit(&self, _: Audit) -> String {
        "{}".to_owned()
    }

    fn announce(&mut self, _: &[Tool]) {}
}

/// The running proxy.
pub(crate) struct Stage {
    pub(crate) proxy: SocketAddr,
    pub(crate) upstream: SocketAddr,
    pub(crate) log: Log,
    stop: oneshot::Sender<()>,
    run: JoinHandle<Judgement>,
    _directory: tempfile::TempDir,
}

/// Starts a proxy in front of a scripted upstream.
pub(crate) fn stage(
    scenario: Option<(&str, Shape)>,
    script: impl Fn(&Message, &mut TcpStream) + Send + Sync + 'static,
) -> Stage {
    let (upstream, log) = upstream(Arc::new(script));
    let to = To::Url(Address::read(&format!("http://{upstream}/mcp")).unwrap());
    stage_before(scenario, to, upstream, log)
}

/// Starts a proxy in front of an upstream.
pub(crate) fn stage_before(
    scenario: Option<(&str, Shape)>,
    upstream: To,
    address: SocketAddr,
    log: Log,
) -> Stage {
    let plan = scenario.map_or(Plan::Watch, |(name, shape)| {
        let mut scenario = Scenario::named(name).unwrap();
        assert!(scenario.set_shape(shape), "{name} has no {}", shape.name());
        Plan::Scenario(scenario)
    });
    stage_of(Config { plan, ..Config::default() }, upstream, address, log)
}

/// Starts a proxy that is set up like this in front of an upstream.
pub(crate) fn stage_of(config: Config, upstream: To, address: SocketAddr, log: Log) -> Stage {
    let directory = tempfile::tempdir().unwrap();
    let scenario = match &config.plan {
        Plan::Scenario(scenario) => Some(scenario.name.clone()),
        _ => None,
    };
    let options = Options {
        listen: Some(([127, 0, 0, 1], 0).into()),
        upstream,
        run_dir: directory.path().join("run"),
        config,
        start: Start { scenario, ..Start::default() },
    };
    let (stop, stopped) = oneshot::channel();
    let (told, ready) = mpsc::channel();
    let run = thread::spawn(move || {
        let mut notes = Notes::default();
        let ready = move |address| told.send(address).unwrap();
        let ending = http::run(options, &mut notes, ready, async {
            let _ = stopped.await;
        });
        assert_eq!(ending.unwrap(), Ending::Signal);
        notes.0.judge()
    });
    let proxy = ready.recv_timeout(PATIENCE).unwrap();
    Stage { proxy, upstream: address, log, stop, run, _directory: directory }
}

impl Stage {
    /// Ends the run and gives its verdict.
    pub(crate) fn verdict(self) -> Judgement {
        self.stop.send(()).unwrap();
        self.run.join().unwrap()
    }

    /// Sends a request; the connection stays open.
    pub(crate) fn send(
        &self,
        method: &str,
        target: &str,
        fields: &[&str],
        body: &[u8],
    ) -> TcpStream {
        let mut stream = TcpStream::connect(self.proxy).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{method} {target} HTTP/1.1\r\nHost: {}\r\n", self.proxy);
        for field in fields {
            head.push_str(&format!("{field}\r\n"));
        }
        if method == "POST" {
            head.push_str(&format!(
                "Content-Type: application/json\r\nContent-Length: {}\r\n",
                body.len()
            ));
        }
        stream.write_all(&[head.as_bytes(), b"\r\n", body].concat()).unwrap();
        stream
    }

    pub(crate) fn ask(&self, fields: &[&str], body: &str) -> io::Result<Message> {
        read(&mut self.send("POST", "/mcp", fields, body.as_bytes()))
    }
}

/// Answers with JSON.
pub(crate) fn answer(stream: &mut TcpStream, status: &str, fields: &str, body: &str) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\n\r\n");
    let _ = stream.write_all((head + body).as_bytes());
}

pub(crate) const JSON: &str = "Content-Type: application/json\r\n";

/// Begins a stream of events.
pub(crate) fn begin_stream(stream: &mut TcpStream) {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let _ = stream.write_all(head.as_bytes());
}

pub(crate) fn write_chunk(stream: &mut TcpStream, text: &str) {
    let _ = stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes());
}

/// An upstream with one write tool and one read tool; it answers in JSON or by a stream.
pub(crate) fn bookings(
    is_stream: bool,
) -> impl Fn(&Message, &mut TcpStream) + Send + Sync + 'static {
    move |asked, stream| {
        let message = asked.json();
        let id = &message["id"];
        let result = match asked.method().as_str() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {}}),
            "tools/list" => json!({"tools": [
                {"name": "create_booking", "inputSchema": {"type": "object"}},
                {"name": "get_booking", "inputSchema": {"type": "object"}},
            ]}),
            "tools/call" => json!({"content": [{"type": "text", "text": "B-1"}]}),
            _ => return answer(stream, "202 Accepted", "", ""),
        };
        let frame = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
        if is_stream && asked.method() == "tools/call" {
            begin_stream(stream);
            write_chunk(stream, &format!("event: message\nid: 7\ndata: {frame}\n\n"));
            write_chunk(stream, "");
            return;
        }
        answer(stream, "200 OK", JSON, &frame);
    }
}

/// A call of the write tool.
pub(crate) fn create(id: u64) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "create_booking", "arguments": {"room": 1}}})
    .to_string()
}
