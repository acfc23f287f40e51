//! What no fault touches leaves as the very bytes it came in, in both directions.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use checkrein_testkit::Place;

/// Plays the answers to a corpus, line for line, and notes down what it was sent.
const PLAYER: &str = r#"
import sys
answers = [bytes.fromhex(line) for line in open("answers").read().split("\n")]
seen = open("seen", "wb")
at = 0
for line in sys.stdin.buffer:
    if line.startswith(b'{"jsonrpc":"2.0","id":"tools-'):
        own = line.split(b'"')[7]
        tools = b'{"tools":[{"name":"create_booking","inputSchema":{}},{"name":"get_booking","inputSchema":{}}]}'
        sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":"' + own + b'","result":' + tools + b'}\n')
        sys.stdout.buffer.flush()
        continue
    seen.write(line)
    seen.flush()
    sys.stdout.buffer.write(answers[at])
    sys.stdout.buffer.flush()
    at += 1
"#;

const LAST: &str = r#"{"jsonrpc":"2.0","id":"last","result":{}}"#;

/// A frame of the agent, and what the upstream says then.
type Exchange = (Vec<u8>, Vec<u8>);

fn lines(sent: &[u8], answers: &[&[u8]]) -> Exchange {
    let answers = answers.iter().flat_map(|line| [*line, b"\n"].concat()).collect();
    ([sent, b"\n"].concat(), answers)
}

