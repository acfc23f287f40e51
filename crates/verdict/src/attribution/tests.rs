use checkrein_ledger::{Answer, Event, Fault, Outcome, Script, Start, Told};
use serde_json::{Value, json};

use super::*;

const IDENTITY: &str = "claudecode/toolUseId";

fn booking() -> Value {
    json!({"customer": "Muster AG", "date": "2026-11-03"})
}

fn repeats(script: Script) -> Vec<Repeat> {
    Run::replay(&script.entries()).repeats()
}

fn only(script: Script) -> Repeat {
    let mut found = repeats(script);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

fn kinds(repeat: &Repeat) -> Vec<ClueKind> {
    repeat.evidence.iter().map(|clue| clue.kind).collect()
}

/// A ghost write in this shape, and then the same write again after this time.
fn again(shape: &str, told: Told, gap_ms: u64) -> Script {
    let start = Start {
        scenario: Some("F1".to_owned()),
        shape: Some(shape.to_owned()),
        ..Start::default()
    };
    let script = Script::new(start).session(0, "agent 1").write("create_booking", &booking());
    let script = match told {
        Told::Injected => script.ghosted(1),
        told => script.executed(1).told(1, told),
    };
    script.wait_ms(gap_ms).write("create_booking", &booking()).answered(2)
}

#[test]
fn a_model_that_had_time_to_think_called_again() {
    let repeat = only(again("soft", Told::Injected, 900));
    assert_eq!((repeat.cause, repeat.confidence), (Cause::ModelRetry, Confidence::Likely));
    assert_eq!((repeat.attempt, repeat.repeats), (2, Some(1)));
    assert_eq!(repeat.gap_us, Some(900_001));
    assert!(repeat.is_harmful && !repeat.is_reworded);
}

#[test]
fn what_comes_faster_than_a_model_can_answer_is_the_client() {
    let floor = u64::try_from(MODEL_FLOOR.as_millis()).unwrap();
    let repeat = only(again("soft", Told::Injected, floor - 2));
    assert_eq!((repeat.cause, repeat.confidence), (Cause::ClientResend, Confidence::Possible));
    let broken = only(again("status", Told::Injected, floor - 2));
    assert_eq!((broken.cause, broken.confidence), (Cause::ClientResend, Confidence::Likely));
    assert_eq!(kinds(&repeat), [ClueKind::FasterThanAModel]);
    assert_eq!(only(again("soft", Told::Injected, floor)).cause, Cause::ModelRetry);
}

#[test]
fn one_identity_on_both_calls_is_the_client_however_long_it_took() {
    let script = |second: &str| {
        Script::scenario("F1")
            .identity(IDENTITY, "\"toolu_1\"")
            .write("create_booking", &booking())
            .ghosted(1)
            .wait_ms(5_000)
            .identity(IDENTITY, second)
            .write("create_booking", &booking())
            .answered(2)
    };
    let same = only(script("\"toolu_1\""));
    assert_eq!((same.cause, same.confidence), (Cause::ClientResend, Confidence::Certain));
    let other = only(script("\"toolu_2\""));
    assert_eq!((other.cause, other.confidence), (Cause::ModelRetry, Confidence::Certain));
}

#[test]
fn a_re_send_is_matched_to_its_own_call_among_several() {
    let script = Script::scenario("F1")
        .identity(IDENTITY, "\"a\"")
        .write("create_booking", &booking())
        .ghosted(1)
        .wait_ms(900)
        .identity(IDENTITY, "\"b\"")
        .write("create_booking", &booking())
        .answered(2)
        .wait_ms(900)
        .identity(IDENTITY, "\"a\"")
        .write("create_booking", &booking())
        .answered(3);
    let found = repeats(script);
    assert_eq!(found[0].cause, Cause::ModelRetry);
    assert_eq!((found[1].cause, found[1].repeats), (Cause::ClientResend, Some(1)));
}

#[test]
fn a_turn_s_identity_does_not_make_two_calls_one() {
    let turn = "x-codex-turn-metadata";
    let script = Script::scenario("F1")
        .identity(turn, "{\"turn_id\":1}")
        .write("create_booking", &booking())
        .ghosted(1)
        .wait_ms(900)
        .identity(turn, "{\"turn_id\":1}")
        .write("create_booking", &booking())
        .answered(2);
    assert_eq!(only(script).cause, Cause::ModelRetry);
}

#[test]
fn a_session_opened_after_a_broken_transport_speaks_for_the_client() {
    let script = |shape: &str, told: Told| {
        let start = Start { shape: Some(shape.to_owned()), ..Start::default() };
        let script = Script::new(start).session(0, "agent 1");
        let script = script.write("create_booking", &booking()).executed(1).told(1, told);
        let script = script.wait_ms(2_000).session(1, "agent 1");
        script.write("create_booking", &booking()).answered(2)
    };
    let lost = only(script("close", Told::Nothing));
    assert_eq!((lost.cause, lost.confidence), (Cause::ClientResend, Confidence::Likely));
    assert!(kinds(&lost).contains(&ClueKind::SessionReopened));
    // A stack that opens a session for each call does so after a readable answer, too.
    assert_eq!(only(script("soft", Told::Injected)).cause, Cause::ModelRetry);
    assert_eq!(only(script("soft", Told::Upstream)).cause, Cause::ModelRetry);
    assert_eq!(only(script("status", Told::Injected)).cause, Cause::ClientResend);
}

#[test]
fn calls_under_way_together_are_one_turn_s() {
    let script = Script::scenario("F4")
        .write("create_booking", &booking())
        .write("create_booking", &booking())
        .answered(1)
        .answered(2);
    let repeat = only(script);
    assert_eq!((repeat.cause, repeat.gap_us), (Cause::ParallelCalls, None));
    assert_eq!(kinds(&repeat), [ClueKind::Overlap]);
}

#[test]
fn calls_of_one_turn_that_a_client_sends_one_after_the_other_are_known_too() {
    let named = Script::scenario("F4")
        .identity(IDENTITY, "\"a\"")
        .write("create_booking", &booking())
        .answered(1)
        .identity(IDENTITY, "\"b\"")
        .write("create_booking", &booking())
        .answered(2);
    let named = only(named);
    assert_eq!((named.cause, named.confidence), (Cause::ParallelCalls, Confidence::Certain));
    let nameless = Script::scenario("F4")
        .write("create_booking", &booking())
        .answered(1)
        .write("create_booking", &booking())
        .answered(2);
    assert_eq!(only(nameless).cause, Cause::ParallelCalls, "a client does not repeat a success");
}

#[test]
fn a_call_after_the_agent_gave_up_is_measured_from_there() {
    let script = Script::scenario("F1")
        .write("create_booking", &booking())
        .wait_ms(60_000)
        .event(Event::Cancelled { attempt: 1 })
        .wait_ms(1_500)
        .write("create_booking", &booking())
        .answered(1)
        .answered(2);
    let repeat = only(script);
    assert_eq!((repeat.cause, repeat.confidence), (Cause::ModelRetry, Confidence::Possible));
    assert_eq!(repeat.gap_us, Some(1_500_001));
}

#[test]
fn silence_ends_when_the_client_gives_up() {
    let script = |gap_ms| {
        let start = Start { shape: Some("silence".to_owned()), ..Start::default() };
        Script::new(start)
            .write("create_booking", &booking())
            .executed(1)
            .told(1, Told::Nothing)
            .wait_ms(60_000)
            .event(Event::Cancelled { attempt: 1 })
            .wait_ms(gap_ms)
            .write("create_booking", &booking())
            .answered(2)
    };
    assert_eq!(only(script(20)).cause, Cause::ClientResend);
    assert_eq!(only(script(900)).cause, Cause::ModelRetry);
    // Without a word nobody sends again at once; such calls were under way together.
    assert_eq!(only(again("silence", Told::Nothing, 20)).cause, Cause::ParallelCalls);
}

#[test]
fn a_write_in_other_words_is_a_repeat_of_the_first() {
    let reworded = json!({"customer": " muster ag ", "date": "3 November 2026"});
    let script = Script::scenario("F1")
        .write("create_booking", &booking())
        .ghosted(1)
        .wait_ms(900)
        .write("create_booking", &reworded)
        .answered(2);
    let repeat = only(script);
    assert!(repeat.is_reworded && repeat.is_harmful);
    assert_eq!(repeat.cause, Cause::ModelRetry);
}

#[test]
fn a_round_that_goes_on_and_a_read_are_no_repeats() {
    let script = Script::scenario("F1")
        .write("create_booking", &booking())
        .concluded(1, Outcome::Interim, Answer::Ok)
        .told(1, Told::Upstream)
        .continues(1)
        .write("create_booking", &booking())
        .answered(2)
        .read("find_bookings", &json!({}))
        .read("find_bookings", &json!({}));
    assert_eq!(repeats(script), []);
}

#[test]
fn our_own_delivery_is_named_as_ours() {
    let fault = Fault {
        name: "redelivery".to_owned(),
        kind: "redelivery".to_owned(),
        rule: 0,
        shape: None,
        sent: true,
        ghost: false,
        retry_after_us: None,
    };
    let script = Script::scenario("redelivery")
        .write("create_booking", &booking())
        .event(Event::Injected { attempt: 1, fault })
        .event(Event::Redelivered { attempt: 1, outcome: Outcome::Executed })
        .answered(1);
    let repeat = only(script);
    assert_eq!((repeat.cause, repeat.confidence), (Cause::Redelivery, Confidence::Certain));
    assert_eq!((repeat.attempt, repeat.repeats), (1, None));
}

fn probe(records: u64) -> Event {
    Event::Probed {
        tool: "list_bookings".to_owned(),
        when: "end".to_owned(),
        records: Some(records),
        digest: records.to_string(),
    }
}

#[test]
fn more_records_than_calls_are_the_upstream_s_doing() {
    let one = Script::scenario("F4")
        .event(probe(3))
        .write("create_booking", &booking())
        .answered(1)
        .event(probe(5));
    let repeat = only(one);
    assert_eq!((repeat.cause, repeat.confidence), (Cause::UpstreamDouble, Confidence::Likely));
    assert_eq!(kinds(&repeat), [ClueKind::Probe]);
    for records in [3, 4] {
        let script = Script::scenario("F4")
            .event(probe(3))
            .write("create_booking", &booking())
            .answered(1)
            .event(probe(records));
        assert_eq!(repeats(script), [], "{records} records");
    }
}

#[test]
fn a_write_of_unknown_outcome_accounts_for_one_more_record() {
    let script = |records| {
        Script::scenario("F4")
            .event(probe(0))
            .write("create_booking", &booking())
            .answered(1)
            .wait_ms(900)
            .write("create_order", &booking())
            .concluded(2, Outcome::Unknown, Answer::IsError)
            .told(2, Told::Upstream)
            .event(probe(records))
    };
    assert_eq!(repeats(script(2)), []);
    assert_eq!(only(script(3)).confidence, Confidence::Possible);
}

#[test]
fn a_repeat_that_was_meant_does_no_harm() {
    let start = Start { expect: vec![("remind".to_owned(), 2)], ..Start::default() };
    let script = Script::new(start)
        .write("remind", &booking())
        .answered(1)
        .wait_ms(900)
        .write("remind", &booking())
        .answered(2)
        .wait_ms(900)
        .write("remind", &booking())
        .answered(3);
    let harmful: Vec<_> = repeats(script).iter().map(|repeat| repeat.is_harmful).collect();
    assert_eq!(harmful, [false, true]);
}
