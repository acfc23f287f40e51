//! The single values inside a canonical text, so that two operations can be compared in part.

/// One value, with the name of the field it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The field's name; empty at the top and inside a list at the top.
    pub name: String,
    /// The value: a text without quotes, or `n:…` for a number, `d:…` for a day.
    pub value: String,
}

/// Every text, number and day in a text that [`exact`](crate::exact) or [`loose`](crate::loose)
/// made. Anything else gives what can be made out, which may be nothing.
pub fn scalars(canonical: &str) -> Vec<Scalar> {
    let mut found = Vec::new();
    let mut name = String::new();
    let mut rest = canonical;
    while let Some(first) = rest.chars().next() {
        let (piece, after) = match first {
            '"' => split_text(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => rest.split_at(1),
            _ => rest.split_at(rest.find([',', '}', ']']).unwrap_or(rest.len())),
        };
        rest = after;
        match first {
            '"' => {
                let text = serde_json::from_str::<String>(piece).unwrap_or_default();
                match rest.strip_prefix(':') {
                    Some(after) => (name, rest) = (text, after),
                    None => found.push(Scalar { name: name.clone(), value: text }),
                }
            }
            'n' | 'd' if piece.starts_with("n:") || piece.starts_with("d:") => {
                found.push(Scalar { name: name.clone(), value: piece.to_owned() });
            }
            _ => {}
        }
    }
    found
}

/// The quoted text at the start, and what follows it.
fn split_text(text: &str) -> (&str, &str) {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return text.split_at(at + 1),
            _ => {}
        }
    }
    text.split_at(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::scalars;
    use crate::canonical::{exact, loose};

    fn pairs(canonical: &str) -> Vec<(String, String)> {
        scalars(canonical).into_iter().map(|it| (it.name, it.value)).collect()
    }

    #[test]
    fn every_single_value_is_found_with_its_field() {
        let value = json!({
            "who": "A \"b\", {c}", "n": 25, "day": "2026-11-03", "on": true, "none": null,
            "in": {"tag": ["x", 2]}, "empty": {}
        });
        let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            pairs(&loose(&value)),
            [
                text("day", "d:2026-11-03"),
                text("tag", "x"),
                text("tag", "n:2e0"),
                text("n", "n:25e0"),
                text("who", "a \"b\", {c}"),
            ]
        );
        assert_eq!(pairs(&exact(&json!("a"))), [text("", "a")]);
    }

    proptest! {
        #[test]
        fn a_text_comes_back_whatever_it_holds(name in ".*", value in ".*", noise in ".*") {
            let canonical = exact(&json!({ name.clone(): value.clone() }));
            prop_assert_eq!(pairs(&canonical), [(name, value)]);
            scalars(&noise);
        }
    }
}
