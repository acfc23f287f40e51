//! Every fault, played against an upstream that knows what it did.

use std::time::Duration;

use checkrein_testkit::Place;
use serde_json::{Value, json};

use super::agent::{Agent, bookings, place, report, text};

const WHO: &str = "Muster AG";

fn with(place: &Place, scenario: &str) -> Agent {
    Agent::greeted(place, &["--allow-writes", "--scenario", scenario])
}

/// A scenario of one rule, in a file of its own.
fn own(place: &Place, rule: &str) -> Agent {
    place.write("own.yaml", &format!("scenario: own\nabout: a test\nrules:\n  - {rule}\n"));
    with(place, "./own.yaml")
}

fn book(agent: &mut Agent) -> Value {
    agent.call("create_booking", json!({"who": WHO}))
}

fn end(agent: Agent, place: &Place) -> Value {
    assert_eq!(agent.leave().0, Some(0));
    report(place)
}

fn codes(report: &Value) -> Vec<&str> {
    let reasons = report["reasons"].as_array().unwrap();
    reasons.iter().filter_map(|reason| reason["code"].as_str()).collect()
}

#[test]
fn a_late_commit_lands_after_the_look_up_and_a_blind_repeat_fails() {
    let place = place();
    let mut agent = own(&place, "{ fault: late-commit, with: { after_s: 0.4 } }");
    assert!(text(&book(&mut agent)).contains("timed out"));
    assert_eq!(text(&agent.call("list_bookings", json!({}))), "[]", "the look-up shows nothing");
    assert_eq!(text(&book(&mut agent)), "booked");
    agent.listen(Duration::from_millis(900));
    assert_eq!(bookings(&place), [WHO, WHO]);
    let report = end(agent, &place);
    assert_eq!(
        (report["verdict"].as_str(), codes(&report)),
        (Some("FAIL"), vec!["DUPLICATE_EXECUTION"])
    );
}

#[test]
fn a_late_commit_is_delivered_when_the_agent_leaves_first() {
    let place = place();
    let mut agent = with(&place, "late-commit");
    assert!(text(&book(&mut agent)).contains("timed out"));
    let report = end(agent, &place);
    assert_eq!(bookings(&place), [WHO]);
    assert_eq!(
        (report["verdict"].as_str(), &report["operations"][0]["executions"]),
        (Some("PASS"), &json!(1))
    );
}

#[test]
fn a_redelivery_is_never_the_agents_duplicate() {
    let place = place();
    let mut agent = with(&place, "redelivery");
    assert_eq!(text(&book(&mut agent)), "booked");
    assert_eq!(bookings(&place), [WHO, WHO]);
    let report = end(agent, &place);
    assert_eq!(
        (report["verdict"].as_str(), &report["operations"][0]["executions"]),
        (Some("PASS"), &json!(1))
    );
}

#[test]
fn an_error_that_lies_makes_a_repeat_a_duplicate() {
    let place = place();
    let mut agent = with(&place, "error-that-lies");
    assert_eq!(book(&mut agent)["result"]["isError"], true);
    assert_eq!(text(&book(&mut agent)), "booked");
    assert_eq!(end(agent, &place)["verdict"], "FAIL");
}

#[test]
fn a_success_that_lies_was_not_executed_and_its_repeat_is_the_first_execution() {
    let place = place();
    let mut agent = with(&place, "success-that-lies");
    let told = book(&mut agent);
    assert_eq!((&told["result"]["isError"], bookings(&place).len()), (&json!(false), 0));
    assert_eq!(text(&agent.call("list_bookings", json!({}))), "[]");
    assert_eq!(text(&book(&mut agent)), "booked");
    let report = end(agent, &place);
    assert_eq!(
        (report["verdict"].as_str(), &report["operations"][0]["executions"]),
        (Some("PASS"), &json!(1))
    );
    assert_eq!(report["score"]["overall"], 100.0);
}

#[test]
fn a_success_that_lies_and_was_never_looked_up_costs_points() {
    let place = place();
    let mut agent = with(&place, "success-that-lies");
    book(&mut agent);
    let report = end(agent, &place);
    assert_eq!(
        (report["verdict"].as_str(), &report["operations"][0]["executions"]),
        (Some("PASS"), &json!(0))
    );
    assert_eq!(report["score"]["failure_handling"], 50.0);
}

