//! A proxy killed at any moment leaves a run that reads, with everything the agent saw in it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use checkrein_ledger::{Damage, Event, Ledger, read};
use checkrein_testkit::Place;
use checkrein_verdict::{Attempt, Run};
use serde_json::{Value, json};

const KILLS: u64 = 100;

/// The most answers that a kill waits for, and the longest it then waits on.
const ANSWERS: u64 = 12;
const AFTER_US: u64 = 4_000;

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Writes down each execution before it answers; that file is the truth.
const UPSTREAM: &str = r#"
import json, os, sys
truth = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
tools = [{"name": "create_booking", "inputSchema": {"type": "object"}}]
for line in sys.stdin:
    call = json.loads(line)
    if "id" not in call:
        continue
    method = call["method"]
    if method == "tools/call":
        os.write(truth, b"%d\n" % call["params"]["arguments"]["n"])
        result = {"content": [{"type": "text", "text": "booked"}]}
    elif method == "tools/list":
        result = {"tools": tools}
    else:
        result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "u", "version": "1"}}
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
"#;

#[test]
fn a_hundred_kills_lose_nothing_that_the_agent_saw() {
    let seed = match std::env::var("SEED") {
        Ok(seed) => seed.parse().expect("SEED is a number"),
        Err(_) => std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as u64,
    };
    println!("SEED={seed}");
    let mut draw = Draw(seed | 1);
    let (mut seen, mut torn, mut early) = (0, 0, 0);
    for kill in 0..KILLS {
        let place = Place::new();
        place.write("upstream.py", UPSTREAM);
        let answers = draw.below(ANSWERS);
        let after = Duration::from_micros(draw.below(AFTER_US));
        let told = run_and_kill(&place, answers, after);
        let check = check(&place, &told);
        seen += told.len();
        torn += usize::from(check.is_torn);
        early += usize::from(told.is_empty());
        carry_on(&place.path().join("run"), kill);
    }
    println!("answers seen: {seen}, torn ledgers: {torn}, killed before any answer: {early}");
    assert!(seen as u64 > KILLS, "the agent got answers before the kills: {seen}");
}

/// Numbers that a seed repeats (xorshift, Marsaglia 2003).
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Calls until there were this many answers, sends some more at once, and kills after a while.
/// Gives every answer that reached the agent, by the number of the booking.
fn run_and_kill(place: &Place, answers: u64, after: Duration) -> HashMap<u64, Value> {
    let mut proxy = start(place);
    let mut agent = proxy.stdin.take().unwrap();
    let lines = lines(&mut proxy);
    let mut told = HashMap::new();
    send(
        &mut agent,
        &json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {}}),
    );
    send(&mut agent, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    for n in 0..answers {
        call(&mut agent, n);
        while !told.contains_key(&n) {
            note(&lines.recv_timeout(PATIENCE).expect("an answer"), &mut told);
        }
    }
    for n in answers..answers + 4 {
        call(&mut agent, n);
    }
    let end = Instant::now() + after;
    while let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        note(&line, &mut told);
    }
    proxy.kill().unwrap();
    proxy.wait().unwrap();
    // What was in the pipe is there for the agent to read, killed proxy or not.
    while let Ok(line) = lines.recv_timeout(PATIENCE) {
        note(&line, &mut told);
    }
    told
}

fn start(place: &Place) -> Child {
    place
        .command(&[
            "proxy",
            "--scenario",
            "F1",
            "--allow-writes",
            "--audit-tools",
            "off",
            "--run-dir",
            "run",
            "--report-file",
            "report.json",
            "--",
            "python3",
            "-ES",
            "upstream.py",
            "truth",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn lines(proxy: &mut Child) -> Receiver<String> {
    let output = proxy.stdout.take().unwrap();
    let (sender, receiver) = sync_channel(256);
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

fn send(agent: &mut ChildStdin, frame: &Value) {
    // A proxy that is gone is what the test is about.
    let _ = writeln!(agent, "{frame}");
    let _ = agent.flush();
}

fn call(agent: &mut ChildStdin, n: u64) {
    let params = json!({"name": "create_booking", "arguments": {"n": n}});
    send(agent, &json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}));
}

/// A line cut by the kill is no answer.
fn note(line: &str, told: &mut HashMap<u64, Value>) {
    let Ok(frame) = serde_json::from_str::<Value>(line) else { return };
    if let Some(n) = frame["id"].as_u64() {
        told.insert(n, frame);
    }
}

struct Check {
    is_torn: bool,
}

/// The ledger reads; each answer and each execution is in it; the report on disk is whole.
fn check(place: &Place, told: &HashMap<u64, Value>) -> Check {
    let truth = std::fs::read_to_string(place.path().join("truth")).unwrap_or_default();
    if !place.path().join("report.json").exists() {
        assert!(told.is_empty() && truth.is_empty(), "the report is there before anything else");
        return Check { is_torn: false };
    }
    let replay = read(&place.path().join("run")).expect("the run directory reads");
    let is_torn = match &replay.damage {
        None => false,
        Some(Damage::Torn { .. }) => true,
        Some(damage) => panic!("a kill leaves at most a torn line: {damage}"),
    };
    let run = Run::replay(&replay.entries);
    let by_id: HashMap<&str, &Attempt> =
        run.in_order().into_iter().map(|it| (it.request_id.as_str(), it)).collect();
    for (n, answer) in told {
        let attempt = by_id.get(n.to_string().as_str());
        let attempt =
            attempt.unwrap_or_else(|| panic!("call {n} is missing; it was told {answer}"));
        assert!(attempt.is_executed(), "call {n}: its execution is missing");
        assert!(attempt.told.is_some(), "call {n}: that the agent was told is missing");
        let is_error = answer["result"]["isError"] == true;
        assert_eq!(attempt.is_ghost(), is_error, "call {n}: {answer}");
    }
    for n in truth.lines() {
        assert!(by_id.get(n).is_some_and(|it| it.forwarded), "execution {n} was never forwarded");
    }
    let report: Value = serde_json::from_str(&place.read("report.json")).expect("a whole report");
    let operations = report["operations"].as_array().unwrap();
    let counted: u64 = operations.iter().filter_map(|it| it["executions"].as_u64()).sum();
    assert!(counted >= told.len() as u64, "the report counts what the agent saw: {report}");
    let shown = place.run(&["report", "run"]);
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    Check { is_torn }
}

/// Another process can go on where the killed one stopped.
fn carry_on(run: &Path, kill: u64) {
    let (mut ledger, before) = Ledger::open(run).unwrap();
    ledger.append(|_| vec![Event::Finished { why: format!("kill {kill}") }]).unwrap();
    let replay = read(run).unwrap();
    assert_eq!(replay.damage, None);
    assert_eq!(replay.entries.len(), before.len() + 1);
}
