//! The body of a request: made, checked for its fields, and given its scope.

use serde_json::{Map, Value};

use super::{Query, WireBody, computed, document, multipart};
use crate::call::{CallError, Lacking, missing};
use crate::model::{Body, Method};
use crate::scope::Settled;

/// Headers with names as the operation writes them.
type Headers = Vec<(String, String)>;

/// Builds the body, and the headers that are left once the content type has gone into it.
pub(super) fn build(
    settled: &Settled<'_>,
    method: Method,
    query: &Query,
) -> Result<(WireBody, Headers), CallError> {
    let (content_type, headers): (Headers, Headers) = settled
        .call
        .operation
        .headers
        .iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .partition(|(key, _)| key.eq_ignore_ascii_case("content-type"));
    let content_type = content_type.into_iter().next().map(|(_, value)| value);
    let body = match &settled.call.operation.body {
        Body::None => WireBody::None,
        Body::Json(program) => {
            json(settled, computed(settled, program)?, method, query, content_type)?
        }
        Body::Document(rules) => {
            json(settled, document::build(settled, rules)?, method, query, content_type)?
        }
        Body::Text { jq, media_type } => {
            let media_type = content_type.unwrap_or_else(|| media_type.clone());
            let mut value = computed(settled, jq)?;
            finish(settled, &mut value, method, query)?;
            text(value, media_type)
        }
        Body::Multipart(program) => multipart::build(settled, computed(settled, program)?)?,
    };
    Ok((body, headers))
}

fn text(value: Value, media_type: String) -> WireBody {
    match value {
        Value::Null => WireBody::None,
        Value::String(text) => WireBody::Text { media_type, text },
        other => WireBody::Text { media_type, text: other.to_string() },
    }
}

fn json(
    settled: &Settled<'_>,
    mut body: Value,
    method: Method,
    query: &Query,
    content_type: Option<String>,
) -> Result<WireBody, CallError> {
    if body.is_null() {
        return Ok(WireBody::None);
    }
    finish(settled, &mut body, method, query)?;
    let Some(media_type) = content_type.filter(|media| !media.contains("json")) else {
        let bytes = serde_json::to_vec(&body).map_err(|error| CallError::Body {
            call: settled.call.name(),
            why: format!("cannot be written: {error}"),
        })?;
        return Ok(WireBody::Json(bytes));
    };
    Ok(text(body, media_type))
}

/// Checks an object for its fields and gives it its scope; anything else is sent as it is.
fn finish(
    settled: &Settled<'_>,
    body: &mut Value,
    method: Method,
    query: &Query,
) -> Result<(), CallError> {
    check_fields(settled, body)?;
    if matches!(method, Method::Post | Method::Put) {
        add_scope(settled, body, query);
    }
    Ok(())
}

/// The fields are looked for under the wrapper, else in the body itself.
fn check_fields(settled: &Settled<'_>, body: &Value) -> Result<(), CallError> {
    let operation = settled.call.operation;
    let Value::Object(members) = body else { return Ok(()) };
    let inner = operation.wrapper.as_ref().and_then(|key| members.get(key));
    let object = inner.and_then(Value::as_object).unwrap_or(members);
    let names: Vec<String> = operation
        .fields
        .iter()
        .filter(|field| field.need && object.get(&field.name).is_none_or(Value::is_null))
        .map(|field| field.name.clone())
        .collect();
    if names.is_empty() { Ok(()) } else { Err(missing(settled.call, Lacking::Fields, names)) }
}

/// Puts account and scope into the body, where the platform reads them too; what the caller
/// wrote stays.
fn add_scope(settled: &Settled<'_>, body: &mut Value, query: &Query) {
    let (call, operation) = (settled.call, settled.call.operation);
    let scoped = operation.scope_in_body.unwrap_or(call.dialect.scope_in_body);
    if !scoped && !operation.account_in_body {
        return;
    }
    let Value::Object(members) = body else { return };
    let wrapped = operation
        .wrapper
        .as_ref()
        .filter(|key| members.get(key.as_str()).is_some_and(Value::is_object));
    let target = match wrapped.cloned().and_then(|key| members.get_mut(&key)) {
        Some(Value::Object(inner)) => inner,
        _ => return fill_scope(settled, members, query, scoped),
    };
    fill_scope(settled, target, query, scoped);
}

fn fill_scope(settled: &Settled<'_>, target: &mut Map<String, Value>, query: &Query, scoped: bool) {
    let mut fill = |key: &str, value: &str| {
        if target.get(key).is_none_or(|old| old.is_null() || old == "") {
            target.insert(key.to_owned(), Value::from(value));
        }
    };
    if settled.call.operation.account_in_body {
        fill("accountIdentifier", &settled.call.defaults.account);
    }
    if !scoped {
        return;
    }
    for key in ["orgIdentifier", "projectIdentifier"] {
        if let Some(value) = query.get(key).and_then(|values| values.first()) {
            fill(key, value);
        }
    }
}
