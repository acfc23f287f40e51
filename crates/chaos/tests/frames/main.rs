//! Frames in and out of the engine: what peers may write in more than one way, what comes too late,
//! and answers that are about something else than the call.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may stop where it stands"
)]

mod bench;
mod parts;
mod rounds;

use bench::{Bench, DONE, call};
use checkrein_chaos::Probe;
use checkrein_verdict::Verdict;
use serde_json::{Value, json};

#[test]
fn a_call_is_a_call_however_its_method_is_written() {
    for method in [r#""tools/call""#, r#""tools\/call""#, r#""tools\u002fcall""#] {
        let mut bench = Bench::new(Some("F1"), Vec::new());
        bench.agent(&call("1", method));
        bench.list();
        for id in ["1", "2"] {
            if id == "2" {
                bench.agent(&call("2", method));
            }
            bench.upstream(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{DONE}}}"#));
        }
        assert!(bench.to_agent[0].contains("imed out"), "{method}: {:?}", bench.to_agent);
        let judgement = bench.judge();
        assert_eq!(judgement.verdict, Verdict::Fail, "{method}: {:?}", judgement.reasons);
    }
}

#[test]
fn an_answer_is_known_however_its_id_is_written() {
    for (asked, answered) in
        [("\"bü-1\"", r#""b\u00fc-1""#), (r#""a\/1""#, "\"a/1\""), ("1.0", "1"), ("1e1", "10")]
    {
        let mut bench = Bench::new(Some("F1"), Vec::new());
        bench.agent(&call(asked, "\"tools/call\""));
        bench.list();
        bench.upstream(&format!(r#"{{"jsonrpc":"2.0","id":{answered},"result":{DONE}}}"#));
        assert!(bench.to_agent[0].contains("imed out"), "{asked}: {:?}", bench.to_agent);
        bench.agent(&call("\"again\"", "\"tools/call\""));
        bench.upstream(&format!(r#"{{"jsonrpc":"2.0","id":"again","result":{DONE}}}"#));
        let judgement = bench.judge();
        assert_eq!(judgement.verdict, Verdict::Fail, "{asked}: {:?}", judgement.reasons);
    }
}

#[test]
fn a_lost_call_is_answered_under_the_id_that_the_agent_wrote() {
    let mut bench = Bench::new(None, Vec::new());
    bench.agent(&call("1.50", "\"tools/call\""));
    bench.list();
    let actions = bench.engine.upstream_gone(Some(1));
    bench.carry_out(actions);
    assert!(bench.to_agent[0].contains("\"id\":1.50,"), "{:?}", bench.to_agent);
}

#[test]
fn an_error_to_a_look_at_a_task_says_nothing_of_the_call() {
    for code in [-32602, -32601, -32603] {
        for is_seen_later in [false, true] {
            let mut bench = Bench::new(None, Vec::new());
            bench.agent(&call("1", "\"tools/call\""));
            bench.list();
            for (id, task) in [(1, "t1"), (5, "t2")] {
                if id > 1 {
                    bench.agent(&call("5", "\"tools/call\""));
                }
                let handle = json!({"task": {"taskId": task, "status": "working"}});
                bench.upstream(&json!({"jsonrpc": "2.0", "id": id, "result": handle}).to_string());
                let look = |id: i32, method| {
                    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"taskId": task}})
                        .to_string()
                };
                bench.agent(&look(id + 1, "tasks/result"));
                let error = json!({"code": code, "message": "no such task"});
                bench
                    .upstream(&json!({"jsonrpc": "2.0", "id": id + 1, "error": error}).to_string());
                if is_seen_later {
                    bench.agent(&look(id + 2, "tasks/get"));
                    bench.answer(json!({"taskId": task, "status": "completed"}));
                }
            }
            let judgement = bench.judge();
            let expected = if is_seen_later { Verdict::Fail } else { Verdict::NotTested };
            assert_eq!(judgement.verdict, expected, "{code}: {:?}", judgement.reasons);
        }
    }
}

#[test]
fn what_the_harness_asked_for_never_reaches_the_agent_however_late_it_comes() {
    let probe = Probe { tool: "list_bookings".to_owned(), arguments: serde_json::Map::new() };
    let mut bench = Bench::new(Some("redelivery"), vec![probe]);
    bench.agent(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    bench.agent(&call("2", "\"tools/call\""));
    // Nothing is answered in time: the tools, the state before, the call, its second delivery, and
    // the state after it.
    let mut asked = 0;
    for _ in 0..8 {
        bench.overdue();
        asked = bench.to_upstream.len();
        if bench.to_upstream.iter().any(|frame| frame.contains("\"id\":2,")) {
            bench.upstream(&format!(r#"{{"jsonrpc":"2.0","id":2,"result":{DONE}}}"#));
        }
    }
    assert!(asked >= 4, "{:?}", bench.to_upstream);
    bench.to_agent.clear();
    for frame in bench.to_upstream.clone() {
        let asked: Value = serde_json::from_str(&frame).unwrap();
        if asked["id"].is_string() {
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"content": []}});
            bench.upstream(&answer.to_string());
        }
    }
    assert_eq!(bench.to_agent, [""; 0]);
}

#[test]
fn a_scenario_that_only_batches_could_have_met_says_so() {
    let mut bench = Bench::new(Some("F1"), Vec::new());
    bench.agent(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    bench.list();
    let (one, two) = (call("1", "\"tools/call\""), call("2", "\"tools/call\""));
    bench.agent(&format!("[{one},{two}]"));
    assert_eq!(bench.to_upstream.last(), Some(&format!("[{one},{two}]")));
    let answer = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{DONE}}}"#);
    bench.upstream(&format!("[{}]", answer(1)));
    let judgement = bench.judge();
    assert_eq!(judgement.verdict, Verdict::NotTested);
    let reason = judgement
        .reasons
        .iter()
        .find(|reason| reason.code == checkrein_verdict::Code::ScenarioNotTriggered)
        .unwrap();
    assert!(reason.detail.contains("2 calls came in JSON-RPC batches"), "{}", reason.detail);
}

/// The tools are asked for first, so that a call is of the class that the upstream gives it.
#[test]
fn a_batch_that_comes_first_waits_for_the_tools_and_its_cancels_count() {
    let mut bench = Bench::new(None, Vec::new());
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    bench.agent(&format!("[{},{cancel}]", call("1", "\"tools/call\"")));
    assert!(bench.to_upstream[0].contains("tools/list"), "{:?}", bench.to_upstream);
    bench.list();
    assert_eq!(bench.to_upstream.len(), 2);
    let attempt = bench.run.in_order()[0].clone();
    assert_eq!(attempt.class, checkrein_ledger::Class::Write);
    assert!(attempt.cancelled.is_some() && attempt.forwarded);
}

#[test]
fn a_read_that_a_write_may_have_overtaken_is_not_remembered_as_older() {
    for is_overtaken in [false, true] {
        let mut bench = Bench::new(Some("stale-read"), Vec::new());
        let look = |id: &str| call(id, "\"tools/call\"").replace("create_booking", "list_bookings");
        bench.agent(&look("1"));
        bench.list();
        let seen = r#"{"content":[{"type":"text","text":"none"}]}"#;
        let shown = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{seen}}}"#);
        let done = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{DONE}}}"#);
        let write = call("2", "\"tools/call\"");
        if is_overtaken {
            bench.agent(&write);
            bench.upstream(&shown);
        } else {
            bench.upstream(&shown);
            bench.agent(&write);
        }
        bench.upstream(&done);
        let asked = bench.to_upstream.len();
        bench.agent(&look("3"));
        assert_eq!(bench.to_upstream.len() > asked, is_overtaken, "{:?}", bench.to_agent);
    }
}

#[test]
fn whatever_is_asked_is_answered_when_the_upstream_goes_away() {
    let ask = |id: u8, method: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"taskId":"t"}}}}"#)
    };
    for is_restarted in [false, true] {
        let mut bench = Bench::new(is_restarted.then_some("upstream-restart"), Vec::new());
        bench.agent(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        bench.list();
        for (id, method) in [(1, "ping"), (2, "tools/list"), (3, "own/method"), (4, "tasks/get")] {
            bench.agent(&ask(id, method));
        }
        bench.agent(&call("5", "\"tools/call\""));
        if is_restarted {
            bench.upstream(&format!(r#"{{"jsonrpc":"2.0","id":5,"result":{DONE}}}"#));
        } else {
            let actions = bench.engine.upstream_gone(None);
            bench.carry_out(actions);
        }
        for id in 1..=5 {
            let answers = |frame: &&String| frame.contains(&format!("\"id\":{id},"));
            assert_eq!(
                bench.to_agent.iter().filter(answers).count(),
                1,
                "{id}: {:?}",
                bench.to_agent
            );
        }
    }
}
