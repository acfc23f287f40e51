//! YAML text to and from JSON values.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::request::BodyError;

/// Documents kept parsed: lists and runs read the same pipelines again and again.
const KEPT: usize = 128;
/// Longer documents are not kept.
const LONGEST_KEPT: usize = 64 * 1024;

static PARSED: LazyLock<Mutex<HashMap<String, Value>>> = LazyLock::new(Mutex::default);

/// Reads one YAML document.
pub fn parse(text: &str) -> Result<Value, BodyError> {
    if text.trim().is_empty() {
        return Err(BodyError::Empty);
    }
    let mut parsed = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = parsed.get(text) {
        return Ok(value.clone());
    }
    let value: Value =
        serde_saphyr::from_str(text).map_err(|error| BodyError::Malformed(error.to_string()))?;
    if text.len() <= LONGEST_KEPT {
        if parsed.len() >= KEPT {
            parsed.clear();
        }
        parsed.insert(text.to_owned(), value.clone());
    }
    Ok(value)
}

/// Writes a value as YAML.
pub fn write(value: &Value) -> String {
    serde_saphyr::to_string(&Plain(value)).unwrap_or_default()
}

/// A JSON value whose numbers serialize as numbers: with arbitrary precision, `serde_json`'s own
/// form is only understood by `serde_json`.
struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => to.serialize_unit(),
            Value::Bool(value) => to.serialize_bool(*value),
            Value::String(value) => to.serialize_str(value),
            Value::Number(number) => {
                if let Some(value) = number.as_i64() {
                    return to.serialize_i64(value);
                }
                match (number.as_u64(), number.as_f64()) {
                    (Some(value), _) => to.serialize_u64(value),
                    (None, Some(value)) => to.serialize_f64(value),
                    (None, None) => to.serialize_str(&number.to_string()),
                }
            }
            Value::Array(items) => {
                let mut list = to.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Plain(item))?;
                }
                list.end()
            }
            Value::Object(fields) => {
                let mut map = to.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, &Plain(value))?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_back() {
        let value = json!({"a": {"list": [1, 2.5, true, null, "<+input>", "yes", "1"]}, "b": ""});
        let text = super::write(&value);
        assert_eq!(super::parse(&text).unwrap(), value, "{text}");
    }

    #[test]
    fn a_mistake_is_an_error_with_its_place() {
        let error = super::parse("a: [1,\nb: }").unwrap_err().to_string();
        assert!(error.contains('2') || error.contains("line"), "{error}");
    }
}
