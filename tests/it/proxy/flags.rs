//! What can be declared, and what is refused.

use checkrein_testkit::Place;
use serde_json::json;

use super::agent::{Agent, place, report, text};

fn refused(place: &Place, flags: &[&str]) -> String {
    let output = place.command(&[&["proxy"], flags].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{flags:?}");
    assert!(output.stdout.is_empty(), "{flags:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_declared_key_alone_makes_the_operation() {
    let place = place();
    let mut agent = Agent::greeted(&place, &["--operation-key", "create_booking=who"]);
    agent.call("create_booking", json!({"who": "a", "note": "first"}));
    agent.call("create_booking", json!({"who": "a", "note": "second"}));
    agent.leave();
    assert_eq!(report(&place)["verdict"], "FAIL");
}

#[test]
fn what_is_meant_to_be_done_twice_is_no_duplicate() {
    let place = place();
    let mut agent = Agent::greeted(&place, &["--expect", "create_booking=2"]);
    agent.call("create_booking", json!({"who": "a"}));
    agent.call("create_booking", json!({"who": "a"}));
    agent.leave();
    assert_eq!(report(&place)["verdict"], "PASS");
}

#[test]
fn a_scenario_can_say_what_is_expected() {
    let place = place();
    let text = "scenario: own\nabout: x\nexpect: { create_booking: 2 }\n\
                rules: [{ fault: duplicate-response }]\n";
    place.write("own.yaml", text);
    let mut agent = Agent::greeted(&place, &["--allow-writes", "--scenario", "own.yaml"]);
    agent.call("create_booking", json!({"who": "a"}));
    agent.call("create_booking", json!({"who": "a"}));
    agent.leave();
    assert_eq!(report(&place)["verdict"], "PASS");
}

#[test]
fn a_probe_puts_the_upstreams_state_on_record_and_the_agent_sees_nothing_of_it() {
    let place = place();
    let mut agent = Agent::greeted(&place, &["--probe", "list_bookings {\"page\": 1}"]);
    assert_eq!(text(&agent.call("create_booking", json!({"who": "a"}))), "booked");
    assert_eq!(text(&agent.call("list_bookings", json!({}))), "[\"a\"]");
    let (status, others) = agent.leave();
    assert_eq!((status, others), (Some(0), Vec::new()));
    let events = place.read("run/events.jsonl");
    let seen: Vec<_> = events
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|entry| entry["event"].get("probed").is_some())
        .map(|entry| {
            let probed = &entry["event"]["probed"];
            let when = probed["when"].as_str().unwrap().split(' ').next().unwrap().to_owned();
            (when, probed["records"].as_u64())
        })
        .collect();
    let expected =
        [("start", 0), ("after", 1), ("end", 1)].map(|(when, n)| (when.to_owned(), Some(n)));
    assert_eq!(seen, expected);
    assert_eq!(report(&place)["calls"]["read"], 1, "a probe is no call of the agent");
}

#[test]
fn typing_errors_name_what_was_probably_meant() {
    let place = place();
    for (flags, words) in [
        (&["--scenrio", "F1"][..], "--scenario"),
        (
            &["--scenario", "late-comit", "--allow-writes", "--", "true"],
            "did you mean late-commit?",
        ),
        (&["--scenario", "f1", "--allow-writes", "--", "true"], "did you mean F1?"),
        (&["--shape", "sofft", "--", "true"], "soft"),
        (&["--shape", "soft", "--", "true"], "--shape goes with --scenario only"),
        (&["--scenario", "F1", "--", "true"], "--allow-writes"),
        (&["--scenario", "F1", "--allow-writes", "--retry-after", "3", "--", "true"], "F2"),
        (&["--scenario", "F2", "--allow-writes", "--shape", "silence", "--", "true"], "no shape"),
        (&["--probe", "{}", "--", "true"], "names no tool"),
        (&["--probe", "list [1]", "--", "true"], "no JSON object"),
        (&["--scenario", "./none.yaml", "--allow-writes", "--", "true"], "none.yaml"),
        (&["--check-scenario", "./none.yaml"], "failed to read scenario"),
    ] {
        let said = refused(&place, flags);
        assert!(said.contains(words), "{flags:?}: {said}");
    }
}

#[test]
fn a_scenario_file_is_checked_with_positions() {
    let place = place();
    place.write("bad.yaml", "scenario: x\nabout: y\nrules:\n  - fault: ghost-wrte\n");
    let said = refused(&place, &["--check-scenario", "bad.yaml"]);
    assert!(
        said.starts_with("bad.yaml:4:12: unknown fault `ghost-wrte`, did you mean `ghost-write`?"),
        "{said}"
    );
    place.write("good.yaml", "scenario: x\nabout: y\nrules:\n  - fault: ghost-write\n");
    let output = place.command(&["proxy", "--check-scenario", "good.yaml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_list_of_scenarios_names_every_one_with_its_verdict() {
    let place = Place::new();
    let output = place.command(&["proxy", "--list-scenarios"]).output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    for name in ["F1", "F5", "late-commit", "upstream-restart", "list-change"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name}");
    }
    assert!(
        list.contains("not with --upstream-url the upstream is not the proxy's to start again")
    );
    assert_eq!(list.matches(" verdict  ").count(), 21);
}

#[test]
fn a_list_has_no_empty_part_and_nothing_is_declared_twice() {
    let place = place();
    for (flags, why) in [
        (&["--write-tools", ","][..], "a part of `,` in --write-tools is empty"),
        (&["--read-tools", "a,,b"], "a part of `a,,b` in --read-tools is empty"),
        (&["--key-fields", "a,"], "a part of `a,` in --key-fields is empty"),
        (&["--operation-key", "t="], "a part of `t=` in --operation-key is empty"),
        (&["--operation-key", "t=a", "--operation-key", "t=b"], "two things of `t`"),
        (&["--expect", "t=1", "--expect", "t=2"], "--expect says two things of `t`"),
        (&["--upstream-cwd", "nowhere"], "`nowhere` in --upstream-cwd is no directory"),
    ] {
        let upstream = if flags[0] == "--upstream-cwd" {
            vec!["--upstream-command", "touch", "--upstream-arg", "started"]
        } else {
            vec!["--", "touch", "started"]
        };
        let said = refused(&place, &[flags, &upstream].concat());
        assert!(said.contains(why), "{flags:?}: {said}");
        assert!(!place.path().join("started").exists(), "{flags:?}");
    }
    let said = refused(&place, &["--", "no-such-program-here"]);
    assert!(said.contains("PATH"), "{said}");
}
