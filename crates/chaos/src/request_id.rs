//! Request ids by value: two peers may write one id in two ways (RFC 8259 sections 6 and 7).

use std::borrow::Cow;

use checkrein_ledger::exact;
use serde_json::Value;

/// One text for all spellings of an id; one that is no JSON value stays as it is.
pub(crate) fn by_value(id: &str) -> Cow<'_, str> {
    // A string without escapes has no other spelling but those with them.
    if id.starts_with('"') && !id.contains('\\') {
        return Cow::Borrowed(id);
    }
    match serde_json::from_str::<Value>(id) {
        Ok(Value::String(text)) => Cow::Owned(Value::String(text).to_string()),
        Ok(value) => Cow::Owned(exact(&value)),
        Err(_) => Cow::Borrowed(id),
    }
}

/// Whether both are the same id.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one == other || by_value(one) == by_value(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_id_has_one_value_however_it_is_written() {
        for spellings in [
            &["\"bü-1\"", r#""b\u00fc-1""#, r#""b\u00FC-1""#][..],
            &["\"a/1\"", r#""a\/1""#],
            &["1", "1.0", "1e0", "10e-1"],
            &["100", "1e2"],
            &["12345678901234567890123", "12345678901234567890123.0"],
        ] {
            assert!(spellings.iter().all(|other| same(spellings[0], other)), "{spellings:?}");
        }
    }

    #[test]
    fn different_ids_stay_different() {
        let ids = ["1", "\"1\"", "\"1.0\"", "10", "-1", "null", "\"a\"", "\"A\"", "\"n:1e0\"", "x"];
        for one in ids {
            for other in ids {
                assert_eq!(same(one, other), one == other, "{one} {other}");
            }
        }
    }

    #[test]
    fn the_value_of_a_value_is_the_same() {
        for id in ["1.50", r#""a\/1""#, "\"a\"", "x", "1e400"] {
            assert_eq!(by_value(&by_value(id)), by_value(id), "{id}");
        }
    }
}
