//! Whatever a ledger says, and in whatever order, a whole report comes of it.

use checkrein_ledger::{
    Answer, Class, Entry, Event, Evidence, Fault, Instant, Outcome, Received, Start, Told,
};
use checkrein_report::{Document, Format, Status};
use checkrein_verdict::{Judgement, Run, Verdict};
use proptest::prelude::*;

use crate::schema::validate;

fn attempt() -> impl Strategy<Value = u64> {
    1..6_u64
}

fn fault() -> impl Strategy<Value = Fault> {
    let kinds = prop::sample::select(vec!["", "ghost-write", "stale-read", "success-that-lies"]);
    let wait = prop::option::of(prop_oneof![0..3_000_u64, Just(u64::MAX)]);
    (kinds, any::<bool>(), any::<bool>(), wait).prop_map(|(kind, sent, ghost, retry_after_us)| {
        let (name, kind) = ("F1".to_owned(), kind.to_owned());
        Fault { name, kind, rule: 0, shape: None, sent, ghost, retry_after_us }
    })
}

fn received() -> impl Strategy<Value = Event> {
    use Class::{NotOffered, Read, Unclassified, Write};
    let tool = prop::sample::select(vec![
        ("create_booking", Write),
        ("remind", Write),
        ("get_booking", Read),
        ("sync", Unclassified),
        ("ghost", NotOffered),
    ]);
    let operation = prop::sample::select(vec!["{}", "{\"a\":n:1e0,}", "{\"a\":\"X\",}", "raw:{"]);
    let identity = prop::option::of(prop::sample::select(vec!["\"a\"", "\"b\"", "null"]));
    let rest = (0..2_u64, prop::option::of(attempt()), 0..9_u64);
    (attempt(), tool, operation, identity, rest).prop_map(
        |(attempt, (tool, class), operation, identity, (connection, continues, id))| {
            let identities = identity.map(|value| ("callId".to_owned(), value.to_owned()));
            Event::Received(Received {
                attempt,
                connection,
                request_id: id.to_string(),
                tool: tool.to_owned(),
                class,
                operation: operation.to_owned(),
                loose: operation.to_lowercase(),
                arguments_digest: String::new(),
                identities: identities.into_iter().collect(),
                continues,
                repeats_part: continues.filter(|_| id == 1),
                in_batch: id == 0,
            })
        },
    )
}

fn concluded() -> impl Strategy<Value = Event> {
    let outcome = prop::sample::select(vec![
        Outcome::Executed,
        Outcome::Executed,
        Outcome::Rejected,
        Outcome::Unknown,
        Outcome::Interim,
    ]);
    let evidence = prop::sample::select(vec![
        Evidence::Answer,
        Evidence::LateAnswer,
        Evidence::Probe,
        Evidence::None,
    ]);
    let answer = prop::sample::select(vec![
        Answer::Ok,
        Answer::IsError,
        Answer::RpcError,
        Answer::Unreadable,
        Answer::None,
    ]);
    (attempt(), outcome, evidence, answer).prop_map(|(attempt, outcome, evidence, answer)| {
        Event::Concluded { attempt, outcome, evidence, answer }
    })
}

fn event() -> impl Strategy<Value = Event> {
    let told = prop::sample::select(vec![
        Told::Upstream,
        Told::Upstream,
        Told::Injected,
        Told::Lost,
        Told::Nothing,
    ]);
    let records = prop::option::of(0..5_u64);
    prop_oneof![
        8 => received(),
        6 => attempt().prop_map(|attempt| Event::Forwarded { attempt }),
        6 => concluded(),
        6 => (attempt(), told).prop_map(|(attempt, told)| Event::Told { attempt, told }),
        3 => (attempt(), fault()).prop_map(|(attempt, fault)| Event::Injected { attempt, fault }),
        1 => attempt().prop_map(|attempt| Event::Cancelled { attempt }),
        1 => attempt().prop_map(|attempt| {
            Event::Redelivered { attempt, outcome: Outcome::Executed }
        }),
        1 => (0..2_u64, prop::option::of(Just("agent 1".to_owned())))
            .prop_map(|(connection, client)| Event::SessionOpened { connection, client }),
        1 => records.prop_map(|records| Event::Probed {
            tool: "list_bookings".to_owned(),
            when: "after".to_owned(),
            records,
            digest: "ä".repeat(9),
        }),
        1 => Just(Event::UpstreamGone { code: None }),
        1 => Just(Event::Started(Start::default())),
        1 => Just(Event::Finished { why: "signal".to_owned() }),
    ]
}

/// Entries whose clock may stand still, jump, or run backwards.
fn ledger() -> impl Strategy<Value = Vec<Entry>> {
    let start = prop::sample::select(vec![None, Some("F1"), Some("F4")]);
    let expect = prop::collection::vec(Just(("remind".to_owned(), 2)), 0..2);
    let entry = (event(), prop_oneof![0..3_u64, 0..400_000_u64, Just(u64::MAX)], 1..3_u32);
    (start, expect, prop::collection::vec(entry, 0..40)).prop_map(|(scenario, expect, events)| {
        let scenario = scenario.map(str::to_owned);
        let start = Start { version: "0".to_owned(), scenario, expect, ..Start::default() };
        let started = (Event::Started(start), 1, 1);
        let entries = std::iter::once(started).chain(events).zip(1..);
        entries
            .map(|((event, at, process), seq)| Entry {
                v: 1,
                seq,
                at: Instant(at),
                wall_ms: 0,
                process,
                event,
                prev: String::new(),
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_whole_report_comes_of_any_ledger(entries in ledger()) {
        let run = Run::replay(&entries);
        let document = Document::of(&run, Status::Finished);
        let json = document.to_json();
        prop_assert_eq!(&serde_json::from_str::<Document>(&json).unwrap(), &document);
        let problems = validate(&serde_json::from_str(&json).unwrap()).problems;
        prop_assert_eq!(problems, Vec::<String>::new());
        prop_assert_eq!(document.score.is_some(), document.verdict != Verdict::NotTested);
        prop_assert_eq!(document.timeline.len() as u64 + document.left_out, run.attempts.len() as u64);
        for repeat in &document.repeats {
            prop_assert!(!repeat.evidence.is_empty());
            prop_assert_ne!(repeat.repeats, Some(repeat.attempt));
        }
        for format in Format::ALL {
            prop_assert!(!format.render(&document).is_empty());
        }
        prop_assert_eq!(Document::of(&Run::replay(&entries), Status::Finished), document);
    }

    #[test]
    fn a_brief_judgement_is_the_whole_one_at_every_moment(entries in ledger()) {
        let mut run = Run::default();
        for entry in &entries {
            run.apply(entry);
            let (whole, (brief, plain)) = (run.judge(), run.judge_briefly());
            let told = |judgement: &Judgement| -> Vec<_> {
                judgement.reasons.iter().map(|it| (it.code, it.detail.clone())).collect()
            };
            prop_assert_eq!(brief.verdict, whole.verdict);
            prop_assert_eq!(told(&brief), told(&whole));
            prop_assert_eq!(brief.score, whole.score);
            let executions = |judgement: &Judgement| -> u64 {
                judgement.operations.iter().map(|it| it.executions).sum()
            };
            prop_assert_eq!(executions(&brief) + plain, executions(&whole));
            prop_assert_eq!(brief.operations.len() as u64 + plain, whole.operations.len() as u64);
        }
    }
}
