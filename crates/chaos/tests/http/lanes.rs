//! Which request an answer belongs to, when its id alone does not say so.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use checkrein_chaos::Shape;
use checkrein_verdict::Verdict;
use serde_json::{Value, json};

use super::stage::{JSON, Message, answer, begin_stream, bookings, create, stage, write_chunk};
use super::{LEGACY, MODERN, before_pipes, open_session};

/// A write that is refused after a while, and a read that is answered at once.
fn refusing(is_stream: bool) -> impl Fn(&Message, &mut TcpStream) + Send + Sync + 'static {
    let usual = bookings(is_stream);
    move |asked, stream| {
        if !String::from_utf8_lossy(&asked.body).contains("create_booking") {
            return usual(asked, stream);
        }
        thread::sleep(Duration::from_millis(600));
        let result = json!({"isError": true, "content": []});
        let frame = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
        if is_stream {
            begin_stream(stream);
            write_chunk(stream, &format!("data: {frame}\n\n"));
            return write_chunk(stream, "");
        }
        answer(stream, "200 OK", JSON, &frame);
    }
}

#[test]
fn an_id_that_is_used_twice_at_once_belongs_to_each_reply() {
    let look = create(1).replace("create_booking", "get_booking");
    for is_stream in [false, true] {
        for scenario in [None, Some(("F1", Shape::Soft)), Some(("F1", Shape::Error))] {
            let stage = stage(scenario, refusing(is_stream));
            // So that both calls find the tools known.
            stage.ask(LEGACY, &look).unwrap();
            let (write, read) = thread::scope(|scope| {
                let write = scope.spawn(|| stage.ask(LEGACY, &create(1)).unwrap());
                thread::sleep(Duration::from_millis(200));
                let read = stage.ask(LEGACY, &look).unwrap();
                (write.join().unwrap(), read)
            });
            let said = |message: &Message| String::from_utf8_lossy(&message.body).into_owned();
            assert!(said(&read).contains("B-1"), "{scenario:?}: {}", said(&read));
            assert!(said(&write).contains("isError"), "{scenario:?}: {}", said(&write));
            let judgement = stage.verdict();
            assert_eq!(judgement.verdict, Verdict::NotTested, "{scenario:?}");
            assert!(judgement.operations.iter().all(|it| it.executions == 0), "{scenario:?}");
        }
    }
}

#[test]
fn a_refusal_goes_to_the_call_that_it_refuses() {
    let stage = stage(Some(("F2", Shape::Soft)), |asked, stream| {
        if String::from_utf8_lossy(&asked.body).contains("get_booking") {
            thread::sleep(Duration::from_millis(600));
        }
        bookings(false)(asked, stream);
    });
    let look = create(1).replace("create_booking", "get_booking");
    stage.ask(LEGACY, &look).unwrap();
    let (read, write) = thread::scope(|scope| {
        let read = scope.spawn(|| stage.ask(LEGACY, &look).unwrap());
        thread::sleep(Duration::from_millis(200));
        let write = stage.ask(LEGACY, &create(1)).unwrap();
        (read.join().unwrap(), write)
    });
    assert!(String::from_utf8_lossy(&write.body).contains("429"), "{write:?}");
    assert!(String::from_utf8_lossy(&read.body).contains("B-1"), "{read:?}");
}

#[test]
fn a_task_is_found_again_without_a_session() {
    let fields: &[&[&str]] = &[MODERN, &["MCP-Protocol-Version: 2025-11-25"]];
    for (fields, scenario) in fields
        .iter()
        .flat_map(|fields| [(fields, None), (fields, Some(("lost-task-handle", Shape::Soft)))])
    {
        let count = std::sync::atomic::AtomicU64::new(0);
        let stage = stage(scenario, move |asked, stream| {
            let message = asked.json();
            let result = match asked.method().as_str() {
                "tools/call" => {
                    let task = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    json!({"task": {"taskId": format!("t{task}"), "status": "working"}})
                }
                "tasks/get" => {
                    json!({"taskId": message["params"]["taskId"], "status": "completed"})
                }
                _ => return bookings(false)(asked, stream),
            };
            let frame = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            answer(stream, "200 OK", JSON, &frame.to_string());
        });
        for id in [1, 3] {
            let got = stage.ask(fields, &create(id)).unwrap().json();
            let task = got["result"]["task"]["taskId"].clone();
            if task.is_null() {
                // The handle was lost: the harness looks for itself.
                thread::sleep(Duration::from_millis(1500));
                continue;
            }
            let look = json!({"jsonrpc": "2.0", "id": id + 1, "method": "tasks/get",
                "params": {"taskId": task}});
            stage.ask(&["MCP-Protocol-Version: 2025-11-25"], &look.to_string()).unwrap();
        }
        let judgement = stage.verdict();
        assert_eq!(judgement.verdict, Verdict::Fail, "{scenario:?}: {:?}", judgement.reasons);
    }
}

#[test]
fn a_batch_is_answered_by_all_its_answers_before_a_server_on_pipes() {
    let stage = before_pipes(None);
    let session = open_session(&stage);
    let batch = format!("[{},{}]", create(7), create(8));
    let got = stage.ask(&[&session], &batch).unwrap();
    assert_eq!(got.status(), 200, "{got:?}");
    let ids: Vec<Value> =
        got.json().as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [json!(7), json!(8)]);
    let notes = r#"[{"jsonrpc":"2.0","method":"notifications/odd"}]"#;
    assert_eq!(stage.ask(&[&session], notes).unwrap().status(), 202);
    assert_eq!(stage.verdict().verdict, Verdict::Fail);
}

#[test]
fn a_batch_whose_server_goes_away_is_answered_all_the_same() {
    let stage = before_pipes(None);
    let session = open_session(&stage);
    let mute = r#"{"jsonrpc":"2.0","method":"notifications/mute"}"#;
    let batch = format!("[{mute},{},{}]", create(7), create(8));
    let (sent, answered) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| sent.send(stage.ask(&[&session], &batch).unwrap()).unwrap());
        thread::sleep(Duration::from_millis(400));
        let mut gone = stage.send("DELETE", "/mcp", &[&session], b"");
        let mut line = String::new();
        BufReader::new(&mut gone).read_line(&mut line).unwrap();
        let got = answered.recv_timeout(Duration::from_secs(5)).unwrap();
        assert_eq!(got.json().as_array().map(Vec::len), Some(2), "{got:?}");
    });
}
