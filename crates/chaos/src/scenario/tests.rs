//! Reading scenarios, and which calls they are about.

use super::*;

fn problems(text: &str) -> String {
    let problems = read(text).expect_err("it should be refused");
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_built_in_scenario_reads_and_is_named_once() {
    for text in BUILT_IN {
        assert_eq!(read(text).map(|_| ()), Ok(()), "{text}");
    }
    let mut names: Vec<_> = Scenario::built_in().into_iter().map(|it| it.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), BUILT_IN.len());
}

#[test]
fn the_name_of_a_built_in_scenario_cannot_be_taken() {
    for text in BUILT_IN {
        let name = read(text).unwrap().name;
        let own = format!("scenario: {name}\nabout: other\nrules:\n  - fault: ghost-write\n");
        assert_eq!(
            problems(&own),
            format!("1:11: `{name}` is the name of a built-in scenario; give yours one of its own")
        );
    }
}

#[test]
fn every_kind_of_fault_is_in_a_built_in_scenario() {
    let used: Vec<_> = Scenario::built_in()
        .iter()
        .flat_map(|scenario| scenario.rules.iter().map(|rule| rule.kind.id).collect::<Vec<_>>())
        .collect();
    for kind in crate::faults::KINDS {
        assert!(used.contains(&kind.id), "{}", kind.id);
    }
}

#[test]
fn every_built_in_scenario_says_what_a_verdict_makes_of_it() {
    for scenario in Scenario::built_in() {
        assert!(scenario.verdict.is_some() && scenario.tells.is_some(), "{}", scenario.name);
    }
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let text = "\
scenario: mine
abut: typo
about: x
rules:
  - on: { class: writ, nth: 0 }
    fault: late-comit
  - on: { method: ping, tool: 'x*' }
    fault: late-commit
    with: { after_s: never, text: '' }
    shape: quiet
    shape: soft
";
    assert_eq!(
        problems(text),
        "\
2:1: unknown key `abut`, did you mean `about`? (known: scenario, about, tells, verdict, expect, rules) in a scenario
5:18: unknown class `writ`, did you mean `write`? (known: write, read, unclassified, any)
6:12: unknown fault `late-comit`, did you mean `late-commit`? (known: ghost-write, rate-limit, cut-answer, watch, server-error, late-commit, redelivery, error-that-lies, success-that-lies, stale-read, partial-batch, unavailable, session-lost, auth-lost, upstream-restart, lost-task-handle, cancel-race, cut-result, slow-drip, duplicate-response, list-change)
7:19: this fault goes with method `tools/call` only
7:31: `tool` goes with method `tools/call` only
9:22: `after_s` must be seconds above 0, at most 3600
9:35: `text` is empty; write a value or leave the key out
10:12: unknown shape `quiet` (known: soft, error, silence, close, status, cut-body, reset, cut-stream) for `late-commit`
11:5: `shape` is there twice; keep one"
    );
}

#[test]
fn what_is_no_scenario_at_all_is_refused() {
    assert_eq!(problems(""), "1:1: the file is empty; a scenario has a name and rules");
    assert!(problems("- a\n").starts_with("1:1: a scenario must be a mapping"));
    assert!(problems("a: [\n").contains("not YAML"));
    assert!(problems("a: &x 1\nb: *x\n").contains("anchors are not used here"));
    let none = "scenario: a\nabout: b\nrules: []\n";
    assert_eq!(problems(none), "3:8: a scenario has 1 to 16 rules");
    let watch = "scenario: a\nabout: b\nrules: [{ fault: watch }]\n";
    assert!(problems(watch).contains("`watch` injects nothing"));
    let slip = problems(&format!("{watch}abut: c\n"));
    assert!(slip.contains("`abut`") && !slip.contains("watch"), "{slip}");
    let text = |text: &str| {
        format!(
            "scenario: a\nabout: b\nrules: [{{ fault: ghost-write, with: {{ text: {text} }} }}]\n"
        )
    };
    assert!(problems(&text("5")).contains("`text` must be words; put `5` in quotes"));
    assert!(read(&text("'5'")).is_ok());
}

#[test]
fn a_rule_says_which_calls_it_is_about() {
    let text = "\
scenario: mine
about: x
expect: { create_booking: 2 }
rules:
  - on: { tool: 'create_*', nth: 3, arguments: { customer: 'Muster*', amount: 250, vip: 'true' } }
    fault: ghost-write
    shape: error
    times: 2
";
    let scenario = read(text).unwrap();
    assert_eq!(scenario.expect, [("create_booking".to_owned(), 2)]);
    let rule = &scenario.rules[0];
    assert_eq!((rule.on.nth, rule.times, rule.shape), (3, 2, Shape::Error));
    let meets = |tool: &str, arguments: &str, class| {
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        rule.on.matches_call(&Call::read(Some(&params)).unwrap(), class)
    };
    let fitting = r#"{"customer":"Muster AG","amount":250.0,"vip":"true","more":1}"#;
    assert!(meets("create_booking", fitting, Class::Write));
    assert!(!meets("create_booking", fitting, Class::Read));
    assert!(!meets("cancel_booking", fitting, Class::Write));
    assert!(!meets("create_booking", r#"{"customer":"Muster AG","amount":250}"#, Class::Write));
    let other = r#"{"customer":"Muster AG","amount":250,"vip":true}"#;
    assert!(!meets("create_booking", other, Class::Write), "text is not a boolean");
}

#[test]
fn settings_have_defaults_and_can_be_set_from_outside() {
    let mut scenario = Scenario::named("F2").unwrap();
    assert_eq!(scenario.retry_after(), Some(Duration::from_secs(60)));
    assert!(scenario.set_retry_after(3) && scenario.set_shape(Shape::Error));
    assert_eq!(scenario.retry_after(), Some(Duration::from_secs(3)));
    assert!(!scenario.set_shape(Shape::Silence));
    assert!(!Scenario::named("F1").unwrap().set_retry_after(3));
}
