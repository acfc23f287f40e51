//! An agent on pipes in front of an upstream on HTTP, and what is refused.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test writes its own bytes, and blocks no runtime"
)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// A request that came in: its first line, its head in lower case, and its body.
struct Asked {
    first: String,
    head: String,
    body: Value,
}

/// Serves bookings over HTTP, calls by a stream.
fn upstream() -> (SocketAddr, Receiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (log, asked) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let log = log.clone();
            std::thread::spawn(move || serve(stream.unwrap(), &log));
        }
    });
    (address, asked)
}

fn serve(stream: TcpStream, log: &Sender<Asked>) {
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
    let (id, method) = (body["id"].clone(), body["method"].clone());
    let batch = body.as_array().map(|items| {
        let answer = |item: &Value| json!({"jsonrpc": "2.0", "id": item["id"], "result": {}});
        Value::Array(items.iter().map(answer).collect()).to_string()
    });
    let notes = body["params"]["arguments"]["notes"].clone();
    let is_put_off = body["params"]["arguments"]["city"] == PUT_OFF;
    let is_back = head.contains("last-event-id: e1\r\n");
    let _ = log.send(Asked { first: first.clone(), head, body });
    let result = match method.as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {}}),
        "tools/list" => json!({"tools": [{"name": "create_booking", "inputSchema": {
            "properties": {"city": {"type": "string", "x-mcp-header": "City"}}}}]}),
        "tools/call" => {
            json!({"content": [{"type": "text", "text": "two\nlines"}], "notes": notes})
        }
        _ => Value::Null,
    };
    let frame = json!({"jsonrpc": "2.0", "id": id, "result": result});
    let reply = match (first.split(' ').next(), method.as_str()) {
        _ if batch.is_some() => {
            let body = batch.unwrap_or_default();
            let length = body.len();
            format!(
                "200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            )
        }
        (Some("POST"), Some("tools/call")) if is_put_off => {
            let stream = "Content-Type: text/event-stream\r\n\r\nid: e1\nretry: 20\ndata:\n\n";
            format!("200 OK\r\n{stream}")
        }
        (Some("GET"), _) if is_back => {
            let frame = json!({"jsonrpc": "2.0", "id": 7, "result": {"content": []}});
            format!("200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: e2\ndata: {frame}\n\n")
        }
        (Some("POST"), Some("tools/call")) => {
            format!("200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hi\n\ndata: {frame}\n\n")
        }
        (Some("POST"), Some(_)) if !id.is_null() => {
            let body = format!("{frame:#}");
            let length = body.len();
            format!(
                "200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s-1\r\n\
                 Content-Length: {length}\r\n\r\n{body}"
            )
        }
        (Some("GET"), _) => "405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n".to_owned(),
        _ => "202 Accepted\r\nContent-Length: 0\r\n\r\n".to_owned(),
    };
    let _ = reader.get_mut().write_all(format!("HTTP/1.1 {reply}").as_bytes());
}

/// A city whose booking is answered only to who comes back for it; its request has the id 7.
const PUT_OFF: &str = "Alta";

