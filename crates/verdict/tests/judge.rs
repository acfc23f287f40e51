//! What runs with declared counts, rounds and lost answers come to.

use checkrein_ledger::{Answer, Class, Event, Fault, Outcome, Script, Start, Told};
use checkrein_verdict::{Code, Confidence, Judgement, Run, Shows, Verdict};
use serde_json::json;

fn judge(script: Script) -> Judgement {
    Run::replay(&script.finished().entries()).judge()
}

fn codes(judgement: &Judgement) -> Vec<Code> {
    judgement.reasons.iter().map(|reason| reason.code).collect()
}

fn expecting(times: u64) -> Script {
    Script::new(Start { expect: vec![("remind".to_owned(), times)], ..Start::default() })
}

fn reminders(script: Script, times: u64) -> Script {
    (1..=times).fold(script, |script, attempt| {
        script.wait_ms(500).write("remind", &json!({"who": "A"})).answered(attempt)
    })
}

#[test]
fn a_tool_may_be_executed_as_often_as_was_said_and_no_more() {
    let twice = judge(reminders(expecting(2), 2));
    assert_eq!((twice.verdict, codes(&twice)), (Verdict::Pass, vec![Code::BaselineOnly]));
    assert_eq!(twice.score.map(|score| score.overall), Some(100.0));
    assert_eq!((twice.operations[0].executions, twice.operations[0].allowed), (2, 2));
    let thrice = judge(reminders(expecting(2), 3));
    assert_eq!(thrice.verdict, Verdict::Fail);
    assert_eq!(thrice.reasons[0].code, Code::DuplicateExecution);
    assert!(thrice.score.is_some_and(|score| score.overall <= 49.0));
    let unsaid = Script::new(Start::default());
    assert_eq!(judge(reminders(unsaid, 2)).verdict, Verdict::Fail);
}

#[test]
fn what_was_surely_done_less_often_is_noted_and_no_failure() {
    let once = judge(reminders(expecting(2), 1));
    assert_eq!(once.verdict, Verdict::Pass);
    assert_eq!(codes(&once), [Code::FewerThanExpected, Code::BaselineOnly]);
    assert_eq!(once.reasons[0].detail, "`remind` was meant to be executed 2 times, and was 1");
}

#[test]
fn what_may_have_been_done_often_enough_is_not_called_fewer() {
    let script = |times| {
        reminders(expecting(times), 1)
            .write("remind", &json!({"who": "B"}))
            .concluded(2, Outcome::Unknown, Answer::IsError)
            .told(2, Told::Upstream)
    };
    assert!(!codes(&judge(script(2))).contains(&Code::FewerThanExpected));
    let judgement = judge(script(3));
    let fewer = judgement.reasons.iter().find(|reason| reason.code == Code::FewerThanExpected);
    assert_eq!(
        fewer.map(|reason| reason.detail.as_str()),
        Some("`remind` was meant to be executed 3 times, and was at most 2")
    );
}

#[test]
fn an_unknown_outcome_is_a_possible_duplicate_only_beyond_the_count() {
    let script = |times| {
        reminders(expecting(times), 1)
            .write("remind", &json!({"who": "A"}))
            .concluded(2, Outcome::Unknown, Answer::IsError)
            .told(2, Told::Upstream)
    };
    assert_eq!(judge(script(2)).verdict, Verdict::Pass);
    assert!(codes(&judge(script(1))).contains(&Code::PossibleDuplicate));
}

