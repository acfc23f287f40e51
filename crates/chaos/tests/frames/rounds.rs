//! Calls that the upstream answers by a question, and calls that a declared key tells apart.

use checkrein_chaos::{Config, Plan};
use checkrein_verdict::{Code, Verdict};
use serde_json::{Value, json};

use crate::bench::{Bench, DONE};

fn call(id: u64, who: &str, state: Option<&str>) -> String {
    let mut params = json!({"name": "create_booking", "arguments": {"who": who}});
    if let Some(state) = state {
        params["requestState"] = json!(state);
        params["inputResponses"] = json!({});
    }
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

fn question(id: u64, state: &str) -> String {
    let result = json!({"resultType": "input_required", "requestState": state});
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

fn done(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{DONE}}}"#)
}

fn own(rules: &str) -> Bench {
    let text = format!("scenario: own\nabout: x\nrules:\n  - {rules}\n");
    let scenario = checkrein_chaos::scenario::read(&text).unwrap();
    Bench::with(Config { plan: Plan::Scenario(scenario), ..Config::default() })
}

#[test]
fn a_further_round_is_not_the_next_call() {
    let mut bench = own("{ on: { class: write, nth: 2 }, fault: ghost-write }");
    bench.agent(&call(1, "a", None));
    bench.list();
    bench.upstream(&question(1, "s1"));
    bench.agent(&call(2, "a", Some("s1")));
    bench.upstream(&done(2));
    assert!(bench.run.struck.is_empty(), "{:?}", bench.to_agent);
    bench.agent(&call(3, "b", None));
    bench.upstream(&done(3));
    assert!(!bench.run.struck.is_empty(), "{:?}", bench.to_agent);
}

#[test]
fn a_round_goes_on_with_the_question_whose_state_it_brings_back() {
    let mut bench =
        own("{ on: { class: write, nth: 3 }, fault: rate-limit, with: { retry_after_s: 5 } }");
    bench.agent(&call(1, "a", None));
    bench.list();
    bench.upstream(&question(1, "s1"));
    bench.agent(&call(2, "a", None));
    bench.upstream(&question(2, "s2"));
    bench.agent(&call(3, "other", None));
    assert!(bench.to_agent.last().unwrap().contains("429"), "{:?}", bench.to_agent);
    bench.agent(&call(4, "a", Some("s1")));
    bench.upstream(&done(4));
    // The state was used; this is the same write once more.
    bench.agent(&call(5, "a", Some("s1")));
    bench.upstream(&done(5));
    let judgement = bench.judge();
    assert_eq!(judgement.verdict, Verdict::Fail, "{:?}", judgement.reasons);
    assert_eq!(judgement.reasons[0].code, Code::DuplicateExecution);
}

#[test]
fn a_declared_key_that_a_call_does_not_have_makes_no_two_writes_one() {
    let keyed = || {
        let operation_keys = vec![("create_booking".to_owned(), vec!["ref".to_owned()])];
        Bench::with(Config { operation_keys, ..Config::default() })
    };
    let play = |calls: &[Value]| {
        let mut bench = keyed();
        for (id, arguments) in (1..).zip(calls) {
            let params = json!({"name": "create_booking", "arguments": arguments});
            let call =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            bench.agent(&call.to_string());
            if id == 1 {
                bench.list();
            }
            bench.upstream(&done(id));
        }
        bench.judge().verdict
    };
    assert_eq!(play(&[json!({"who": "x"}), json!({"who": "y"})]), Verdict::Pass);
    assert_eq!(play(&[json!({"who": "x"}), json!({"who": "x"})]), Verdict::Fail);
    assert_eq!(
        play(&[json!({"who": "x", "ref": 1}), json!({"who": "y", "ref": 1})]),
        Verdict::Fail
    );
}