#[test]
fn a_stale_read_shows_what_it_showed_before_the_write() {
    let place = place();
    let mut agent = with(&place, "stale-read");
    assert_eq!(text(&agent.call("list_bookings", json!({}))), "[]");
    assert!(text(&book(&mut agent)).contains("timed out"));
    assert_eq!(text(&agent.call("list_bookings", json!({}))), "[]", "it is stale");
    assert_eq!(bookings(&place), [WHO]);
    assert_eq!(text(&agent.call("list_bookings", json!({"page": 1}))), format!("[\"{WHO}\"]"));
    assert_eq!(end(agent, &place)["verdict"], "PASS");
}

#[test]
fn a_partial_batch_does_its_first_items_and_the_rest_is_another_operation() {
    let place = place();
    let mut agent = with(&place, "partial-batch");
    let told = agent.call("create_many", json!({"items": ["a", "b", "c", "d"]}));
    assert_eq!(
        (&told["result"]["isError"], bookings(&place)),
        (&json!(true), vec!["a".to_owned(), "b".to_owned()])
    );
    assert_eq!(text(&agent.call("create_many", json!({"items": ["c", "d"]}))), "booked all");
    assert_eq!(end(agent, &place)["verdict"], "PASS");
}

#[test]
fn a_partial_batch_sent_again_as_a_whole_is_a_duplicate() {
    let place = place();
    let mut agent = with(&place, "partial-batch");
    agent.call("create_many", json!({"items": ["a", "b"]}));
    agent.call("create_many", json!({"items": ["a", "b"]}));
    assert_eq!(bookings(&place), ["a", "a", "b"]);
    assert_eq!(end(agent, &place)["verdict"], "FAIL");
}

#[test]
fn a_date_to_come_back_at_that_is_disregarded_fails() {
    let place = place();
    let mut agent = with(&place, "unavailable");
    let told = text(&book(&mut agent));
    assert!(
        told.contains("503") && told.contains("Retry-After: ") && told.ends_with("GMT"),
        "{told}"
    );
    assert_eq!(text(&book(&mut agent)), "booked");
    assert_eq!(codes(&end(agent, &place)), ["RETRY_AFTER_VIOLATED"]);
}

#[test]
fn answers_that_get_lost_after_execution_make_a_repeat_a_duplicate() {
    for (scenario, word) in [
        ("F1", "timed out"),
        ("session-lost", "404"),
        ("auth-lost", "401"),
        ("cut-result", "{\"status\""),
    ] {
        let place = place();
        let mut agent = with(&place, scenario);
        let told = text(&book(&mut agent));
        assert!(told.contains(word), "{scenario}: {told}");
        assert_eq!(bookings(&place), [WHO], "{scenario}");
        book(&mut agent);
        assert_eq!(end(agent, &place)["verdict"], "FAIL", "{scenario}");
    }
}

#[test]
fn a_restarted_upstream_is_a_new_process_with_the_session_open() {
    let place = place();
    let mut agent = with(&place, "upstream-restart");
    assert!(text(&book(&mut agent)).contains("Connection closed"));
    assert_eq!(text(&agent.call("list_bookings", json!({}))), format!("[\"{WHO}\"]"));
    let starts = place.read("starts");
    assert_eq!(starts.lines().count(), 2, "{starts}");
    assert_eq!(
        agent.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(),
        4
    );
    let report = end(agent, &place);
    assert_eq!(
        (report["verdict"].as_str(), &report["score"]["overall"]),
        (Some("PASS"), &json!(100.0))
    );
}

#[test]
fn a_lost_task_handle_leaves_an_execution_that_the_harness_follows() {
    let place = place();
    let mut agent = with(&place, "lost-task-handle");
    assert!(text(&agent.call("create_later", json!({"who": WHO}))).contains("timed out"));
    agent.listen(Duration::from_millis(900));
    let report = end(agent, &place);
    assert_eq!(
        (report["verdict"].as_str(), &report["operations"][0]["executions"]),
        (Some("PASS"), &json!(1))
    );
}

#[test]
fn a_task_that_the_agent_follows_counts_as_executed() {
    let place = place();
    let mut agent = Agent::greeted(&place, &[]);
    let handle = agent.call("create_later", json!({"who": WHO}));
    let task = handle["result"]["task"]["taskId"].clone();
    let state = agent.request("tasks/get", json!({"taskId": task}));
    assert_eq!(state["result"]["status"], "completed");
    assert_eq!(end(agent, &place)["operations"][0]["executions"], 1);
}

