//! Decodes the query parameters and headers of an operation.

use indexmap::IndexMap;

use super::reader::{Fields, Reader};
use super::tree::{Node, Style, Tree};
use super::uses::Uses;
use crate::model::QueryValue;

/// Headers that a file cannot set: they carry credentials, the host or the framing.
const RESERVED_HEADERS: [&str; 11] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "host",
    "x-api-key",
    "harness-account",
    "content-length",
    "transfer-encoding",
    "connection",
    "te",
    "upgrade",
];

/// Reads a map of query parameters.
pub(crate) fn query(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    uses: &mut Uses<'_>,
) -> IndexMap<String, QueryValue> {
    let mut query = IndexMap::new();
    let Some(entries) = fields.get("query").and_then(|node| reader.entries(node, "`query`")) else {
        return query;
    };
    for (key, node) in entries.iter() {
        if let Some(value) = query_value(reader, node, uses) {
            query.insert(key.name.clone(), value);
        }
    }
    query
}

/// Reads one query value.
pub(crate) fn query_value(
    reader: &mut Reader<'_>,
    node: &Node,
    uses: &mut Uses<'_>,
) -> Option<QueryValue> {
    if let Tree::Scalar(text, style) = &node.value {
        if let Some(name) = text.strip_prefix('$') {
            uses.input(reader, name, node.at);
            return Some(QueryValue::Input(name.to_owned()));
        }
        if text.is_empty() && *style != Style::Plain {
            return Some(QueryValue::Literal(String::new()));
        }
        return reader.text(node, "a query value").map(QueryValue::Literal);
    }
    let what = "a query value";
    let fields = reader.fields(node, what, &["input", "or", "one_based", "jq"])?;
    let one = fields.iter().filter(|(key, _)| key.name != "or").count();
    if one != 1 {
        reader.problem(node.at, "a query value has one of `input`, `one_based` and `jq`");
        return None;
    }
    if let Some(node) = fields.get("jq") {
        return uses.program(reader, node).map(QueryValue::Computed);
    }
    if let Some(node) = fields.get("one_based") {
        let name = reader.text(node, "`one_based`")?;
        uses.input(reader, &name, node.at);
        return Some(QueryValue::OneBased(name));
    }
    let node = fields.get("input")?;
    let name = reader.text(node, "`input`")?;
    uses.input(reader, &name, node.at);
    match fields.get("or") {
        Some(node) => Some(QueryValue::InputOr(name, reader.text(node, "`or`")?)),
        None => Some(QueryValue::Input(name)),
    }
}

/// Reads the headers an operation sets.
pub(crate) fn headers(reader: &mut Reader<'_>, fields: &Fields<'_>) -> IndexMap<String, String> {
    let mut headers = IndexMap::new();
    let Some(entries) = fields.get("headers").and_then(|node| reader.entries(node, "`headers`"))
    else {
        return headers;
    };
    for (key, node) in entries.iter() {
        if RESERVED_HEADERS.contains(&key.name.to_ascii_lowercase().as_str()) {
            reader.problem(key.at, format!("header `{}` cannot be set by a file", key.name));
            continue;
        }
        if !key.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            reader.problem(key.at, format!("`{}` is not the name of a header", key.name));
            continue;
        }
        let Some(value) = reader.text(node, "a header") else { continue };
        if value.chars().any(char::is_control) {
            reader.problem(node.at, "a header must be on one line");
            continue;
        }
        headers.insert(key.name.clone(), value);
    }
    headers
}
