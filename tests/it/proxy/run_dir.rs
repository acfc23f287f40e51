//! Several proxies of one run.

use serde_json::json;

use super::agent::{Agent, bookings, place, report, text};

const FLAGS: [&str; 5] = ["--allow-writes", "--scenario", "F1", "--run-dir", "shared"];

#[test]
fn the_first_write_is_claimed_once_by_two_proxies_of_one_run() {
    let place = place();
    let mut one = Agent::greeted(&place, &FLAGS);
    let mut other = Agent::greeted(&place, &FLAGS);
    for agent in [&mut one, &mut other] {
        agent.call("list_bookings", json!({}));
    }
    assert!(text(&one.call("create_booking", json!({"who": "a"}))).contains("timed out"));
    assert_eq!(text(&other.call("create_booking", json!({"who": "b"}))), "booked");
    assert_eq!(text(&one.call("create_booking", json!({"who": "c"}))), "booked");
    one.leave();
    other.leave();
    let report = report(&place);
    assert_eq!((report["verdict"].as_str(), bookings(&place).len()), (Some("PASS"), 3));
    assert_eq!(report["operations"].as_array().unwrap().len(), 3, "the report is of the whole run");
}

#[test]
fn a_race_for_the_first_write_has_one_winner() {
    for _ in 0..5 {
        let place = place();
        let mut agents: Vec<_> = (0..3).map(|_| Agent::greeted(&place, &FLAGS)).collect();
        for agent in &mut agents {
            agent.call("list_bookings", json!({}));
        }
        let ids: Vec<_> = (0..)
            .zip(&mut agents)
            .map(|(at, agent)| {
                let call = json!({"name": "create_booking", "arguments": {"who": at}});
                agent.ask("tools/call", call)
            })
            .collect();
        let told: Vec<_> = agents
            .iter_mut()
            .zip(ids)
            .map(|(agent, id)| text(&agent.answer(id).unwrap()))
            .collect();
        assert_eq!(told.iter().filter(|told| told.contains("timed out")).count(), 1, "{told:?}");
        agents.into_iter().for_each(|agent| drop(agent.leave()));
    }
}

#[test]
fn a_repeat_through_another_process_is_a_duplicate() {
    let place = place();
    for _ in 0..2 {
        let mut agent = Agent::greeted(&place, &FLAGS);
        agent.call("create_booking", json!({"who": "a"}));
        agent.leave();
    }
    let report = report(&place);
    assert_eq!((report["verdict"].as_str(), bookings(&place).len()), (Some("FAIL"), 2));
}

#[test]
fn a_rule_for_the_second_call_counts_over_all_processes() {
    let place = place();
    let rule = "scenario: own\nabout: x\nrules: [{ on: { nth: 2 }, fault: server-error }]\n";
    place.write("own.yaml", rule);
    let flags = ["--allow-writes", "--scenario", "own.yaml", "--run-dir", "shared"];
    let mut told = Vec::new();
    for who in ["a", "b", "c"] {
        let mut agent = Agent::greeted(&place, &flags);
        told.push(text(&agent.call("create_booking", json!({"who": who}))));
        agent.leave();
    }
    assert_eq!((told[0].as_str(), told[2].as_str()), ("booked", "booked"));
    assert!(told[1].starts_with("HTTP 500"), "{told:?}");
}
