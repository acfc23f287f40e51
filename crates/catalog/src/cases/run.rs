//! Makes the request of a case and compares it with what the case says.

use serde_json::{Map, Value};

use super::{ACCOUNT, Case, Expected, ExpectedBody, ORG, PROJECT};
use crate::call::{Call, Defaults};
use crate::catalog::Catalog;
use crate::model::{Operation, ResourceType, Scope};
use crate::request::{Part, WireBody, WireRequest, build};
use crate::scope::scalar_text;
use crate::yaml;

/// How a request differs from what its case says, one line per difference.
pub type Mismatch = String;

/// Arguments of a tool that are no inputs.
const NOT_INPUTS: [&str; 8] =
    ["action", "resource_id", "resource_scope", "params", "filters", "compact", "confirm", "wait"];

/// The query every request has.
const ACCOUNT_QUERY: [&str; 2] = ["accountIdentifier", "routingId"];

/// Runs one case.
pub fn run(catalog: &Catalog, case: &Case) -> Result<(), Mismatch> {
    run_with(catalog, case, &defaults())
}

/// Runs one case under a configuration of its own.
pub fn run_with(catalog: &Catalog, case: &Case, defaults: &Defaults) -> Result<(), Mismatch> {
    let made = with_call(catalog, case, defaults, build)?;
    match (&case.expected, made) {
        (Expected::Refusal(text), Err(error)) if error.to_string().contains(text) => Ok(()),
        (Expected::Refusal(text), Err(error)) => {
            Err(format!("the refusal should hold `{text}`, but is: {error}"))
        }
        (Expected::Refusal(_), Ok(request)) => {
            Err(format!("should be refused, but sends {} {}", request.method, request.target()))
        }
        (Expected::Request { .. }, Err(error)) => Err(format!("refused: {error}")),
        (Expected::Request { method, path, query, body }, Ok(request)) => {
            let mut lines = Vec::new();
            if (*method, path.as_str()) != (request.method, request.path.as_str()) {
                let sent = format!("{} {}", request.method, request.path);
                lines.push(format!("request: expected {method} {path}, is {sent}"));
            }
            compare_query(query, &request, &defaults.account, &mut lines);
            compare_body(body, &request.body, &mut lines);
            if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
        }
    }
}

/// The configuration every case is run under.
#[must_use]
pub fn defaults() -> Defaults {
    Defaults {
        account: ACCOUNT.to_owned(),
        org: Some(ORG.to_owned()),
        project: Some(PROJECT.to_owned()),
    }
}

/// Makes the call of a case and hands it on; an error when the catalogue has no such operation.
pub fn with_call<T>(
    catalog: &Catalog,
    case: &Case,
    defaults: &Defaults,
    then: impl FnOnce(&Call<'_>) -> T,
) -> Result<T, Mismatch> {
    let resource = catalog
        .get(&case.resource)
        .ok_or_else(|| format!("there is no type `{}`", case.resource))?;
    let (op_name, operation) = operation(resource, case)?;
    let dialect = catalog
        .dialect(resource)
        .ok_or_else(|| format!("there is no dialect `{}`", resource.dialect))?;
    let inputs = inputs(resource, operation, case);
    let scope = match case.arguments.get("resource_scope").and_then(Value::as_str) {
        Some(word) => {
            Some(Scope::from_word(word).ok_or_else(|| format!("unknown scope `{word}`"))?)
        }
        None => None,
    };
    Ok(then(&Call { resource, op_name, operation, dialect, inputs: &inputs, scope, defaults }))
}

fn operation<'a>(
    resource: &'a ResourceType,
    case: &'a Case,
) -> Result<(&'a str, &'a Operation), Mismatch> {
    let name = case.tool.trim_start_matches("harness_");
    let found = if name == "execute" {
        let action = case.arguments.get("action").and_then(Value::as_str).unwrap_or_default();
        resource.actions.get_key_value(action)
    } else {
        resource.operations.get_key_value(name)
    };
    let found = found.map(|(name, operation)| (name.as_str(), operation));
    found.ok_or_else(|| format!("`{}` has no such operation", resource.name))
}

/// The inputs as the tools merge them: filters over params over the rest, the `resource_id` under
/// the identifier it stands for.
fn inputs(resource: &ResourceType, operation: &Operation, case: &Case) -> Map<String, Value> {
    let mut inputs = Map::new();
    if case.tool == "harness_list" {
        inputs.insert("page".to_owned(), Value::from(0));
        inputs.insert("size".to_owned(), Value::from(20));
    }
    let own = case.arguments.iter().filter(|(key, _)| !NOT_INPUTS.contains(&key.as_str()));
    let nested = ["params", "filters"]
        .into_iter()
        .filter_map(|key| case.arguments.get(key).and_then(Value::as_object))
        .flatten();
    for (key, value) in own.chain(nested) {
        inputs.insert(key.clone(), value.clone());
    }
    if let Some(id) = case.arguments.get("resource_id")
        && let Some(target) = target(resource, operation, case, &inputs)
    {
        inputs.insert(target.to_owned(), id.clone());
    }
    inputs
}

