//! The relay over HTTP: bytes, streams, shapes, sessions.

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

mod exchanges;
mod faults;
mod lanes;
mod large;
mod sessions;
mod stage;
mod subscriptions;

use std::io::{ErrorKind, Read};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use checkrein_chaos::Shape;
use checkrein_chaos::http::{Address, To};
use checkrein_chaos::stdio::Command;
use checkrein_verdict::Verdict;
use stage::{
    JSON, Message, answer, begin_stream, bookings, create, read, read_chunk, read_head, stage,
    stage_before, write_chunk,
};

const LEGACY: &[&str] = &["MCP-Protocol-Version: 2025-11-25", "Mcp-Session-Id: s1"];
const OTHER: &[&str] = &["MCP-Protocol-Version: 2025-11-25", "Mcp-Session-Id: s2"];
const MODERN: &[&str] =
    &["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: create_booking"];

fn address(upstream: std::net::SocketAddr) -> Address {
    Address::read(&format!("http://{upstream}/mcp")).unwrap()
}

#[test]
fn a_request_and_its_answer_pass_as_they_came() {
    let odd = "{ \"jsonrpc\":\"2.0\", \"id\" : 1e400, \"method\":\"x/unknown\" ,\"z\":0.10 }\r\n";
    let reply = "{\"id\": 1e400 ,\"jsonrpc\":\"2.0\",\"result\":{\"a\" : 1.0}}\n";
    for fields in [LEGACY, MODERN] {
        let stage = stage(None, move |_, stream| {
            answer(stream, "203 Fine", "Content-Type: application/json\r\nX-One: 1\r\n", reply);
        });
        let with_hop = [fields, &["X-Mine: a, b", "Connection: X-Hop", "X-Hop: 1"]].concat();
        let mut stream = stage.send("POST", "/mcp?a=%20b", &with_hop, odd.as_bytes());
        let got = read(&mut stream).unwrap();
        assert_eq!((got.status(), got.body.as_slice()), (203, reply.as_bytes()));
        assert_eq!(got.headers["x-one"], "1");
        assert!(!got.headers.contains_key("date"), "{got:?}");
        let asked = stage.log.lock().unwrap()[0].clone();
        assert_eq!(asked.first, "POST /mcp?a=%20b HTTP/1.1");
        assert_eq!(asked.body, odd.as_bytes());
        assert_eq!(asked.headers["host"], stage.upstream.to_string());
        assert_eq!(asked.headers["x-mine"], "a, b");
        assert!(!asked.headers.contains_key("x-hop"), "{asked:?}");
        for field in fields {
            let (name, value) = field.split_once(": ").unwrap();
            assert_eq!(asked.headers[&name.to_lowercase()], value);
        }
    }
}

#[test]
fn an_added_field_takes_the_place_of_the_agents() {
    let (address, log) = stage::upstream(std::sync::Arc::new(bookings(false)));
    let mut to = self::address(address);
    to.add_header("Authorization", "Bearer proxy").unwrap();
    let stage = stage_before(None, To::Url(to), address, log);
    let fields = [MODERN, &["Authorization: Bearer agent", "AUTHORIZATION: Bearer two"]].concat();
    assert_eq!(stage.ask(&fields, &create(1)).unwrap().status(), 200);
    assert_eq!(stage.log.lock().unwrap()[0].headers["authorization"], "Bearer proxy");
}

#[test]
fn notifications_and_the_end_of_a_session_pass() {
    let stage = stage(None, |asked, stream| match asked.first.starts_with("DELETE") {
        true => answer(stream, "204 No Content", "", ""),
        false => answer(stream, "202 Accepted", "", ""),
    });
    let note = r#"{"jsonrpc":"2.0","method":"notifications/odd"}"#;
    let got = stage.ask(LEGACY, note).unwrap();
    assert_eq!((got.status(), got.body.len()), (202, 0));
    let got = read(&mut stage.send("DELETE", "/mcp", LEGACY, b"")).unwrap();
    assert_eq!(got.status(), 204);
    assert_eq!(stage.log.lock().unwrap()[1].headers["mcp-session-id"], "s1");
}

