//! From the platform's reply to the result of a call.

mod fast;

use serde_json::{Map, Value};

use crate::call::{Call, CallError};
use crate::compact::{Keep, compact_list, normalise_list};
use crate::jq::{self, JqError};
use crate::link;
use crate::model::Reply;
use crate::request::WireRequest;
use crate::scope::Settled;

/// Why a reply became no result.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// It is not JSON.
    #[error("the platform's reply to {call} is not JSON: {source}")]
    NotJson {
        /// `service.list`.
        call: String,
        /// Where it stops being JSON.
        source: serde_json::Error,
    },
    /// The program that reads it refused.
    #[error("{0}")]
    Program(#[from] JqError),
    /// The call itself is not sound.
    #[error(transparent)]
    Call(#[from] CallError),
}

/// The result of a call whose reply is this.
pub fn shape(call: &Call<'_>, request: &WireRequest, reply: Value) -> Result<Value, ShapeError> {
    let mut result = match &call.operation.reply {
        Reply::Raw => reply,
        Reply::Data => under(reply, "data"),
        Reply::Unwrap(key) => under(under(reply, "data"), key),
        Reply::Resource => under(reply, "resource"),
        Reply::Page => page(under(reply, "data"), None),
        Reply::PageOf(key) => page(under(reply, "data"), Some(key)),
        Reply::ArrayOf(key) => array(reply, key.as_deref()),
        Reply::Computed(program) => {
            let settled = Settled::new(call)?;
            jq::run(program, &reply, |name| settled.variable(name))?
        }
    };
    add_store_type(request, &mut result);
    Ok(result)
}

/// The compact page of a list whose reply is this: what shaping, linking and shortening give, in
/// one pass over the bytes where the reply has a plain form.
pub fn shape_list_compact(
    call: &Call<'_>,
    request: &WireRequest,
    reply: &[u8],
    keep: &Keep<'_>,
    base_url: &str,
) -> Result<Value, ShapeError> {
    if let Some(page) = fast::page(call, request, reply, keep, base_url) {
        return Ok(page);
    }
    let parsed = if reply.iter().all(u8::is_ascii_whitespace) {
        no_content()
    } else {
        serde_json::from_slice(reply)
            .map_err(|source| ShapeError::NotJson { call: call.name(), source })?
    };
    let mut result = shape(call, request, parsed)?;
    link::add(call, request, base_url, &mut result);
    let page = normalise_list(result, call.inputs.get("page"));
    Ok(if call.operation.never_compact { page } else { compact_list(page, keep) })
}

/// What a success without a body says.
fn no_content() -> Value {
    serde_json::json!({"status": "SUCCESS", "message": "No content"})
}

/// What is under a key, or the whole when there is nothing.
fn under(value: Value, key: &str) -> Value {
    match value {
        Value::Object(mut members) if members.get(key).is_some_and(|inner| !inner.is_null()) => {
            members.remove(key).unwrap_or_default()
        }
        whole => whole,
    }
}

fn page(data: Value, key: Option<&str>) -> Value {
    let Value::Object(mut members) = data else {
        return items_and_total(Vec::new(), Value::from(0));
    };
    let items = match members.remove("content") {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    let total = ["totalElements", "totalItems"]
        .into_iter()
        .find_map(|key| members.remove(key).filter(|total| !total.is_null()));
    items_and_total(unwrapped(items, key), total.unwrap_or_else(|| Value::from(0)))
}

fn array(reply: Value, key: Option<&str>) -> Value {
    let items = match reply {
        Value::Array(items) => unwrapped(items, key),
        _ => Vec::new(),
    };
    let total = Value::from(items.len());
    items_and_total(items, total)
}

fn unwrapped(items: Vec<Value>, key: Option<&str>) -> Vec<Value> {
    let Some(key) = key else { return items };
    items.into_iter().map(|item| under(item, key)).collect()
}

fn items_and_total(items: Vec<Value>, total: Value) -> Value {
    Value::Object(Map::from_iter([
        ("items".to_owned(), Value::Array(items)),
        ("total".to_owned(), total),
    ]))
}

/// Where a definition is kept is part of what it is; the reply of a write often leaves it out.
fn add_store_type(request: &WireRequest, result: &mut Value) {
    let Some(store) = request.query_value("storeType") else {
        return;
    };
    if let Value::Object(members) = result
        && !members.contains_key("storeType")
    {
        members.insert("storeType".to_owned(), Value::from(store));
    }
}

#[cfg(test)]
mod tests;