/// The identifier that a `resource_id` stands for.
fn target<'a>(
    resource: &'a ResourceType,
    operation: &Operation,
    case: &Case,
    inputs: &Map<String, Value>,
) -> Option<&'a str> {
    let (first, last) = (resource.ids.first()?, resource.ids.last()?);
    if case.tool != "harness_execute" {
        return Some(last);
    }
    let in_path = |id: &str| operation.request.path.names().any(|name| name == id);
    if !in_path(first)
        && let Some(id) = resource.ids.iter().rev().find(|id| in_path(id))
    {
        return Some(id);
    }
    // The outer identifier was passed by name, so this one is the inner.
    let is_given = inputs.get(first).is_some_and(|value| !value.is_null());
    Some(if is_given { last } else { first })
}

fn compare_query(
    expected: &Map<String, Value>,
    request: &WireRequest,
    account: &str,
    lines: &mut Vec<String>,
) {
    let mut names: Vec<&str> = expected.keys().map(String::as_str).collect();
    names.extend(request.query.iter().map(|(key, _)| key.as_str()));
    names.sort_unstable();
    names.dedup();
    for name in names {
        let sent: Vec<&str> = request
            .query
            .iter()
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
            .collect();
        let wanted = match expected.get(name) {
            Some(Value::Array(items)) => items.iter().filter_map(scalar_text).collect(),
            Some(one) => scalar_text(one).into_iter().collect::<Vec<_>>(),
            // The account is in every request of most families and is not repeated in cases.
            None if ACCOUNT_QUERY.contains(&name) && sent == [account] => continue,
            None => Vec::new(),
        };
        if wanted != sent {
            lines.push(format!("query `{name}`: expected {wanted:?}, is {sent:?}"));
        }
    }
}

fn compare_body(expected: &ExpectedBody, sent: &WireBody, lines: &mut Vec<String>) {
    let same = match (expected, sent) {
        (ExpectedBody::None, WireBody::None) => true,
        (ExpectedBody::Json(wanted), WireBody::Json(bytes)) => {
            serde_json::from_slice::<Value>(bytes).is_ok_and(|sent| same(wanted, &sent))
        }
        (ExpectedBody::Json(wanted), WireBody::Text { text, .. }) => {
            serde_json::from_str::<Value>(text).is_ok_and(|sent| same(wanted, &sent))
        }
        (ExpectedBody::Text(wanted), WireBody::Text { text, .. }) => same_text(wanted, text),
        (ExpectedBody::Parts(wanted), WireBody::Multipart(parts)) => same_parts(wanted, parts),
        _ => false,
    };
    if !same {
        lines.push(format!("body: expected {}, is {}", told(expected), shown(sent)));
    }
}

/// JSON values are the same when they are equal; texts within also when they hold the same YAML.
fn same(wanted: &Value, sent: &Value) -> bool {
    match (wanted, sent) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::String(left), Value::String(right)) => same_text(left, right),
        (left, right) => left == right,
    }
}

fn same_text(wanted: &str, sent: &str) -> bool {
    let parsed = |text: &str| yaml::from_text(text).ok().filter(|value| !value.is_string());
    wanted == sent
        || wanted.trim_end() == sent.trim_end()
        || parsed(wanted)
            .is_some_and(|wanted| parsed(sent).is_some_and(|sent| same(&wanted, &sent)))
}

fn same_parts(wanted: &Map<String, Value>, parts: &[Part]) -> bool {
    let content = |value: &Value| match value {
        Value::Object(file) => file.get("text").and_then(scalar_text),
        other => scalar_text(other),
    };
    let mut names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    names.dedup();
    names.len() == wanted.len()
        && parts.iter().all(|part| {
            let Some(value) = wanted.get(&part.name) else { return false };
            let file_name = value.get("filename").and_then(Value::as_str);
            let same_file = !value.is_object() || file_name == part.filename.as_deref();
            let sent = String::from_utf8_lossy(&part.bytes);
            let listed = value
                .as_array()
                .is_some_and(|items| items.iter().filter_map(content).any(|text| text == sent));
            same_file && (listed || content(value).is_none_or(|text| text == sent))
        })
}

fn told(expected: &ExpectedBody) -> String {
    match expected {
        ExpectedBody::None => "none".to_owned(),
        ExpectedBody::Json(value) => value.to_string(),
        ExpectedBody::Text(text) => format!("{text:?}"),
        ExpectedBody::Parts(parts) => format!("parts {}", Value::Object(parts.clone())),
    }
}

fn shown(sent: &WireBody) -> String {
    match sent {
        WireBody::None => "none".to_owned(),
        WireBody::Json(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        WireBody::Text { text, .. } => format!("text {text:?}"),
        WireBody::Multipart(parts) => {
            let parts = parts.iter().map(|part| {
                let text = String::from_utf8_lossy(&part.bytes);
                format!(
                    "{}{}={text:?}",
                    part.name,
                    part.filename.as_ref().map_or("", |_| " (file)")
                )
            });
            format!("parts {}", parts.collect::<Vec<_>>().join(", "))
        }
    }
}