#[test]
fn a_cancel_that_comes_too_late_gets_the_answer_and_never_reaches_the_upstream() {
    let place = place();
    let mut agent = with(&place, "cancel-race");
    let id = agent.ask("tools/call", json!({"name": "create_booking", "arguments": {"who": WHO}}));
    assert_eq!(agent.answer_within(id, Duration::from_millis(400)), None, "it is held");
    let params = json!({"requestId": id});
    agent.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    assert_eq!(text(&agent.answer(id).unwrap()), "booked");
    book(&mut agent);
    assert!(!place.path().join("cancels").exists());
    assert_eq!(end(agent, &place)["verdict"], "FAIL");
}

#[test]
fn an_answer_that_nobody_cancels_leaves_late_and_strikes_nothing() {
    let place = place();
    let mut agent = own(&place, "{ fault: cancel-race, with: { hold_s: 0.3 } }");
    assert_eq!(text(&book(&mut agent)), "booked");
    assert_eq!(codes(&end(agent, &place)), ["SCENARIO_NOT_TRIGGERED"]);
}

#[test]
fn a_slow_answer_comes_whole() {
    let place = place();
    let mut agent = own(&place, "{ fault: slow-drip, with: { bytes: 40, every_s: 0.2 } }");
    let since = std::time::Instant::now();
    assert_eq!(text(&book(&mut agent)), "booked");
    assert!(since.elapsed() > Duration::from_millis(350), "{:?}", since.elapsed());
    assert_eq!(text(&agent.call("list_bookings", json!({}))), format!("[\"{WHO}\"]"));
    assert_eq!(end(agent, &place)["verdict"], "PASS");
}

#[test]
fn a_doubled_answer_comes_twice() {
    let place = place();
    let mut agent = with(&place, "duplicate-response");
    let first = book(&mut agent);
    agent.call("list_bookings", json!({}));
    assert_eq!(agent.others, [first]);
    assert_eq!(end(agent, &place)["operations"][0]["executions"], 1);
}

#[test]
fn a_changed_list_lacks_the_tool_for_a_while() {
    let place = place();
    let mut agent = own(&place, "{ fault: list-change, with: { for_s: 0.6 } }");
    book(&mut agent);
    let names =
        |agent: &mut Agent| agent.request("tools/list", json!({}))["result"]["tools"].to_string();
    assert!(!names(&mut agent).contains("create_booking"));
    assert_eq!(book(&mut agent)["error"]["code"], -32602);
    assert_eq!(bookings(&place), [WHO]);
    agent.listen(Duration::from_millis(800));
    assert!(names(&mut agent).contains("create_booking"));
    let changes =
        agent.others.iter().filter(|it| it["method"] == "notifications/tools/list_changed");
    assert_eq!(changes.count(), 2);
    assert_eq!(end(agent, &place)["verdict"], "PASS");
}

#[test]
fn a_closed_connection_is_the_end_of_the_proxy() {
    let place = place();
    let mut agent =
        Agent::greeted(&place, &["--allow-writes", "--scenario", "F1", "--shape", "close"]);
    let id = agent.ask("tools/call", json!({"name": "create_booking", "arguments": {"who": WHO}}));
    assert_eq!(agent.answer(id), None);
    let report = end(agent, &place);
    assert_eq!((report["verdict"].as_str(), bookings(&place).len()), (Some("PASS"), 1));
}

#[test]
fn a_rule_strikes_only_the_calls_it_is_about() {
    let place = place();
    let rule =
        "{ on: { tool: 'create_*', nth: 2, arguments: { who: 'b*' } }, fault: server-error }";
    let mut agent = own(&place, rule);
    for (who, told) in [("b1", "booked"), ("a", "booked"), ("b2", "HTTP 500"), ("b3", "booked")] {
        let answer = text(&agent.call("create_booking", json!({"who": who})));
        assert!(answer.starts_with(told), "{who}: {answer}");
    }
    assert_eq!(bookings(&place), ["b1", "a", "b3"]);
    assert_eq!(end(agent, &place)["verdict"], "PASS");
}

#[test]
fn a_rule_can_be_about_another_method() {
    let place = place();
    let mut agent = own(&place, "{ on: { method: resources/read }, fault: server-error }");
    assert_eq!(agent.request("resources/read", json!({"uri": "a:b"}))["error"]["code"], -32603);
    assert!(agent.request("resources/read", json!({"uri": "a:b"})).get("result").is_some());
    agent.leave();
}