fn call(id: &str, rest: &str) -> Vec<u8> {
    let call = r#""method":"tools/call","params":{"name":"create_booking","arguments":"#;
    format!(r#"{{"jsonrpc":"2.0","id":{id},{call}{rest}}}}}"#).into_bytes()
}

/// Frames of the revisions with sessions, the odd ones among them.
fn session_era() -> Vec<Exchange> {
    let huge = "x".repeat(16 << 20);
    let huge_answer = format!(
        r#"{{"jsonrpc":"2.0","id":"huge","result":{{"content":[{{"type":"text","text":"{huge}"}}]}}}}"#
    );
    vec![
        lines(
            br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"x-y":{"z":[]}},"clientInfo":{"name":"c","version":"1"}}}"#,
            &[b"Server listening", br#"{"id":0,"jsonrpc":"2.0","result":{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"n":1e400}},"serverInfo":{"name":"s"}}}"#],
        ),
        lines(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, &[]),
        lines(&call("1", r#"{ "n" : 123456789012345678901234567890, "x":0.10, "u":"\u00e4\/" }"#), &[br#"{"result" : {"content":[ ],"big":1e400,"f":1.00} ,"id": 1,"jsonrpc":"2.0","later":null}"#]),
        lines(&call("1.50", r#"{}"#), &[br#"{"jsonrpc":"2.0","id":1.50,"result":{"content":[],"isError":true}}"#]),
        lines(&call("1e400", r#"null"#), &[br#"{"jsonrpc":"2.0","id":1e400,"error":{"code":-32603,"message":"x","data":{"a":[1,2]}}}"#]),
        lines(&call(r#""\u0041""#, r#"{"a":1,"a":2}"#), &[br#"{"jsonrpc":"2.0","id":"\u0041","result":{"content":[]}}"#]),
        lines(&call("-0", r#"{"deep":[[[[{}]]]]}"#), &[b"", b"   ", br#"{"jsonrpc":"2.0","id":-0,"result":{"content":[]}}"#]),
        lines(&call("7", r#"{"k":1}"#), &[
            br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1e2,"progress":0.1}}"#,
            br#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"?"}}"#,
            br#"{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}}"#,
            br#"{"jsonrpc":"2.0","id":99,"method":"roots/list"}"#,
        ]),
        lines(br#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"a":1.0}}}"#, &[]),
        lines(br#"{"jsonrpc":"2.0","id":99,"error":{"code":-32601,"message":"no roots"}}"#, &[br#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#]),
        lines(&call("8", r#"{"slow":true}"#), &[]),
        lines(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8,"reason":"x"}}"#, &[br#"{"jsonrpc":"2.0","id":8,"result":{"content":[]}}"#]),
        lines(&call("9", r#"{"a":1}"#), &[]),
        lines(&call("9", r#"{"a":2}"#), &[br#"{"jsonrpc":"2.0","id":9,"result":{"n":1}}"#, br#"{"jsonrpc":"2.0","id":9,"result":{"n":2}}"#]),
        lines(br#"[{"jsonrpc":"2.0","id":10,"method":"ping"},{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"create_booking"}}, 3]"#, &[br#"[{"jsonrpc":"2.0","id":11,"result":{}}, {"jsonrpc":"2.0","id":10,"result":{}}]"#]),
        lines(br#"[]"#, &[br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty"}}"#]),
        lines(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"ping\"}\r", &[b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":{}}\r"]),
        lines(b"this is no JSON \xff\xfe\x00", &[b"\x00\x01\xffneither"]),
        lines(b"{\"jsonrpc\":\"2.0\",\"id\":13,\"method\":\"tools/call\"", &[b"{\"jsonrpc\":\"2.0\",\"id\":13,"]),
        lines(br#"{"jsonrpc":"2.0","id":14,"method":"tools/call","params":[1]}"#, &[br#"{"jsonrpc":"2.0","id":14,"error":{"code":-32602,"message":""}}"#]),
        lines(br#"{"jsonrpc":"2.0","id":15,"method":"x-vendor/do","params":{"a":{"b":"c"}},"extra":[true]}"#, &[br#"{"jsonrpc":"2.0","id":15,"result":"text"}"#]),
        lines(br#"{"jsonrpc":"2.0","id":16,"method":"tools\/call","params":{"name":"create_booking"}}"#, &[br#"{"jsonrpc":"2.0","id":16,"result":null}"#]),
        lines(br#"{"jsonrpc":"2.0","id":17,"method":"tools/list","params":{}}"#, &[br#"{"jsonrpc":"2.0","id":17,"result":{"tools":[{"name":"create_booking","x":1e-400}],"nextCursor":"c"}}"#]),
        lines(&call(r#""huge""#, &format!(r#"{{"text":"{huge}"}}"#)), &[huge_answer.as_bytes()]),
        lines(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#, &[LAST.as_bytes()]),
    ]
}

/// Frames of the revision without sessions.
fn stateless_era() -> Vec<Exchange> {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"x":1.0,"progressToken":18446744073709551616}"#;
    let call = |id: &str, rest: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"create_booking",{rest}{meta}}}}}"#).into_bytes()
    };
    vec![
        lines(format!(r#"{{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{{{meta}}}}}"#).as_bytes(), &[br#"{"jsonrpc":"2.0","id":"d","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"ttlMs":0}}"#]),
        lines(&call("1", r#""arguments":{"a":1},"#), &[br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"q":{}},"requestState":"s=="}}"#]),
        lines(&call("2", r#""arguments":{"a":1},"inputResponses":{"q":{}},"requestState":"s==","#), &[br#"{"jsonrpc":"2.0","id":2,"result":{"content":[],"resultType":"complete","cacheScope":"private"}}"#]),
        lines(&call("3", ""), &[br#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"task","task":{"taskId":"t","status":"working"}}}"#]),
        lines(br#"{"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"t"}}"#, &[br#"{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","taskId":"t","status":"completed","result":{"content":[]}}}"#]),
        lines(br#"{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{}}"#, &[
            br#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}"#,
        ]),
        lines(&call("6", r#""arguments":{"a":2},"#), &[br#"{"jsonrpc":"2.0","id":6,"error":{"code":-32020,"message":"header mismatch","data":{}}}"#]),
        lines(&call("7", r#""arguments":{"a":3},"#), &[br#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"resultType":"x-new"}}"#]),
        lines(br#"{"jsonrpc":"2.0","id":"last","method":"x"}"#, &[LAST.as_bytes()]),
    ]
}

/// What each side saw.
#[derive(PartialEq)]
struct Seen {
    by_agent: Vec<u8>,
    by_upstream: Vec<u8>,
}

fn play(corpus: &[Exchange], flags: Option<&[&str]>) -> Seen {
    let place = Place::new();
    place.write("player.py", PLAYER);
    let mut answers = String::new();
    for (_, answer) in corpus {
        answer.iter().for_each(|byte| write!(answers, "{byte:02x}").unwrap());
        answers.push('\n');
    }
    place.write("answers", &answers);
    let upstream = ["python3", "-ES", "player.py"];
    let mut command = match flags {
        Some(flags) => {
            let usual = ["proxy", "--run-dir", "run", "--audit-tools", "off"];
            place.command(&[&usual, flags, &["--"], &upstream].concat())
        }
        None => {
            let mut direct = Command::new(upstream[0]);
            direct.args(&upstream[1..]).current_dir(place.path());
            direct
        }
    };
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let sent: Vec<u8> = corpus.iter().flat_map(|(frame, _)| frame.clone()).collect();
    let writer = std::thread::spawn(move || {
        input.write_all(&sent).unwrap();
        input
    });
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut by_agent = Vec::new();
    while !by_agent.ends_with(format!("{LAST}\n").as_bytes()) {
        assert!(output.read_until(b'\n', &mut by_agent).unwrap() > 0, "it ended too early");
    }
    drop(writer.join().unwrap());
    assert!(child.wait().unwrap().success());
    let by_upstream = std::fs::read(place.path().join("seen")).unwrap();
    Seen { by_agent, by_upstream }
}

#[test]
fn both_eras_pass_byte_for_byte_with_and_without_a_plan() {
    for (era, corpus) in [("sessions", session_era()), ("stateless", stateless_era())] {
        let direct = play(&corpus, None);
        assert!(direct.by_agent.len() > 500 && direct.by_upstream.len() > 500);
        for flags in [
            &[][..],
            &["--mode", "chaos", "--error-rate", "0"],
            &["--scenario", "lost-task-handle", "--allow-writes", "--write-tools", "none"],
        ] {
            let through = play(&corpus, Some(flags));
            assert!(through.by_upstream == direct.by_upstream, "{era} {flags:?}: to the upstream");
            assert!(through.by_agent == direct.by_agent, "{era} {flags:?}: to the agent");
        }
    }
}
