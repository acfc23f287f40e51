//! A body of form parts (RFC 7578).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::{Part, WireBody};
use crate::call::CallError;
use crate::scope::{Settled, scalar_text};

/// The largest file the platform's file store takes.
const MAX_FILE_BYTES: usize = 100_000_000;

/// Builds the parts out of an object of fields.
pub(super) fn build(settled: &Settled<'_>, fields: Value) -> Result<WireBody, CallError> {
    let refuse = |why: String| CallError::Body { call: settled.call.name(), why };
    let Value::Object(fields) = fields else {
        return Err(refuse("must be an object of form fields".to_owned()));
    };
    let mut parts = Vec::new();
    for (name, value) in &fields {
        let values = match value {
            Value::Array(items) => items.iter().collect(),
            one => vec![one],
        };
        for value in values {
            parts.extend(part(name, value).map_err(refuse)?);
        }
    }
    Ok(WireBody::Multipart(parts))
}

fn part(name: &str, value: &Value) -> Result<Option<Part>, String> {
    let Value::Object(file) = value else {
        return Ok(scalar_text(value).map(|text| Part {
            name: name.to_owned(),
            filename: None,
            media_type: None,
            bytes: text.into_bytes(),
        }));
    };
    let text = |key: &str| file.get(key).and_then(Value::as_str);
    Ok(Some(Part {
        name: name.to_owned(),
        filename: text("filename").map(header_safe),
        media_type: text("media_type").map(header_safe),
        bytes: content(name, file)?,
    }))
}

fn content(name: &str, file: &Map<String, Value>) -> Result<Vec<u8>, String> {
    let too_large = || format!("holds more than {} MB in `{name}`", MAX_FILE_BYTES / 1_000_000);
    if let Some(Value::String(text)) = file.get("base64") {
        // Judged before it is decoded, so that nothing huge is copied first.
        if text.len() / 4 * 3 > MAX_FILE_BYTES + 3 {
            return Err(too_large());
        }
        let compact: String = text.split_ascii_whitespace().collect();
        return STANDARD
            .decode(compact)
            .map_err(|error| format!("has a `{name}` that is not base64: {error}"));
    }
    let text = file.get("text").and_then(scalar_text).unwrap_or_default();
    if text.len() > MAX_FILE_BYTES { Err(too_large()) } else { Ok(text.into_bytes()) }
}

/// Text that can stand in a header of its part.
fn header_safe(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}
