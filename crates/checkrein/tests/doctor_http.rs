//! The doctor in front of an upstream at a URL, in both eras.

#![expect(clippy::disallowed_types, reason = "a test writes its own bytes, and blocks no runtime")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

#[derive(Clone, Copy, PartialEq)]
enum Era {
    Legacy,
    Modern,
    /// Legacy, and asks for a token.
    Locked,
}

/// First line and method of each request.
type Log = Arc<Mutex<Vec<String>>>;

fn upstream(era: Era) -> (SocketAddr, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let log = Log::default();
    let asked = Arc::clone(&log);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            serve(stream.unwrap(), era, &asked);
        }
    });
    (address, log)
}

fn serve(stream: TcpStream, era: Era, log: &Log) {
    let mut reader = BufReader::new(stream);
    let (mut first, mut head) = (String::new(), String::new());
    reader.read_line(&mut first).unwrap();
    while !head.ends_with("\n\r\n") {
        reader.read_line(&mut head).unwrap();
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|it| it.lines().next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let method = body["method"].as_str().unwrap_or_default();
    let verb = first.split(' ').next().unwrap();
    log.lock().unwrap().push(format!("{verb} {method}"));
    let reply = reply(era, verb, method, &head, &body);
    let _ = reader.get_mut().write_all(format!("HTTP/1.1 {reply}").as_bytes());
}

fn reply(era: Era, verb: &str, method: &str, head: &str, body: &Value) -> String {
    let json = |status: &str, fields: &str, frame: Value| {
        let text = frame.to_string();
        let length = text.len();
        format!(
            "{status}\r\nContent-Type: application/json\r\n{fields}Content-Length: {length}\r\n\r\n{text}"
        )
    };
    let result = |result: Value| json!({"jsonrpc": "2.0", "id": body["id"], "result": result});
    if era == Era::Locked && !head.contains("authorization: bearer s3cret\r\n") {
        return "401 Unauthorized\r\nContent-Length: 0\r\n\r\n".to_owned();
    }
    let is_named = head.contains("mcp-protocol-version: 2026-07-28")
        && head.contains(&format!("mcp-method: {method}\r\n"));
    let has_session = head.contains("mcp-session-id: s-1");
    match (era, method) {
        (Era::Modern, "initialize") => {
            let error = json!({"code": -32022, "message": "Unsupported protocol version"});
            let frame = json!({"jsonrpc": "2.0", "id": body["id"], "error": error});
            json("400 Bad Request", "", frame)
        }
        (Era::Modern, "server/discover") if is_named => {
            json("200 OK", "", result(json!({"serverInfo": {"name": "rooms", "version": "2"}})))
        }
        (Era::Modern, "tools/list") if is_named => json("200 OK", "", result(tools(body))),
        (Era::Legacy | Era::Locked, "initialize") => {
            let info = json!({"name": "rooms", "version": "1"});
            let greeting = json!({"protocolVersion": "2025-06-18", "serverInfo": info});
            json("200 OK", "Mcp-Session-Id: s-1\r\n", result(greeting))
        }
        (Era::Legacy | Era::Locked, "tools/list") if has_session => {
            let note = json!({"jsonrpc": "2.0", "method": "notifications/message"});
            let frame = result(tools(body));
            format!(
                "200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {note}\n\ndata: {frame}\n\n"
            )
        }
        (_, "") if verb == "DELETE" && has_session => {
            "204 No Content\r\nContent-Length: 0\r\n\r\n".to_owned()
        }
        (_, "notifications/initialized") if has_session => {
            "202 Accepted\r\nContent-Length: 0\r\n\r\n".to_owned()
        }
        _ => "404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
    }
}

/// Two pages with a tool each.
fn tools(body: &Value) -> Value {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    match body["params"]["cursor"].as_str() {
        None => json!({"tools": [tool("create_booking")], "nextCursor": "2"}),
        Some(_) => json!({"tools": [tool("get_booking")]}),
    }
}

fn doctor(address: SocketAddr, more: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_checkrein"))
        .args(["doctor", "--json", "--upstream-url", &format!("http://{address}/mcp")])
        .args(more)
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("DOCTOR_TEST_TOKEN", "Bearer s3cret")
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn an_upstream_at_a_url_is_asked_in_both_eras_and_no_tool_is_called() {
    for (era, asked) in [
        (
            Era::Legacy,
            &[
                "POST initialize",
                "POST notifications/initialized",
                "POST tools/list",
                "POST tools/list",
                "DELETE ",
            ][..],
        ),
        (
            Era::Modern,
            &["POST initialize", "POST server/discover", "POST tools/list", "POST tools/list"],
        ),
    ] {
        let (address, log) = upstream(era);
        let (status, text) = doctor(address, &[]);
        assert_eq!(status, Some(0), "{text}");
        let sheet: Value = serde_json::from_str(&text).unwrap();
        assert!(sheet["start_ms"].is_number(), "{text}");
        let class = |at: usize| (&sheet["tools"][at]["name"], &sheet["tools"][at]["class"]);
        assert_eq!(class(0), (&json!("create_booking"), &json!("write")), "{text}");
        assert_eq!(class(1), (&json!("get_booking"), &json!("read")), "{text}");
        for told in ["`rooms`", "after it was asked", "\"schemas\""] {
            assert!(text.contains(told), "{told}: {text}");
        }
        assert_eq!(*log.lock().unwrap(), asked);
    }
}

#[test]
fn an_upstream_that_asks_for_a_token_gets_the_added_field() {
    let (address, _) = upstream(Era::Locked);
    let (status, text) = doctor(address, &[]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("401") && text.contains("--upstream-header-env"), "{text}");
    for flags in [
        ["--upstream-header-env", "Authorization=DOCTOR_TEST_TOKEN"],
        ["--upstream-header", "Authorization: Bearer s3cret"],
    ] {
        let (status, text) = doctor(address, &flags);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("create_booking") && !text.contains("s3cret"), "{text}");
    }
}

#[test]
fn nobody_behind_a_url_is_a_problem_with_a_mend() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (status, text) = doctor(free, &[]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("failed to connect") && text.contains("and that it runs"), "{text}");
}