#[test]
fn a_stream_passes_event_by_event() {
    let first =
        ": hi\n\nid: 4\nretry: 9\nevent: message\ndata: {\"method\":\"notifications/x\"}\n\n";
    let last = "id: 5\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n";
    let (go_on, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let stage = stage(None, move |_, stream| {
        begin_stream(stream);
        write_chunk(stream, first);
        wait.lock().unwrap().recv().unwrap();
        write_chunk(stream, last);
        write_chunk(stream, "");
    });
    for (method, body) in [("POST", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), ("GET", "")] {
        let mut stream = stage.send(method, "/mcp", LEGACY, body.as_bytes());
        let mut got = Vec::new();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(String::from_utf8_lossy(&head).to_lowercase().contains("x-accel-buffering: no"));
        // The upstream says no more until this much has arrived.
        while got.len() < first.len() {
            got.extend(read_chunk(&mut stream).unwrap().unwrap());
        }
        go_on.send(()).unwrap();
        while let Some(chunk) = read_chunk(&mut stream).unwrap() {
            got.extend(chunk);
        }
        assert_eq!(String::from_utf8(got).unwrap(), [first, last].concat());
    }
}

/// Plays a scenario on one write, and gives what the agent got and the log.
fn struck(name: &str, shape: Shape, is_stream: bool) -> (std::io::Result<Message>, usize, Verdict) {
    let stage = stage(Some((name, shape)), bookings(is_stream));
    let got = stage.ask(LEGACY, &create(1));
    let calls = |log: &stage::Log| {
        log.lock().unwrap().iter().filter(|asked| asked.method() == "tools/call").count()
    };
    let executed = calls(&stage.log);
    // A lost session is no more.
    let again = if name == "session-lost" { OTHER } else { LEGACY };
    assert_eq!(stage.ask(again, &create(2)).unwrap().status(), 200);
    assert_eq!(calls(&stage.log), executed + 1);
    (got, executed, stage.verdict().verdict)
}

#[test]
fn a_ghost_write_has_every_shape_and_its_repeat_is_a_duplicate() {
    for is_stream in [false, true] {
        let text = |message: &Message| String::from_utf8_lossy(&message.body).into_owned();
        let (got, executed, verdict) = struck("F1", Shape::Soft, is_stream);
        assert_eq!((executed, verdict), (1, Verdict::Fail));
        let soft = text(&got.unwrap());
        assert!(soft.contains("timed out") && !soft.contains("B-1"), "{soft}");
        assert_eq!(soft.contains("id: 7"), is_stream);

        let (got, executed, verdict) = struck("F1", Shape::Error, is_stream);
        assert_eq!((executed, verdict), (1, Verdict::Fail));
        assert!(text(&got.unwrap()).contains("-32001"));

        let (got, executed, verdict) = struck("F1", Shape::Status, is_stream);
        assert_eq!((executed, verdict), (1, Verdict::Fail));
        assert_eq!(got.unwrap().status(), 504);

        let (got, executed, verdict) = struck("F1", Shape::CutBody, is_stream);
        assert_eq!((executed, verdict), (1, Verdict::Fail));
        let got = got.unwrap();
        assert_eq!(got.status(), 200);
        assert!(serde_json::from_slice::<serde_json::Value>(&got.body).is_err());

        let (got, executed, verdict) = struck("F1", Shape::CutStream, is_stream);
        assert_eq!((executed, verdict), (1, Verdict::Fail));
        let got = got.unwrap();
        assert_eq!(got.headers["content-type"], "text/event-stream");
        assert!(!text(&got).contains("data"));

        let (got, executed, verdict) = struck("F1", Shape::Reset, is_stream);
        assert_eq!((executed, verdict), (1, Verdict::Fail));
        assert_eq!(got.unwrap_err().kind(), ErrorKind::ConnectionReset);
    }
}

#[test]
fn a_silenced_answer_never_comes() {
    for is_stream in [false, true] {
        let stage = stage(Some(("F1", Shape::Silence)), bookings(is_stream));
        let mut stream = stage.send("POST", "/mcp", LEGACY, create(1).as_bytes());
        stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        let silent = loop {
            // The head of a stream may come, and no more.
            let mut byte = [0];
            match stream.read(&mut byte) {
                Ok(0) => break false,
                Ok(_) => {}
                Err(error) => break error.kind() == ErrorKind::WouldBlock,
            }
        };
        assert!(silent);
        drop(stream);
        assert_eq!(stage.verdict().verdict, Verdict::Pass);
    }
}

#[test]
fn refusals_have_a_status_with_what_belongs_to_it() {
    for (name, status, field, executed) in [
        ("F2", 429, Some(("retry-after", "60")), 0),
        ("F5", 500, None, 0),
        ("unavailable", 503, Some(("retry-after", "GMT")), 0),
        ("auth-lost", 401, Some(("www-authenticate", "Bearer error=\"invalid_token\"")), 1),
        ("session-lost", 404, None, 1),
    ] {
        let (got, sent, verdict) = struck(name, Shape::Status, false);
        let got = got.unwrap();
        assert_eq!((got.status(), sent), (status, executed), "{name}");
        if let Some((field, value)) = field {
            assert!(got.headers[field].contains(value), "{name}: {got:?}");
        }
        // The test repeats the write at once.
        let expected = if name == "F5" { Verdict::Pass } else { Verdict::Fail };
        assert_eq!(verdict, expected, "{name}");
    }
}

#[test]
fn a_cut_answer_is_not_executed() {
    let (got, executed, verdict) = struck("F3", Shape::CutBody, false);
    assert!(serde_json::from_slice::<serde_json::Value>(&got.unwrap().body).is_err());
    assert_eq!((executed, verdict), (0, Verdict::Pass));
}

#[test]
fn an_agent_that_leaves_is_gone_for_the_upstream_too() {
    let (seen, left) = mpsc::channel();
    let seen = Mutex::new(seen);
    let stage = stage(None, move |asked, stream| {
        if asked.method() == "tools/call" {
            let mut byte = [0];
            seen.lock().unwrap().send("here").unwrap();
            let end = stream.read(&mut byte);
            let end = if matches!(end, Ok(0) | Err(_)) { "gone" } else { "more" };
            seen.lock().unwrap().send(end).unwrap();
        } else {
            bookings(false)(asked, stream);
        }
    });
    let stream = stage.send("POST", "/mcp", MODERN, create(1).as_bytes());
    assert_eq!(left.recv_timeout(Duration::from_secs(10)), Ok("here"));
    drop(stream);
    assert_eq!(left.recv_timeout(Duration::from_secs(10)), Ok("gone"));
    assert_eq!(stage.verdict().verdict, Verdict::NotTested);
}

#[test]
fn an_older_agent_that_leaves_has_not_cancelled_and_the_late_answer_counts() {
    let (go_on, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let (done, answered) = mpsc::channel();
    let done = Mutex::new(done);
    let stage = stage(None, move |asked, stream| {
        let is_first = asked.json()["id"] == 1;
        if is_first {
            wait.lock().unwrap().recv().unwrap();
        }
        bookings(false)(asked, stream);
        if is_first {
            done.lock().unwrap().send(()).unwrap();
        }
    });
    let mut stream = stage.send("POST", "/mcp", LEGACY, create(1).as_bytes());
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert!(stream.read(&mut [0]).is_err());
    drop(stream);
    go_on.send(()).unwrap();
    answered.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!(stage.ask(LEGACY, &create(2)).unwrap().status(), 200);
    assert_eq!(stage.verdict().verdict, Verdict::Fail);
}

#[test]
fn two_sessions_with_the_same_id_in_flight_get_their_own_answers() {
    let (go_on, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let stage = stage(None, move |asked, stream| {
        if asked.method() != "tools/call" {
            return bookings(false)(asked, stream);
        }
        let session = &asked.headers["mcp-session-id"];
        if session == "one" {
            wait.lock().unwrap().recv().unwrap();
        }
        let frame =
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[],"s":"{session}"}}}}"#);
        answer(stream, "200 OK", JSON, &frame);
    });
    let mut one = stage.send("POST", "/mcp", &["Mcp-Session-Id: one"], create(1).as_bytes());
    let other = stage.ask(&["Mcp-Session-Id: two"], &create(1)).unwrap();
    assert_eq!(other.json()["result"]["s"], "two");
    go_on.send(()).unwrap();
    assert_eq!(read(&mut one).unwrap().json()["result"]["s"], "one");
}

