//! Runs of every kind, for the tests of what is made from them.

use checkrein_ledger::{Answer, Class, Event, Fault, Inputs, Outcome, Script, Start, Told, Tool};
use checkrein_report::{Document, Status};
use checkrein_verdict::Run;
use serde_json::{Value, json};

/// A finished run's report.
pub(crate) fn report(script: Script) -> Document {
    Document::of(&Run::replay(&script.finished().entries()), Status::Finished)
}

fn booking() -> Value {
    json!({"customer": "Muster AG", "date": "2026-11-03"})
}

fn tool(name: &str, class: Class, inputs: &[&str], required: &[&str]) -> Tool {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Tool {
        name: name.to_owned(),
        class,
        reason: "its name".to_owned(),
        inputs: Some(Inputs { names: owned(inputs), required: owned(required) }),
    }
}

/// A tool to write by without a key, and one to read by that needs an id.
fn tools() -> Event {
    Event::Tools(vec![
        tool("create_booking", Class::Write, &["customer", "date"], &["customer"]),
        tool("get_booking", Class::Read, &["booking_id"], &["booking_id"]),
    ])
}

fn fault(name: &str, sent: bool, retry_after_us: Option<u64>) -> Fault {
    Fault {
        name: name.to_owned(),
        kind: String::new(),
        rule: 0,
        shape: None,
        sent,
        ghost: false,
        retry_after_us,
    }
}

/// A ghost write; the model writes again without a look, first in the same words, then in others.
pub(crate) fn careless() -> Script {
    Script::scenario("F1")
        .event(tools())
        .session(0, "model-host 1.0")
        .wait_ms(40)
        .write("create_booking", &booking())
        .wait_ms(12)
        .ghosted(1)
        .wait_ms(1_800)
        .write("create_booking", &booking())
        .wait_ms(9)
        .answered(2)
        .wait_ms(700)
        .write("create_booking", &json!({"customer": "muster ag", "date": "3.11.2026"}))
        .answered(3)
}

/// A ghost write; the agent looks and leaves it.
pub(crate) fn careful() -> Script {
    Script::scenario("F1")
        .session(0, "model-host 1.0")
        .write("create_booking", &booking())
        .ghosted(1)
        .wait_ms(900)
        .read("get_weather", &json!({"city": "Berlin"}))
        .wait_ms(900)
        .read("list_bookings", &json!({"customer": "Muster AG"}))
}

/// A session lost after execution; the client sends the model's one call again.
pub(crate) fn resent() -> Script {
    let start = Start {
        scenario: Some("session-lost".to_owned()),
        shape: Some("status".to_owned()),
        ..Start::default()
    };
    let lost = Fault { ghost: true, ..fault("session-lost", true, None) };
    Script::new(start)
        .session(0, "claude-code 2.1.197")
        .identity("claudecode/toolUseId", "\"toolu_1\"")
        .write("create_booking", &booking())
        .executed(1)
        .event(Event::Injected { attempt: 1, fault: lost })
        .told(1, Told::Injected)
        .wait_ms(30)
        .session(1, "claude-code 2.1.197")
        .identity("claudecode/toolUseId", "\"toolu_1\"")
        .write("create_booking", &booking())
        .answered(2)
}

/// A 429 that the model does not wait for.
pub(crate) fn impatient() -> Script {
    let start = Start {
        scenario: Some("F2".to_owned()),
        shape: Some("soft".to_owned()),
        retry_after_s: Some(60),
        ..Start::default()
    };
    let limited = fault("F2", false, Some(60_000_000));
    Script::new(start)
        .received(Class::Write, "create_booking", &booking())
        .event(Event::Injected { attempt: 1, fault: limited })
        .told(1, Told::Injected)
        .wait_ms(2_500)
        .write("create_booking", &booking())
        .answered(2)
}