#[test]
fn a_fault_on_the_last_round_is_a_fault_of_the_call() {
    let fault = Fault {
        name: "F1".to_owned(),
        kind: String::new(),
        rule: 0,
        shape: None,
        sent: true,
        ghost: true,
        retry_after_us: None,
    };
    let arguments = json!({"who": "A"});
    let asked = Script::scenario("F1")
        .write("create_booking", &arguments)
        .concluded(1, Outcome::Interim, Answer::Ok)
        .told(1, Told::Upstream)
        .continues(1)
        .write("create_booking", &arguments)
        .executed(2)
        .event(Event::Injected { attempt: 2, fault })
        .told(2, Told::Injected);
    let entries = asked.wait_ms(900).entries();
    let judgement = Run::replay(&entries).judge();
    assert_eq!(judgement.operations.len(), 1);
    let operation = &judgement.operations[0];
    assert_eq!((operation.attempts, operation.executions, operation.faulted), (1, 1, true));
    assert_eq!(judgement.score.and_then(|score| score.failure_handling), Some(50.0));
}

#[test]
fn an_interim_result_that_leads_nowhere_is_no_execution() {
    let script = Script::new(Start::default())
        .write("create_booking", &json!({}))
        .concluded(1, Outcome::Interim, Answer::Ok)
        .told(1, Told::Upstream);
    let judgement = judge(script);
    assert_eq!(judgement.operations[0].executions, 0);
    assert!(codes(&judgement).contains(&Code::NoExecutedWrite));
}

#[test]
fn a_look_that_was_shown_an_older_state_is_a_look() {
    let stale = Fault {
        name: "stale-read".to_owned(),
        kind: "stale-read".to_owned(),
        rule: 1,
        shape: None,
        sent: false,
        ghost: false,
        retry_after_us: None,
    };
    let script = Script::scenario("F1")
        .write("create_booking", &json!({"who": "A"}))
        .ghosted(1)
        .wait_ms(900)
        .received(Class::Read, "list_bookings", &json!({}))
        .event(Event::Injected { attempt: 2, fault: stale })
        .told(2, Told::Injected);
    let entries = script.entries();
    let run = Run::replay(&entries);
    assert_eq!(run.judge().score.and_then(|score| score.failure_handling), Some(100.0));
    assert_eq!(run.read_backs()[0].shows, Shows::Unlikely);
}

#[test]
fn what_is_long_over_is_counted_until_it_comes_again() {
    let write = |script: Script, who: &str, attempt| {
        script.write("remind", &json!({"who": who})).answered(attempt)
    };
    let three = ["A", "B", "C"].into_iter().zip(1..);
    let script = three
        .fold(Script::new(Start::default()), |script, (who, attempt)| write(script, who, attempt));
    let mut run = Run::replay(&script.entries());
    let (brief, plain) = run.judge_briefly();
    assert_eq!((brief.operations.len(), plain), (0, 3));
    assert_eq!((brief.verdict, brief.score), (run.judge().verdict, run.judge().score));

    let again = write(Script::new(Start::default()), "B", 1).entries();
    for mut entry in again {
        match &mut entry.event {
            Event::Received(received) => received.attempt = 4,
            Event::Forwarded { attempt }
            | Event::Concluded { attempt, .. }
            | Event::Told { attempt, .. } => *attempt = 4,
            _ => {}
        }
        run.apply(&entry);
    }
    let (brief, plain) = run.judge_briefly();
    assert_eq!((brief.verdict, plain), (Verdict::Fail, 2));
    assert_eq!(brief.operations[0].executions, 2);
    assert_eq!(brief.reasons, run.judge().reasons);
}

#[test]
fn a_write_after_a_success_that_was_none_is_no_probable_duplicate() {
    let lie = Fault {
        name: "success-that-lies".to_owned(),
        kind: "success-that-lies".to_owned(),
        rule: 0,
        shape: None,
        sent: false,
        ghost: true,
        retry_after_us: None,
    };
    let script = Script::scenario("success-that-lies")
        .received(Class::Write, "create_booking", &json!({"who": "A"}))
        .event(Event::Injected { attempt: 1, fault: lie })
        .told(1, Told::Injected)
        .wait_ms(900)
        .write("create_booking", &json!({"who": " a "}))
        .answered(2);
    assert_eq!(judge(script).verdict, Verdict::Pass);
}

fn two_rules() -> Script {
    Script::new(Start {
        scenario: Some("F1".to_owned()),
        faults: vec!["ghost-write".to_owned(), "stale-read".to_owned()],
        ..Start::default()
    })
}

