use super::*;

const READ: Asked = Asked { write: false, binary: false, attempts: 1, earlier: None };
const WRITE: Asked = Asked { write: true, ..READ };

fn sniff(asked: Asked, body: &[u8]) -> Result<Reply, ApiError> {
    let head = Head { status: 200, headers: HeaderMap::new() };
    Reply::sniff(head, Bytes::copy_from_slice(body), asked)
}

#[test]
fn json_of_every_kind_is_accepted() {
    for body in ["{}", " [1] ", "\"text\"", "12", "-1.5e3", "true", "null", "\u{feff}{}"] {
        assert!(sniff(READ, body.as_bytes()).is_ok(), "{body}");
    }
}

#[test]
fn an_empty_reply_says_so() {
    for body in ["", " \r\n"] {
        let reply = sniff(WRITE, body.as_bytes()).unwrap();
        assert_eq!(reply.json().unwrap(), json!({"status": "SUCCESS", "message": "No content"}));
        assert_eq!(reply.outcome, Some(Outcome::Applied));
    }
}

#[test]
fn a_page_a_cut_reply_and_a_text_are_told_apart() {
    for (body, kind) in [
        ("<html><body>login</body></html>", Kind::Html),
        ("\n<!DOCTYPE html>", Kind::Html),
        ("{\"data\": {\"a\": 1", Kind::Cut),
        ("[1,2", Kind::Cut),
        ("\"", Kind::Cut),
        ("hello", Kind::NotJson),
        ("nothing here", Kind::NotJson),
        ("function redirect() {}", Kind::NotJson),
        ("12 apples", Kind::NotJson),
        ("event: x", Kind::NotJson),
    ] {
        let error = sniff(WRITE, body.as_bytes()).unwrap_err();
        assert_eq!(error.kind, kind, "{body}");
        assert_eq!(error.outcome, Some(Outcome::Unknown), "{body}");
        assert_eq!(sniff(READ, body.as_bytes()).unwrap_err().outcome, None, "{body}");
        assert!(!error.to_string().contains("login<") && !error.to_string().contains('<'));
    }
}

#[test]
fn a_reply_that_only_a_parser_sees_through_is_refused_late() {
    let reply = sniff(WRITE, br#"{"a": [1, 2}"#).unwrap();
    assert_eq!(reply.json().unwrap_err().kind, Kind::NotJson);
    let reply = sniff(WRITE, br#"{"a": {"b": 1}"#).unwrap();
    let error = reply.json().unwrap_err();
    assert_eq!((error.kind, error.outcome), (Kind::Cut, Some(Outcome::Unknown)));
}

#[test]
fn bytes_are_not_sniffed() {
    let reply = sniff(Asked { binary: true, ..READ }, b"<html>").unwrap();
    assert_eq!(&reply.body[..], b"<html>");
}

#[test]
fn digits_survive() {
    let reply = sniff(READ, b"{\"id\":12345678901234567890123}").unwrap();
    assert_eq!(reply.json().unwrap().to_string(), "{\"id\":12345678901234567890123}");
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_reply_or_a_short_error(body: Vec<u8>, write: bool) {
        let outcome = sniff(Asked { write, ..READ }, &body).and_then(|reply| reply.json());
        if let Err(error) = outcome {
            proptest::prop_assert!(error.to_string().len() < 400);
            proptest::prop_assert_eq!(error.outcome.is_some(), write);
        }
    }

    #[test]
    fn every_cut_of_an_object_is_noticed(end in 1usize..40) {
        let whole = br#"{"data":{"items":[{"a":"b"},{"c":null}]}}"#;
        let result = sniff(WRITE, &whole[..end.min(whole.len() - 1)]).and_then(|reply| reply.json());
        proptest::prop_assert_eq!(result.unwrap_err().kind, Kind::Cut);
    }
}
