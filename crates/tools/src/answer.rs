//! Results as every client accepts them: one JSON object.

use checkrein_mcp::Answer;
use serde_json::{Map, Value, json};

/// The object a result is sent as; what is no object gets one around it.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        Value::Array(items) => {
            let total = items.len();
            let mut object = Map::new();
            object.insert("items".to_owned(), items.into());
            object.insert("total".to_owned(), total.into());
            object
        }
        other => {
            let mut object = Map::new();
            object.insert("result".to_owned(), other);
            object
        }
    }
}

/// A result, and what of the call was not read.
pub(crate) fn result(value: Value, ignored: &[String]) -> Answer {
    let mut object = object(value);
    if !ignored.is_empty() {
        object.insert("_ignored".to_owned(), json!(ignored));
    }
    Answer::Result { structured: Value::Object(object), text: None }
}