/// Reads a head and gives its status.
/// An MCP server on pipes; its answers name its process.
const CHILD: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) r='{"protocolVersion":"2025-11-25"}' ;;
    *tools/list*) r='{"tools":[{"name":"create_booking","inputSchema":{"type":"object"}}]}' ;;
    *notifications/mute*) exec sleep 60 ;;
    '['*)
      for id in $(printf '%s' "$line" | grep -o '"id":[0-9]*' | cut -d: -f2); do
        printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}\n' "$id"
      done
      continue ;;
    *tools/call*)
      echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
      r='{"content":[],"process":'$$'}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
"#;

fn before_pipes(scenario: Option<(&str, Shape)>) -> stage::Stage {
    let command = Command {
        program: "sh".into(),
        arguments: vec!["-c".into(), CHILD.into()],
        ..Command::default()
    };
    let nowhere = ([127, 0, 0, 1], 9).into();
    stage_before(scenario, To::Command(command), nowhere, stage::Log::default())
}

/// Opens a session, and gives the field that names it.
fn open_session(stage: &stage::Stage) -> String {
    let opening = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    let got = stage.ask(&[], opening).unwrap();
    assert_eq!(got.json()["result"]["protocolVersion"], "2025-11-25");
    let session = format!("Mcp-Session-Id: {}", got.headers["mcp-session-id"]);
    let opened = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(stage.ask(&[&session], opened).unwrap().status(), 202);
    session
}

