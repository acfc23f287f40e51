//! What every kind of fault must keep to.

use std::time::SystemTime;

use super::*;

fn said(kind: &Kind) -> Option<Reply> {
    match kind.told {
        Speech::Own => None,
        Speech::Instead(reply) => {
            Some(reply(&With::defaults(kind.takes), Now(SystemTime::UNIX_EPOCH)))
        }
    }
}

#[test]
fn names_are_unique_and_found() {
    for kind in KINDS {
        assert_eq!(super::kind(kind.id).map(|found| found.about), Some(kind.about));
    }
    assert_eq!(super::kind("ghost-writer"), None);
}

#[test]
fn no_text_gives_the_harness_away() {
    for reply in KINDS.into_iter().filter_map(said) {
        let all = format!("{reply:?}").to_lowercase();
        for word in ["inject", "chaos", "checkrein", "fault", "proxy", "scenario", "simulat"] {
            assert!(!all.contains(word), "{word}: {all}");
        }
    }
}

#[test]
fn every_kind_has_a_shape_and_says_what_it_counts() {
    for kind in KINDS {
        assert!(!kind.shapes.is_empty() && !kind.counts.is_empty(), "{}", kind.id);
        assert_eq!(kind.default_shape(), Shape::Soft, "{}", kind.id);
    }
}

#[test]
fn what_is_written_is_json_with_the_id_as_it_came() {
    for reply in KINDS.into_iter().filter_map(said) {
        for shape in [Shape::Soft, Shape::Error] {
            let frame = write(&reply, shape, "1e400", true).unwrap();
            let text = String::from_utf8(frame).unwrap();
            assert!(text.starts_with(r#"{"jsonrpc":"2.0","id":1e400,"#), "{text}");
            serde_json::from_str::<serde_json::Value>(&text).unwrap();
        }
    }
}

#[test]
fn a_date_to_come_back_at_is_never_before_the_wait_is_over() {
    let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(1_999);
    let Speech::Instead(reply) = super::kind("unavailable").unwrap().told else { panic!() };
    let said = reply(&With::defaults(super::kind("unavailable").unwrap().takes), Now(now));
    assert!(said.text.ends_with("Retry-After: Thu, 01 Jan 1970 00:01:02 GMT"), "{}", said.text);
}
