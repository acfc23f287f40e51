//! The story of a pipeline run: what it asks for, what it is given, and what is still missing.
//!
//! The hook in [`crate::hooks`] asks the platform; everything here decides over plain values.

pub(crate) mod given;
pub(crate) mod identity;
pub(crate) mod input_sets;
pub(crate) mod log_key;
pub(crate) mod merge;
pub(crate) mod placeholder;
pub(crate) mod prepare;
pub(crate) mod remote;
pub(crate) mod resolve;
pub(crate) mod shorthand;
pub(crate) mod template;
pub(crate) mod template_cache;

#[cfg(test)]
pub(crate) mod prepared;

use serde_json::Value;

/// Adds a key to a result that is an object; any other has no room for it.
pub(crate) fn put(result: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(result) = result {
        result.insert(key.to_owned(), value.into());
    }
}