/// Everything else: parallel calls, a redelivery, a doubling upstream, lost and refused calls,
/// a cancel, rounds, an unknown tool, declared counts, two processes.
pub(crate) fn mixed() -> Script {
    let probe = |records| Event::Probed {
        tool: "list_orders".to_owned(),
        when: "after".to_owned(),
        records,
        digest: "0123456789abcdef".to_owned(),
    };
    let start = Start {
        chaos: true,
        error_rate: Some("0.3".to_owned()),
        seed: Some(7),
        expect: vec![("remind".to_owned(), 2), ("create_order".to_owned(), 9)],
        ..Start::default()
    };
    Script::new(start)
        .event(probe(Some(1)))
        .write("create_order", &json!({"who": "A"}))
        .write("create_order", &json!({"who": "A"}))
        .answered(1)
        .answered(2)
        .event(probe(Some(4)))
        .event(probe(None))
        .write("pay", &json!({}))
        .event(Event::Injected { attempt: 3, fault: fault("redelivery", true, None) })
        .event(Event::Redelivered { attempt: 3, outcome: Outcome::Executed })
        .answered(3)
        .process(200)
        .write("remind", &json!({"who": "A"}))
        .concluded(4, Outcome::Unknown, Answer::IsError)
        .told(4, Told::Upstream)
        .wait_ms(400)
        .write("remind", &json!({"who": "A"}))
        .concluded(5, Outcome::Rejected, Answer::RpcError)
        .told(5, Told::Upstream)
        .write("sign", &json!({}))
        .concluded(6, Outcome::Interim, Answer::Ok)
        .told(6, Told::Upstream)
        .continues(6)
        .write("sign", &json!({}))
        .answered(7)
        .received(Class::Unclassified, "sync", &json!({}))
        .event(Event::Forwarded { attempt: 8 })
        .concluded(8, Outcome::Unknown, Answer::Unreadable)
        .told(8, Told::Upstream)
        .received(Class::NotOffered, "no_such", &json!({}))
        .event(Event::Forwarded { attempt: 9 })
        .concluded(9, Outcome::Rejected, Answer::RpcError)
        .told(9, Told::Upstream)
        .write("drop", &json!({}))
        .event(Event::Cancelled { attempt: 10 })
        .write("wait", &json!({}))
        .event(Event::UpstreamGone { code: Some(1) })
        .concluded(11, Outcome::Unknown, Answer::None)
        .told(11, Told::Lost)
        .write("hang", &json!({}))
}

/// Faults that lie in one way or another; the agent believes each.
pub(crate) fn deceived() -> Script {
    let of_kind = |kind: &str, sent, ghost| Fault {
        kind: kind.to_owned(),
        ghost,
        ..fault("a-user's-own", sent, None)
    };
    let lie = of_kind("success-that-lies", false, true);
    let start = Start { scenario: Some("a-user's-own".to_owned()), ..Start::default() };
    Script::new(start)
        .received(Class::Write, "create_booking", &booking())
        .event(Event::Injected { attempt: 1, fault: lie })
        .told(1, Told::Injected)
        .write("pay", &json!({"amount": 3}))
        .executed(2)
        .event(Event::Injected { attempt: 2, fault: of_kind("error-that-lies", true, true) })
        .told(2, Told::Injected)
        .received(Class::Read, "get_payment", &json!({"amount": 3}))
        .event(Event::Injected { attempt: 3, fault: of_kind("stale-read", false, false) })
        .told(3, Told::Injected)
        .write("sign", &json!({}))
        .event(Event::Injected { attempt: 4, fault: of_kind("slow-drip", true, false) })
        .answered(4)
        .write("silent", &json!({}))
        .executed(5)
        .event(Event::Injected { attempt: 5, fault: of_kind("ghost-write", true, true) })
        .told(5, Told::Nothing)
}

/// Every run, with its name.
pub(crate) fn all() -> Vec<(&'static str, Document)> {
    vec![
        ("empty", report(Script::new(Start::default()))),
        ("careless", report(careless())),
        ("careful", report(careful())),
        ("resent", report(resent())),
        ("impatient", report(impatient())),
        ("mixed", report(mixed())),
        ("deceived", report(deceived())),
    ]
}