fn proxy(directory: &std::path::Path, arguments: &[&str]) -> Child {
    let report = directory.join("report.json");
    Command::new(env!("CARGO_BIN_EXE_checkrein"))
        .args(["proxy", "--audit-tools", "off", "--run-dir"])
        .arg(directory.join("run"))
        .arg("--report-file")
        .arg(report)
        .args(arguments)
        .env("PROXY_TEST_TOKEN", "Bearer s3cret")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends each message and waits for its answer, then ends the input.
fn converse(mut child: Child, messages: &[Value]) -> (Vec<Value>, Output) {
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut answers = Vec::new();
    for message in messages {
        writeln!(input, "{message}").unwrap();
        if message.get("id").is_some() {
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            answers.push(serde_json::from_str(&line).unwrap());
        }
    }
    drop(input);
    (answers, child.wait_with_output().unwrap())
}

fn call(id: u64, meta: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": "create_booking", "arguments": {"city": "Tromsø"}, "_meta": meta}})
}

fn verdict(directory: &std::path::Path) -> Value {
    let report = std::fs::read(directory.join("report.json")).unwrap();
    serde_json::from_slice::<Value>(&report).unwrap()["verdict"].clone()
}

fn directory(name: &str) -> std::path::PathBuf {
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn an_agent_on_pipes_has_a_session_on_http() {
    let (address, log) = upstream();
    let directory = directory("pipes-legacy");
    let url = format!("http://{address}/mcp");
    let arguments = ["--upstream-url", &url, "--scenario", "F1", "--allow-writes"];
    let (answers, ended) = converse(
        proxy(&directory, &arguments),
        &[
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            call(1, &json!({})),
            call(2, &json!({})),
        ],
    );
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answers[1]["result"]["isError"], true);
    assert_eq!(answers[2]["result"]["content"][0]["text"], "two\nlines");
    assert_eq!(verdict(&directory), "FAIL");
    let asked: Vec<_> = std::iter::from_fn(|| log.recv_timeout(Duration::from_millis(200)).ok())
        .filter(|asked| asked.body["method"] != "initialize")
        .collect();
    assert!(asked.iter().all(|asked| asked.head.contains("mcp-session-id: s-1")));
    assert!(asked.iter().all(|asked| asked.head.contains("mcp-protocol-version: 2025-06-18")));
    assert!(asked.iter().any(|asked| asked.first.starts_with("GET /mcp ")));
    assert!(asked.iter().any(|asked| asked.first.starts_with("DELETE /mcp ")));
}

#[test]
fn a_batch_of_an_agent_on_pipes_is_answered_and_counted() {
    let (address, _log) = upstream();
    let directory = directory("pipes-batch");
    let url = format!("http://{address}/mcp");
    let mut child = proxy(&directory, &["--upstream-url", &url]);
    let (mut input, mut output) =
        (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut ask = |message: Value| {
        writeln!(input, "{message}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    ask(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}));
    ask(call(1, &json!({})));
    let answers = ask(json!([call(2, &json!({})), call(3, &json!({}))]));
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(2), &json!(3)));
    drop(input);
    assert!(child.wait().unwrap().success());
    assert_eq!(verdict(&directory), "FAIL");
}

#[test]
fn an_answer_that_was_put_off_is_come_back_for_and_not_asked_for_twice() {
    let (address, log) = upstream();
    let directory = directory("pipes-put-off");
    let url = format!("http://{address}/mcp");
    let mut put_off = call(7, &json!({}));
    put_off["params"]["arguments"]["city"] = json!(PUT_OFF);
    let (answers, ended) = converse(
        proxy(&directory, &["--upstream-url", &url]),
        &[
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            put_off,
        ],
    );
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(answers[1], json!({"jsonrpc": "2.0", "id": 7, "result": {"content": []}}));
    assert_eq!(verdict(&directory), "PASS");
    let asked: Vec<_> =
        std::iter::from_fn(|| log.recv_timeout(Duration::from_millis(200)).ok()).collect();
    let calls = asked.iter().filter(|it| it.body["method"] == "tools/call").count();
    let backs: Vec<_> =
        asked.iter().filter(|it| it.head.contains("last-event-id: e1\r\n")).collect();
    assert_eq!((calls, backs.len()), (1, 1));
    assert!(backs[0].head.contains("mcp-session-id: s-1") && backs[0].first.starts_with("GET "));
}

#[test]
fn a_dripping_answer_reaches_an_agent_on_pipes_whole_and_before_what_follows() {
    let (address, _log) = upstream();
    let directory = directory("pipes-drip");
    let url = format!("http://{address}/mcp");
    let arguments = ["--upstream-url", &url, "--scenario", "slow-drip", "--allow-writes"];
    let (answers, ended) = converse(
        proxy(&directory, &arguments),
        &[
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            call(1, &json!({})),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        ],
    );
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(answers[1]["result"]["content"][0]["text"], "two\nlines");
    assert_eq!(answers[2]["id"], 2);
    assert_eq!(verdict(&directory), "PASS");
}

#[test]
fn a_newer_agent_on_pipes_has_its_fields_on_http() {
    let (address, log) = upstream();
    let directory = directory("pipes-modern");
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    let url = format!("http://{address}/mcp");
    let list =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let (answers, _) =
        converse(proxy(&directory, &["--upstream-url", &url]), &[list, call(2, &meta)]);
    assert_eq!(answers.len(), 2);
    assert_eq!(verdict(&directory), "PASS");
    let asked: Vec<_> =
        std::iter::from_fn(|| log.recv_timeout(Duration::from_millis(200)).ok()).collect();
    let call = asked.iter().find(|asked| asked.body["method"] == "tools/call").unwrap();
    for field in [
        "mcp-protocol-version: 2026-07-28",
        "mcp-method: tools/call",
        "mcp-name: create_booking",
        "mcp-param-city: =?base64?vhjvbxpdua==?=",
    ] {
        assert!(call.head.contains(field), "{field} is not in {}", call.head);
    }
}

#[test]
fn added_fields_are_on_each_request_and_their_values_nowhere_else() {
    let (address, log) = upstream();
    let directory = directory("added-fields");
    let url = format!("http://{address}/mcp");
    let flags = ["--upstream-header", "X-Tenant: a:b", "--upstream-header-env"];
    let arguments = [&["--upstream-url", &url], &flags[..], &["authorization=PROXY_TEST_TOKEN"]];
    let (answers, ended) = converse(
        proxy(&directory, &arguments.concat()),
        &[
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            call(1, &json!({})),
        ],
    );
    assert_eq!(answers.len(), 2);
    let asked: Vec<_> =
        std::iter::from_fn(|| log.recv_timeout(Duration::from_millis(200)).ok()).collect();
    assert!(asked.len() >= 5 && asked.iter().any(|it| it.first.starts_with("DELETE")));
    for asked in asked {
        for field in ["x-tenant: a:b\r\n", "authorization: bearer s3cret\r\n"] {
            assert_eq!(asked.head.matches(field).count(), 1, "{}{}", asked.first, asked.head);
        }
    }
    assert!(!String::from_utf8(ended.stderr).unwrap().contains("s3cret"));
    for file in std::fs::read_dir(directory.join("run")).unwrap() {
        let text = std::fs::read(file.unwrap().path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&text).contains("s3cret"));
    }
    assert!(!std::fs::read_to_string(directory.join("report.json")).unwrap().contains("s3cret"));
}

#[test]
fn an_added_field_that_makes_no_sense_is_refused_without_its_value() {
    let directory = directory("added-fields-refused");
    let url = ["--upstream-url", "http://127.0.0.1:9/"];
    for (flags, why) in [
        (&["--upstream-header", "s3cret"][..], "no `:`"),
        (&["--upstream-header", ": s3cret"], "no name of a header field"),
        (&["--upstream-header", "s3cret s3cret: x"], "no name of a header field"),
        (&["--upstream-header", "Host: s3cret"], "`host` is about the connection"),
        (&["--upstream-header", "MCP-Session-Id: s3cret"], "belongs to the protocol"),
        (&["--upstream-header", "X-A:"], "the value of `x-a` is empty"),
        (&["--upstream-header", "X-A: 1", "--upstream-header", "x-a: 2"], "given twice"),
        (&["--upstream-header-env", "Bearer s3cret"], "names no variable"),
        (&["--upstream-header-env", "X-A=NO_SUCH_VARIABLE"], "`NO_SUCH_VARIABLE` is not set"),
        (&["--upstream-header-env", ""], "--upstream-header-env"),
    ] {
        let (_, ended) = converse(proxy(&directory, &[&url, flags].concat()), &[]);
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{flags:?}: {stderr}");
        assert!(stderr.contains(why) && !stderr.contains("s3cret"), "{flags:?}: {stderr}");
    }
    let flags = ["--upstream-header", "X-A: 1", "--", "sh"];
    let (_, ended) = converse(proxy(&directory, &flags), &[]);
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(stderr.contains("goes with --upstream-url only"), "{stderr}");
}

#[test]
fn a_large_line_passes_both_ways() {
    let (address, _log) = upstream();
    let directory = directory("pipes-large");
    let url = format!("http://{address}/mcp");
    let mut call = call(1, &json!({}));
    call["params"]["arguments"]["notes"] = json!("n".repeat(16 << 20));
    let (answers, _) = converse(proxy(&directory, &["--upstream-url", &url]), &[call.clone()]);
    assert!(answers[0]["result"]["notes"] == call["params"]["arguments"]["notes"]);
    assert_eq!(verdict(&directory), "PASS");
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_starts() {
    let directory = directory("refusals");
    for (arguments, why) in [
        (&["--upstream-url", "ftp://x/"][..], "no scheme"),
        (&["--upstream-url", "http://127.0.0.1:9/", "--", "sh"], "named twice"),
        (&["--listen", "example.com:1", "--", "sh"], "no address"),
        (
            &["--scenario", "F1", "--shape", "status", "--allow-writes", "--", "sh"],
            "F1 has no shape `status` on stdio: it has `soft`, `error`, `silence`, `close`",
        ),
        (
            &[
                "--listen",
                "0",
                "--scenario",
                "F1",
                "--shape",
                "close",
                "--allow-writes",
                "--",
                "sh",
            ],
            "no shape `close` on HTTP",
        ),
    ] {
        let (_, ended) = converse(proxy(&directory, arguments), &[]);
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains(why), "{arguments:?}: {stderr}");
    }
}