#[test]
fn a_server_on_pipes_has_a_process_for_each_session() {
    let stage = before_pipes(None);
    let process = |session: &str| {
        let got = stage.ask(&[session], &create(1)).unwrap();
        assert_eq!(got.headers["content-type"], "text/event-stream");
        let text = String::from_utf8(got.body).unwrap();
        let events: Vec<_> = text.lines().filter_map(|it| it.strip_prefix("data: ")).collect();
        assert!(events[0].contains("notifications/message"), "{text}");
        let answer: serde_json::Value = serde_json::from_str(events[1]).unwrap();
        answer["result"]["process"].as_u64().unwrap()
    };
    let (one, other) = (open_session(&stage), open_session(&stage));
    assert_ne!(process(&one), process(&other));
    assert_eq!(process(&one), process(&one));
    assert_eq!(read(&mut stage.send("DELETE", "/mcp", &[&one], b"")).unwrap().status(), 200);
    assert_eq!(stage.ask(&[&one], &create(2)).unwrap().status(), 404);
    assert_eq!(stage.ask(&[], &create(2)).unwrap().status(), 400);
}

#[test]
fn many_requests_before_a_server_on_pipes_leave_nothing_behind() {
    let stage = before_pipes(None);
    let session = open_session(&stage);
    let list = r#"{"jsonrpc":"2.0","id":5,"method":"tools/list"}"#;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/odd"}"#;
    for _ in 0..1500 {
        assert_eq!(stage.ask(&[&session], note).unwrap().status(), 202);
    }
    for _ in 0..700 {
        assert_eq!(stage.ask(&[&session], list).unwrap().status(), 200);
    }
}

#[test]
fn faults_strike_before_a_server_on_pipes_too() {
    let stage = before_pipes(Some(("F1", Shape::Status)));
    let session = open_session(&stage);
    assert_eq!(stage.ask(&[&session], &create(1)).unwrap().status(), 504);
    assert_eq!(stage.ask(&[&session], &create(2)).unwrap().status(), 200);
    assert_eq!(stage.verdict().verdict, Verdict::Fail);
}

#[test]
fn a_page_of_another_origin_is_turned_away() {
    let stage = stage(None, bookings(false));
    let got = stage.ask(&["Origin: http://evil.example"], &create(1)).unwrap();
    assert_eq!(got.status(), 403);
    assert!(stage.log.lock().unwrap().is_empty());
}
