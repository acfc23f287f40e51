use proptest::prelude::*;
use serde_json::json;

use super::*;

fn json_values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::String),
        "[ \\n\\ta:#\\-|>'\"]{0,10}".prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec(("[a-z :#\\-0-9]{0,6}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in json_values()) {
        let text = to_text(&value);
        let again = from_text(&text).map_err(|why| TestCaseError::fail(format!("{why}\n{text}")))?;
        prop_assert_eq!(again, value, "{}", text);
    }

    #[test]
    fn reading_never_panics(text in "[ \\n\\ta-c:#\\-|>'\"{}\\[\\],&*!?%@0-9]{0,60}") {
        let _ = from_text(&text);
    }
}

#[test]
fn numbers_keep_their_digits_and_texts_stay_texts() {
    let value = json!({"a": "1", "b": "yes", "c": "null", "d": "2024-01-01"});
    assert_eq!(from_text(&to_text(&value)).unwrap(), value);
    let text = "big: 123456789012345678901234567890\ndecimal: 1.10\n";
    assert_eq!(to_text(&from_text(text).unwrap()), text);
}

#[test]
fn nested_aliases_cannot_multiply_without_limit() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let below = format!("*a{}", level - 1);
        let items = vec![below; 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    assert!(from_text(&text).unwrap_err().contains("more than"));
}

#[test]
fn a_block_of_lines_is_written_as_one() {
    let value = json!({"script": "echo a\necho b\n", "list": [{"k": "v", "m": [1]}, "x"]});
    assert_eq!(
        to_text(&value),
        "script: |\n  echo a\n  echo b\nlist:\n  - k: v\n    m:\n      - 1\n  - x\n"
    );
}
