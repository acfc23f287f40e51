//! `checkrein report`: forms, files, refusals and exit codes.

use std::path::Path;

use checkrein_ledger::{
    Answer, Class, Event, Evidence, Fault, Ledger, Outcome, Received, Start, Told,
};
use checkrein_testkit::Place;

/// Leaves a run directory in which a ghost write was, or was not, sent again.
pub(crate) fn leave_run(directory: &Path, is_repeated: bool) {
    let start = Start {
        version: "0.0.0".to_owned(),
        scenario: Some("F1".to_owned()),
        shape: Some("soft".to_owned()),
        ..Start::default()
    };
    let fault = Fault {
        name: "F1".to_owned(),
        kind: String::new(),
        rule: 0,
        shape: None,
        sent: true,
        ghost: true,
        retry_after_us: None,
    };
    let mut events = vec![Event::Started(start)];
    events.extend(call(1));
    events.push(Event::Injected { attempt: 1, fault });
    events.push(Event::Told { attempt: 1, told: Told::Injected });
    if is_repeated {
        events.extend(call(2));
        events.push(Event::Told { attempt: 2, told: Told::Upstream });
    }
    events.push(Event::Finished { why: "end_of_input".to_owned() });
    let (mut ledger, _) = Ledger::open(directory).unwrap();
    // One by one, as a proxy writes them: each has a time of its own.
    for event in events {
        ledger.append(|_| vec![event]).unwrap();
    }
}

fn call(attempt: u64) -> [Event; 3] {
    let received = Received {
        attempt,
        connection: 0,
        request_id: attempt.to_string(),
        tool: "create_booking".to_owned(),
        class: Class::Write,
        operation: "{}".to_owned(),
        loose: "{}".to_owned(),
        arguments_digest: String::new(),
        identities: Vec::new(),
        continues: None,
        repeats_part: None,
        in_batch: false,
    };
    let (outcome, evidence, answer) = (Outcome::Executed, Evidence::Answer, Answer::Ok);
    [
        Event::Received(received),
        Event::Forwarded { attempt },
        Event::Concluded { attempt, outcome, evidence, answer },
    ]
}

fn report(place: &Place, arguments: &[&str]) -> (Option<i32>, String, String) {
    let words: Vec<&str> = ["report"].iter().chain(arguments).copied().collect();
    let output = place.run(&words);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_run_directory_is_shown_in_every_form() {
    let place = Place::new();
    leave_run(&place.path().join("run"), true);
    for (arguments, opening) in [
        (vec!["run"], "Checkrein report\n"),
        (vec!["run", "--format", "text"], "Checkrein report\n"),
        (vec!["run", "--format", "md"], "<!-- checkrein report -->\n\n# Checkrein: FAIL"),
        (vec!["run", "--format", "html"], "<!doctype html>\n"),
        (vec!["run", "--format", "junit"], "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"),
        (vec!["run", "--format", "json"], "{\n  \"schema\": \"checkrein.report.v1\""),
    ] {
        let (code, text, complaints) = report(&place, &arguments);
        assert_eq!((code, complaints.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(text.starts_with(opening), "{arguments:?}: {text}");
        assert!(text.contains("create_booking"), "{arguments:?}");
    }
}

#[test]
fn a_report_made_anew_is_one_that_can_be_read() {
    let place = Place::new();
    leave_run(&place.path().join("run"), true);
    assert_eq!(report(&place, &["run", "--out", "again.json"]).0, Some(0));
    let (_, from_run, _) = report(&place, &["run"]);
    let (code, from_file, _) = report(&place, &["again.json"]);
    assert_eq!((code, from_file), (Some(0), from_run));
}

#[test]
fn the_exit_code_says_what_was_asked_for() {
    let place = Place::new();
    leave_run(&place.path().join("fail"), true);
    leave_run(&place.path().join("pass"), false);
    place.run(&["report"]);
    let (mut ledger, _) = Ledger::open(&place.path().join("untested")).unwrap();
    ledger.append(|_| vec![Event::Started(Start::default())]).unwrap();
    for (run, limit, code) in [
        ("fail", "fail", 3),
        ("fail", "not-tested", 3),
        ("pass", "fail", 0),
        ("pass", "not-tested", 0),
        ("untested", "fail", 0),
        ("untested", "not-tested", 3),
    ] {
        let (found, text, _) = report(&place, &[run, "--fail-on", limit]);
        assert_eq!(found, Some(code), "{run} {limit}");
        assert!(!text.is_empty(), "the report is shown all the same");
    }
    assert_eq!(report(&place, &["fail"]).0, Some(0), "a verdict alone is no failure");
    for wrong in [&["fail", "--format", "pdf"][..], &["fail", "--fail-on", "x"], &[], &[""]] {
        let (code, text, complaints) = report(&place, wrong);
        assert_eq!((code, text.as_str()), (Some(2), ""), "{wrong:?}");
        assert!(complaints.contains("error:"), "{wrong:?}");
    }
    assert_eq!(report(&place, &["nowhere"]).0, Some(1));
}

#[test]
fn only_an_earlier_rendering_is_replaced() {
    let place = Place::new();
    leave_run(&place.path().join("run"), true);
    assert_eq!(report(&place, &["run", "--out", "report.json"]).0, Some(0));
    for file in ["page.html", "page.md", "page.xml", "page.txt"] {
        for _ in 0..2 {
            let (code, text, complaints) = report(&place, &["report.json", "--out", file]);
            assert_eq!((code, text.as_str()), (Some(0), ""), "{file}: {complaints}");
        }
    }
    assert!(place.read("page.html").starts_with("<!doctype html>"));
    assert!(place.read("page.xml").starts_with("<?xml"));
    // Another form over it is fine: it is a rendering of ours.
    assert_eq!(report(&place, &["run", "--format", "text", "--out", "page"]).0, Some(0));
    assert_eq!(report(&place, &["run", "--format", "md", "--out", "page"]).0, Some(0));
    for (arguments, why) in [
        (&["run", "--format", "html", "--out", "page.md"][..], "is named for `md`"),
        (&["run", "--out", "page.pdf"], "does not say in which form"),
        (&["run", "--out", "noext"], "does not say in which form"),
    ] {
        let (code, _, complaints) = report(&place, arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(complaints.contains(why), "{complaints}");
        assert!(!place.path().join(arguments.last().unwrap()).exists() || arguments[1] != "--out");
    }

    place.write("diary.html", "<p>Dear diary</p>");
    let measured = place.read("report.json");
    for file in ["diary.html", "report.json", "run/events.jsonl", "run", "no/such/page.html"] {
        let (code, text, complaints) = report(&place, &["report.json", "--out", file]);
        assert_eq!((code, text.as_str()), (Some(2), ""), "{file}");
        assert!(complaints.starts_with("error: "), "{complaints}");
    }
    assert_eq!(place.read("diary.html"), "<p>Dear diary</p>");
    assert_eq!(place.read("report.json"), measured);
    assert_eq!(report(&place, &["run"]).0, Some(0), "the ledger is as it was");
}
