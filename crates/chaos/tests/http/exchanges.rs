//! Each answer belongs to the request that it came for, whatever the ids and the streams.

use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use checkrein_chaos::http::To;
use checkrein_chaos::stdio::Command;
use checkrein_chaos::{Config, Probe, Shape};
use checkrein_verdict::Verdict;
use serde_json::{Value, json};

use super::stage::{
    JSON, Message, Stage, answer, begin_stream, bookings, create, read, stage, stage_of,
    write_chunk,
};

const TAKES_STREAM: &str = "Accept: application/json, text/event-stream";

/// Long enough for another request to come in between.
const WHILE: Duration = Duration::from_millis(400);

fn look(id: u64) -> String {
    create(id).replace("create_booking", "get_booking")
}

fn reply(asked: &Message, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": asked.json()["id"], "result": result}).to_string()
}

fn tools() -> Value {
    json!({"tools": [
        {"name": "create_booking", "inputSchema": {"type": "object"}},
        {"name": "get_booking", "inputSchema": {"type": "object"}},
    ]})
}

/// Answers one tool late, by a stream or not.
fn slow(slow_tool: &'static str, is_stream: bool) -> impl Fn(&Message, &mut TcpStream) {
    move |asked, stream| {
        let message = asked.json();
        if asked.method() == "tools/list" {
            return answer(stream, "200 OK", JSON, &reply(asked, &tools()));
        }
        let tool = message["params"]["name"].as_str().unwrap().to_owned();
        if tool == slow_tool {
            std::thread::sleep(WHILE * 2);
        }
        let is_refused = tool == "create_booking" && slow_tool == tool;
        let result = json!({"isError": is_refused, "content": [{"type": "text", "text": tool}]});
        if !is_stream {
            return answer(stream, "200 OK", JSON, &reply(asked, &result));
        }
        begin_stream(stream);
        write_chunk(stream, &format!("data: {}\n\n", reply(asked, &result)));
        write_chunk(stream, "");
    }
}

/// Asks for the slow one, and for the other while it is underway, both under one id.
fn both(stage: &Stage, slow: &str, other: &str) -> (String, String) {
    let mut waiting = stage.send("POST", "/mcp", super::LEGACY, slow.as_bytes());
    std::thread::sleep(WHILE);
    let other = stage.ask(super::LEGACY, other).unwrap();
    let slow = read(&mut waiting).unwrap();
    let text = |it: Message| String::from_utf8(it.body).unwrap();
    (text(slow), text(other))
}

#[test]
fn an_id_used_twice_at_once_settles_no_other_call() {
    for is_stream in [false, true] {
        let stage = stage(None, slow("create_booking", is_stream));
        let (write, read) = both(&stage, &create(1), &look(1));
        assert!(write.contains("\"create_booking\"") && read.contains("\"get_booking\""));
        // The write was refused: the read's answer must not count as its own.
        let judged = stage.verdict();
        let writes: Vec<_> = judged.operations.iter().map(|it| it.executions).collect();
        assert!(writes.iter().all(|times| *times == 0), "{judged:?}");
    }
}

#[test]
fn a_kept_answer_leaves_in_its_own_exchange_where_an_id_is_used_twice() {
    for is_stream in [false, true] {
        let stage = stage(Some(("redelivery", Shape::Soft)), slow("get_booking", is_stream));
        let (read, write) = both(&stage, &look(1), &create(1));
        assert!(write.contains("\"create_booking\""), "{write}");
        assert!(read.contains("\"get_booking\""), "{read}");
        assert_eq!(stage.verdict().verdict, Verdict::Pass);
    }
}

#[test]
fn a_task_is_found_again_without_sessions() {
    let made = AtomicUsize::new(0);
    let stage = stage(None, move |asked, stream| {
        let result = match asked.method().as_str() {
            "tools/list" => tools(),
            "tools/call" => {
                let task = made.fetch_add(1, Ordering::SeqCst).to_string();
                json!({"resultType": "task", "taskId": task, "status": "working"})
            }
            _ => {
                let task = &asked.json()["params"]["taskId"];
                json!({"taskId": task, "status": "completed", "result": {"content": []}})
            }
        };
        answer(stream, "200 OK", JSON, &reply(asked, &result));
    });
    for id in [1, 3] {
        let task = stage.ask(super::MODERN, &create(id)).unwrap().json()["result"].clone();
        let get = json!({"jsonrpc": "2.0", "id": id + 1, "method": "tasks/get",
            "params": {"taskId": task["taskId"]}});
        let fields = [super::MODERN[0], "Mcp-Method: tasks/get"];
        assert_eq!(stage.ask(&fields, &get.to_string()).unwrap().status(), 200);
    }
    assert_eq!(stage.verdict().verdict, Verdict::Fail);
}