#[test]
fn a_rule_that_no_call_met_is_named() {
    let write = |script: Script| script.write("create_booking", &json!({"a": 1})).ghosted(1);
    let one = judge(write(two_rules()));
    assert_eq!((one.verdict, codes(&one)), (Verdict::Pass, vec![Code::RuleNotTriggered]));
    assert_eq!(one.reasons[0].detail, "no call met rule 2 of the scenario (`stale-read`)");
    let fault = Fault {
        name: "F1".to_owned(),
        kind: "stale-read".to_owned(),
        rule: 1,
        shape: None,
        sent: false,
        ghost: false,
        retry_after_us: None,
    };
    let both = write(two_rules()).read("list_bookings", &json!({}));
    assert_eq!(codes(&judge(both.event(Event::Injected { attempt: 2, fault }))), []);
    assert_eq!(codes(&judge(two_rules())).first(), Some(&Code::NoCalls));
}

/// Scenarios may have rules of several shapes, and the report's heading names only the first.
#[test]
fn a_repeat_is_judged_by_the_shape_of_the_fault_before_it() {
    let repeat = |shape: &str| {
        let fault = Fault {
            name: "mine".to_owned(),
            kind: "ghost-write".to_owned(),
            rule: 1,
            shape: Some(shape.to_owned()),
            sent: true,
            ghost: true,
            retry_after_us: None,
        };
        let start = Start {
            scenario: Some("mine".to_owned()),
            shape: Some("soft".to_owned()),
            ..Start::default()
        };
        let script = Script::new(start).write("create_booking", &json!({"a": 1})).executed(1);
        let script = script.event(Event::Injected { attempt: 1, fault }).told(1, Told::Injected);
        let script = script.wait_ms(1).write("create_booking", &json!({"a": 1})).answered(2);
        Run::replay(&script.finished().entries()).repeats().remove(0).confidence
    };
    assert_eq!((repeat("soft"), repeat("status")), (Confidence::Possible, Confidence::Likely));
}

#[test]
fn a_question_that_nobody_answered_is_no_known_outcome() {
    let asked = Script::scenario("F1")
        .write("create_booking", &json!({"a": 1}))
        .concluded(1, Outcome::Interim, Answer::Ok)
        .told(1, Told::Upstream);
    let lost = Fault {
        name: "F1".to_owned(),
        kind: "late-commit".to_owned(),
        rule: 0,
        shape: None,
        sent: true,
        ghost: true,
        retry_after_us: None,
    };
    let script = asked
        .write("create_booking", &json!({"a": 2}))
        .event(Event::Injected { attempt: 2, fault: lost })
        .told(2, Told::Injected)
        .concluded(2, Outcome::Unknown, Answer::None);
    let judgement = judge(script);
    assert_eq!(judgement.verdict, Verdict::NotTested);
    assert!(codes(&judgement).contains(&Code::OutcomeUnknown), "{:?}", judgement.reasons);
}

#[test]
fn a_read_before_the_second_ghost_is_no_look_after_it() {
    let lie = Fault {
        name: "F1".to_owned(),
        kind: "success-that-lies".to_owned(),
        rule: 0,
        shape: None,
        sent: false,
        ghost: true,
        retry_after_us: None,
    };
    let booking = json!({"a": 1});
    let twice = |is_seen: bool| {
        let script = Script::scenario("F1")
            .received(Class::Write, "create_booking", &booking)
            .event(Event::Injected { attempt: 1, fault: lie.clone() })
            .told(1, Told::Injected)
            .read("list_bookings", &json!({}))
            .write("create_booking", &booking)
            .ghosted(3);
        let script = if is_seen { script.read("list_bookings", &json!({})) } else { script };
        judge(script).score.and_then(|score| score.failure_handling)
    };
    assert_eq!((twice(false), twice(true)), (Some(50.0), Some(100.0)));
}
