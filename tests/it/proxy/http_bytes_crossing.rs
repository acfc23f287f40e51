//! Where one side is on pipes and the other on HTTP, each frame passes byte for byte all the same.

use std::process::Stdio;
use std::time::Duration;

use checkrein_testkit::Place;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use super::http_bytes_corpus::{posted, streamed};
use super::http_bytes_proxy::listening;
use super::http_bytes_stage::{Exchange, ask_once, upstream};

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Answers the n-th line with the n-th answer, notes down what it read, and shows its tools.
const PLAYER: &str = r#"
import sys
answers = open("answers", "rb").read().split(b"\n")
seen = open("seen", "wb")
out = sys.stdout.buffer
at = 0
for line in sys.stdin.buffer:
    if line.startswith(b'{"jsonrpc":"2.0","id":"tools-'):
        own = line.split(b'"')[7]
        out.write(b'{"jsonrpc":"2.0","id":"' + own + b'","result":{"tools":[]}}\n')
    else:
        seen.write(line)
        seen.flush()
        if answers[at]:
            out.write(answers[at] + b"\n")
        at += 1
    out.flush()
"#;

const OPENING: (&str, &str) = (
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"z":1.0},"clientInfo":{"name":"c","version":"1"}}}"#,
    r#"{"id":0 ,"jsonrpc":"2.0","result":{"protocolVersion":"2025-11-25","capabilities":{"n":1e400},"serverInfo":{"name":"s"}}}"#,
);
const OPENED: (&str, &str) = (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "");

/// Frames of any era, and their answers; none where nothing is answered.
const FRAMES: [(&str, &str); 8] = [
    (
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_booking","arguments":{ "n" : 123456789012345678901234567890, "x":0.10, "u":"\u00e4\/ä" }}}"#,
        r#"{"result" : {"content":[ ],"big":1e400,"f":1.00} ,"id": 1,"jsonrpc":"2.0","later":null}"#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":"\u0041","method":"tools\/call","params":{"name":"get_booking","arguments":{"a":1,"a":2}}}"#,
        r#"{"jsonrpc":"2.0","id":"\u0041","result":{"content":[],"isError":true}}"#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":1.50,"method":"x-vendor/do","params":{"a":{"b":"c"}},"extra":[true]}"#,
        r#"{"jsonrpc":"2.0","id":1.50,"result":"text"}"#,
    ),
    (r#"{"jsonrpc":"2.0","method":"notifications/odd","params":{"x":1e-400}}"#, ""),
    (
        r#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1e400,"error":{"code":-32603,"message":"x","data":{"a":[1,2]}}}"#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_booking","_meta":{"x":1.0,"progressToken":18446744073709551616},"inputResponses":{"q":{}},"requestState":"s=="}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"x-new","content":[]}}"#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":""}}"#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"a","x":1e-400}],"nextCursor":"c"}}"#,
    ),
];

const LEGACY: [&str; 2] = ["Content-Type: application/json", "MCP-Protocol-Version: 2025-11-25"];
const MODERN: [&str; 2] = ["Content-Type: application/json", "MCP-Protocol-Version: 2026-07-28"];

fn with_opening() -> Vec<(&'static str, &'static str)> {
    [&[OPENING, OPENED], &FRAMES[..]].concat()
}

#[tokio::test]
async fn an_agent_on_http_and_an_upstream_on_pipes_see_each_others_bytes() {
    for (frames, fields) in [(with_opening(), LEGACY), (FRAMES.to_vec(), MODERN)] {
        let place = Place::new();
        place.write("player.py", PLAYER);
        let answers: Vec<_> = frames.iter().map(|(_, answer)| *answer).collect();
        place.write("answers", &answers.join("\n"));
        let player = place.path().join("player.py");
        let (_proxy, port) =
            listening(&place, &["--", "python3", "-ES", &player.to_string_lossy()]).await;
        let mut session = None;
        for (sent, answer) in &frames {
            let mut fields = fields.map(str::to_owned).to_vec();
            fields.extend(session.iter().map(|id| format!("Mcp-Session-Id: {id}")));
            let got = ask_once(port, &posted(&fields, sent, "")).await;
            let status = if answer.is_empty() { "202" } else { "200" };
            assert!(got.first.starts_with(status), "{sent}: {got:?}");
            assert_eq!(String::from_utf8_lossy(&got.body), **answer, "{sent}");
            let named =
                got.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"));
            session = session.or(named.map(|(_, id)| String::from_utf8(id.clone()).unwrap()));
        }
        assert_eq!(session.is_some(), fields == LEGACY);
        let sent: Vec<_> = frames.iter().map(|(sent, _)| format!("{sent}\n")).collect();
        assert_eq!(place.read("seen"), sent.concat());
    }
}

#[tokio::test]
async fn an_agent_on_pipes_and_an_upstream_on_http_see_each_others_bytes() {
    for is_stream in [false, true] {
        let frames = with_opening();
        let answered = |(sent, answer): &(&str, &str)| match is_stream && !answer.is_empty() {
            true => streamed(sent, answer),
            false => posted(&["Accept: */*".to_owned()], sent, answer),
        };
        let mut corpus: Vec<Exchange> = frames.iter().map(answered).collect();
        // Once the session is open the proxy listens to the upstream for the agent.
        let pushed = r#"{"jsonrpc":"2.0","id":7.0,"method":"roots/list"}"#;
        corpus.insert(2, streamed("", pushed));
        let (port, log) = upstream(corpus).await;
        let place = Place::new();
        let url = format!("http://127.0.0.1:{port}/mcp");
        let flags = ["proxy", "--audit-tools", "off", "--run-dir", "run", "--upstream-url", &url];
        let mut command = Command::from(place.command(&flags));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut proxy = command.kill_on_drop(true).spawn().unwrap();
        let mut input = proxy.stdin.take().unwrap();
        let mut output = BufReader::new(proxy.stdout.take().unwrap());
        for (nth, (sent, answer)) in frames.iter().enumerate() {
            input.write_all(format!("{sent}\n").as_bytes()).await.unwrap();
            let is_opened = nth == 1;
            let expected = if is_opened { pushed } else { answer };
            if !expected.is_empty() {
                let mut got = String::new();
                let read = tokio::time::timeout(PATIENCE, output.read_line(&mut got)).await;
                assert!(read.is_ok(), "no answer to {sent}");
                assert_eq!(got, format!("{expected}\n"), "{sent}");
            }
            // A notification is followed by nothing that an agent could wait for.
            let arrived = tokio::time::timeout(PATIENCE, async {
                while log.lock().unwrap().len() < nth + 1 + usize::from(nth > 0) {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            });
            assert!(arrived.await.is_ok(), "{sent} did not arrive");
        }
        let seen = log.lock().unwrap().clone();
        let bodies = seen.iter().filter(|asked| asked.first.starts_with("POST"));
        let bodies: Vec<_> =
            bodies.map(|it| String::from_utf8_lossy(&it.body).into_owned()).collect();
        assert_eq!(bodies, frames.iter().map(|(sent, _)| (*sent).to_owned()).collect::<Vec<_>>());
    }
}