/// An MCP server on pipes that answers a batch of the requests 1 and 2 by `$0`.
const BATCHED: &str = r#"
while IFS= read -r line; do
  case "$line" in
    '['*) printf '%b' "$0" ;;
    *tools/list*)
      id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\).*/\1/p')
      printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\n' "$id" ;;
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}' ;;
  esac
done
"#;

#[test]
fn a_batch_is_answered_in_its_own_reply_however_a_process_answers_it() {
    let one = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#;
    let two = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#;
    for lines in [format!("[{two},{one}]\\n"), format!("{two}\\n{one}\\n")] {
        let arguments = vec!["-c".into(), BATCHED.into(), lines.into()];
        let command = Command { program: "sh".into(), arguments, ..Command::default() };
        let nowhere = ([127, 0, 0, 1], 9).into();
        let config = Config::default();
        let stage = stage_of(config, To::Command(command), nowhere, super::stage::Log::default());
        let session = super::open_session(&stage);
        let batch = format!("[{},{}]", create(1), create(2));
        let got = stage.ask(&[&session], &batch).unwrap();
        assert_eq!(got.status(), 200);
        let ids: Vec<_> =
            got.json().as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
        assert_eq!(ids, [2, 1]);
    }
}

/// An MCP server on pipes that answers the write last, and writes down which ids it saw.
const REORDERING: &str = r#"
first=
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) r='{"protocolVersion":"2025-11-25"}' ;;
    *tools/list*) r='{"tools":[{"name":"create_booking","inputSchema":{"type":"object"}},{"name":"get_booking","inputSchema":{"type":"object"}}]}' ;;
    *create_booking*) first=$id; continue ;;
    *notifications/cancelled*) printf '%s\n' "$line" >> "$0"; continue ;;
    *get_booking*) r='{"content":["get"]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
  case "$line" in *get_booking*)
    printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":["create"]}}\n' "$first" ;;
  esac
done
"#;

#[test]
fn an_id_used_twice_at_once_is_another_one_for_a_process() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let arguments = vec!["-c".into(), REORDERING.into(), file.path().into()];
    let command = Command { program: "sh".into(), arguments, ..Command::default() };
    let nowhere = ([127, 0, 0, 1], 9).into();
    let log = super::stage::Log::default();
    let stage = stage_of(Config::default(), To::Command(command), nowhere, log);
    let session = super::open_session(&stage);
    let mut waiting = stage.send("POST", "/mcp", &[&session], create(1).as_bytes());
    std::thread::sleep(WHILE);
    let looking = stage.ask(&[&session], &look(1)).unwrap().json();
    assert_eq!((&looking["id"], &looking["result"]["content"][0]), (&json!(1), &json!("get")));
    let made = read(&mut waiting).unwrap().json();
    assert_eq!((&made["id"], &made["result"]["content"][0]), (&json!(1), &json!("create")));
    let judged = stage.verdict();
    let writes: Vec<_> = judged.operations.iter().map(|it| it.executions).collect();
    assert!(writes.iter().all(|times| *times == 0), "{judged:?}");
}

