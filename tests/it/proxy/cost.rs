//! What the proxy costs: calls, time and memory.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use checkrein_testkit::Place;

/// Answers without a thought, so that the proxy is what is measured.
const ECHO: &str = r#"
import re, sys
read, write = sys.stdin.buffer, sys.stdout.buffer
identity = re.compile(rb'"id":("[^"]*"|\d+)')
for line in read:
    found = identity.search(line)
    if not found:
        continue
    result = b'{"content":[]}'
    if b'"tools/list"' in line:
        result = b'{"tools":[{"name":"create_booking","inputSchema":{}}]}'
    write.write(b'{"jsonrpc":"2.0","id":' + found.group(1) + b',"result":' + result + b'}\n')
    write.flush()
"#;

const PIPELINED: usize = 20_000;
const PAIRS: usize = 300;

struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(place: &Place, is_direct: bool) -> Self {
        place.write("echo.py", ECHO);
        let mut command = if is_direct {
            let mut direct = Command::new("python3");
            direct.args(["-ES", "echo.py"]).current_dir(place.path());
            direct
        } else {
            let usual = ["proxy", "--run-dir", "run", "--", "python3", "-ES", "echo.py"];
            place.command(&usual)
        };
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output) }
    }

    fn read(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    /// One call there and back.
    fn call(&mut self, id: usize) -> Duration {
        let frame = call(id);
        let since = Instant::now();
        self.input.write_all(frame.as_bytes()).unwrap();
        let line = self.read();
        let took = since.elapsed();
        assert!(line.contains(&format!("\"id\":{id},")), "{line}");
        took
    }

    /// Its memory in kilobytes: all that is resident, pages of the program's file included, and
    /// what it has allocated itself.
    fn memory_kb(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let field = |name: &str| -> u64 {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        (field("VmRSS"), field("RssAnon"))
    }

    fn leave(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait().unwrap();
    }
}

fn call(id: usize) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"create_booking\",\"arguments\":{{\"n\":{id}}}}}}}\n"
    )
}

#[test]
fn twenty_thousand_pipelined_calls_lose_nothing() {
    let place = Place::new();
    let mut peer = Peer::start(&place, false);
    let mut input = peer.input.try_clone_to();
    let writer = std::thread::spawn(move || {
        for id in 0..PIPELINED {
            input.write_all(call(id).as_bytes()).unwrap();
        }
    });
    for id in 0..PIPELINED {
        let line = peer.read();
        assert!(line.contains(&format!("\"id\":{id},")), "{id}: {line}");
    }
    writer.join().unwrap();
    let (resident, own) = peer.memory_kb();
    println!("resident {resident} kB, of it allocated {own} kB");
    peer.leave();
}

#[test]
#[ignore = "a measurement of the release build; `cargo xtask bench` runs it"]
fn the_added_time_and_the_memory_are_small() {
    let (place, beside) = (Place::new(), Place::new());
    let (mut direct, mut through) = (Peer::start(&beside, true), Peer::start(&place, false));
    for id in 0..100 {
        direct.call(id);
        through.call(id);
    }
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for id in 100..100 + PAIRS {
        without.push(direct.call(id));
        with.push(through.call(id));
    }
    let middle = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let (without, with) = (middle(&mut without), middle(&mut with));
    let (resident, own) = through.memory_kb();
    println!("p50 direct {without:?}, through the proxy {with:?}, added {:?}", with - without);
    println!("resident {resident} kB, of it allocated {own} kB");
    direct.leave();
    through.leave();
    assert!(with - without < Duration::from_micros(100));
    assert!(resident * 1024 < 10_000_000);
}

trait TryCloneTo {
    fn try_clone_to(&self) -> std::fs::File;
}

impl TryCloneTo for ChildStdin {
    /// A second handle, so that one thread can write while another reads.
    fn try_clone_to(&self) -> std::fs::File {
        use std::os::fd::AsFd;
        std::fs::File::from(self.as_fd().try_clone_to_owned().unwrap())
    }
}