#[test]
fn a_cancel_reaches_a_process_under_the_id_that_it_knows() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let arguments = vec!["-c".into(), REORDERING.into(), file.path().into()];
    let command = Command { program: "sh".into(), arguments, ..Command::default() };
    let nowhere = ([127, 0, 0, 1], 9).into();
    let log = super::stage::Log::default();
    let stage = stage_of(Config::default(), To::Command(command), nowhere, log);
    let session = super::open_session(&stage);
    let _one = stage.send("POST", "/mcp", &[&session], create(1).as_bytes());
    std::thread::sleep(WHILE);
    let _other = stage.send("POST", "/mcp", &[&session], create(1).as_bytes());
    std::thread::sleep(WHILE);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(stage.ask(&[&session], cancel).unwrap().status(), 202);
    std::thread::sleep(WHILE);
    let kept = std::fs::read_to_string(file.path()).unwrap();
    assert!(kept.contains(r#""requestId":"again-"#), "{kept}");
}

#[test]
fn an_agent_that_leaves_a_kept_answer_has_cancelled() {
    for is_stream in [false, true] {
        let stage = stage(Some(("cancel-race", Shape::Soft)), bookings(is_stream));
        let waiting = stage.send("POST", "/mcp", super::MODERN, create(1).as_bytes());
        std::thread::sleep(WHILE);
        drop(waiting);
        std::thread::sleep(WHILE);
        let log = Arc::clone(&stage.log);
        let again = stage.ask(super::MODERN, &create(1)).unwrap();
        assert_eq!(again.status(), 200);
        let judged = stage.verdict();
        assert_eq!(judged.verdict, Verdict::Fail, "{judged:?}");
        assert!(judged.operations.iter().any(|it| it.faulted), "{judged:?}");
        // For the upstream that call was over.
        assert!(log.lock().unwrap().iter().all(|it| it.method() != "notifications/cancelled"));
    }
}

#[test]
fn two_answers_leave_by_a_stream_where_the_agent_takes_one() {
    let scenario = Some(("duplicate-response", Shape::Soft));
    let stages = [
        (stage(scenario, bookings(false)), super::LEGACY[1].to_owned()),
        (stage(scenario, bookings(true)), super::LEGACY[1].to_owned()),
        (super::before_pipes(scenario), String::new()),
    ];
    for (stage, session) in stages {
        let session = if session.is_empty() { super::open_session(&stage) } else { session };
        let got = stage.ask(&[&session, TAKES_STREAM], &create(1)).unwrap();
        assert_eq!(got.headers["content-type"], "text/event-stream");
        let text = String::from_utf8(got.body).unwrap();
        assert_eq!(text.matches("\"content\"").count(), 2, "{text}");
        assert_eq!(stage.verdict().verdict, Verdict::Pass);
    }
}

/// An upstream that ends the stream of the harness's own look before it has answered.
fn comes_back(
    is_kept: bool,
    seen: Arc<Mutex<Vec<String>>>,
) -> impl Fn(&Message, &mut TcpStream) + Send + Sync + 'static {
    let asked_first = Mutex::new(Value::Null);
    move |asked, stream| {
        let id = asked.json()["id"].clone();
        let last = asked.headers.get("last-event-id").cloned();
        let is_own = asked.method() == "tools/list";
        if is_own || asked.first.starts_with("GET") {
            let method = asked.first.split(' ').next().unwrap();
            seen.lock().unwrap().push(format!("{method} {}", last.clone().unwrap_or_default()));
        }
        match (is_own, last) {
            (true, _) => {
                *asked_first.lock().unwrap() = id;
                begin_stream(stream);
                write_chunk(stream, "id: e1\nretry: 10\ndata:\n\n");
            }
            (_, Some(_)) if is_kept => {
                let id = asked_first.lock().unwrap().clone();
                let frame = json!({"jsonrpc": "2.0", "id": id, "result": tools()});
                begin_stream(stream);
                write_chunk(stream, &format!("id: e2\ndata: {frame}\n\n"));
            }
            (_, Some(_)) => begin_stream(stream),
            _ => return bookings(false)(asked, stream),
        }
        write_chunk(stream, "");
    }
}

#[test]
fn the_proxy_comes_back_for_a_stream_of_its_own_and_never_posts_again() {
    let seen = Arc::default();
    let stage = stage(None, comes_back(true, Arc::clone(&seen)));
    assert_eq!(stage.ask(super::LEGACY, &create(1)).unwrap().status(), 200);
    assert_eq!(*seen.lock().unwrap(), ["POST ", "GET e1"]);
    let judged = stage.verdict();
    assert_eq!(judged.operations.len(), 1, "{judged:?}");
}

#[test]
fn the_proxy_comes_back_only_so_often_for_a_stream_that_brings_nothing() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let stage = stage(None, comes_back(false, Arc::clone(&seen)));
    assert_eq!(stage.ask(super::LEGACY, &create(1)).unwrap().status(), 200);
    let seen = seen.lock().unwrap();
    assert_eq!((seen.len(), seen.iter().filter(|it| *it == "POST ").count()), (9, 1), "{seen:?}");
}

/// An MCP server on pipes that writes down each process and each read.
const COUNTED: &str = r#"
echo start >> "$0"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) r='{"protocolVersion":"2025-11-25"}' ;;
    *tools/list*) r='{"tools":[{"name":"create_booking","inputSchema":{"type":"object"}}]}' ;;
    *get_booking*) echo look >> "$0"; r='{"content":[]}' ;;
    *create_booking*) r='{"content":[]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
"#;

#[test]
fn the_last_read_asks_the_process_that_the_agent_used() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let arguments = vec!["-c".into(), COUNTED.into(), file.path().into()];
    let command = Command { program: "sh".into(), arguments, ..Command::default() };
    let probe = Probe { tool: "get_booking".to_owned(), arguments: serde_json::Map::new() };
    let config = Config { probes: vec![probe], ..Config::default() };
    let nowhere = ([127, 0, 0, 1], 9).into();
    let stage = stage_of(config, To::Command(command), nowhere, super::stage::Log::default());
    let session = super::open_session(&stage);
    assert_eq!(stage.ask(&[&session], &create(1)).unwrap().status(), 200);
    stage.verdict();
    let kept = std::fs::read_to_string(file.path()).unwrap();
    let count = |word| kept.lines().filter(|line| *line == word).count();
    assert_eq!((count("start"), count("look")), (1, 3), "{kept}");
}
