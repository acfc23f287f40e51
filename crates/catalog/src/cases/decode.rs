//! Decodes a cases file.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Case, Expected, ExpectedBody};
use crate::read::reader::{Fields, Reader};
use crate::read::tree::{Node, Tree};
use crate::read::words::METHODS;
use crate::read::{CASES, Problem, read_one};
use crate::yaml;

const KEYS: [&str; 8] = ["title", "call", "request", "query", "body", "text", "parts", "error"];

/// The tools a case can call.
pub(super) const TOOLS: [&str; 6] = [
    "harness_list",
    "harness_get",
    "harness_create",
    "harness_update",
    "harness_delete",
    "harness_execute",
];

/// The cases of one file; a case with a mistake is left out and told of.
pub(super) fn file(path: &Path) -> (Vec<Case>, Vec<Problem>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let resource = name.strip_suffix(CASES).unwrap_or(&name).to_owned();
    let (cases, problems) = read_one(path, |reader, root| {
        let Tree::List(nodes) = &root.value else {
            reader.problem(root.at, "cases are a list (`- title: …`)");
            return None;
        };
        let cases = nodes.iter().filter_map(|node| case(reader, node, path, &resource));
        Some(cases.collect::<Vec<_>>())
    });
    (cases.unwrap_or_default(), problems)
}

fn case(reader: &mut Reader<'_>, node: &Node, path: &Path, resource: &str) -> Option<Case> {
    let fields = reader.fields(node, "a case", &KEYS)?;
    let title = reader.required_text(&fields, "title")?;
    let call = object(reader, &fields, "call");
    let expected = expected(reader, &fields);
    let mut arguments = call.or_else(|| {
        reader.problem(fields.at, "`call` is missing (`call: { tool: harness_list }`)");
        None
    })?;
    let tool = match arguments.shift_remove("tool") {
        Some(Value::String(tool)) if TOOLS.contains(&tool.as_str()) => tool,
        _ => {
            let known = TOOLS.join(", ");
            reader.problem(fields.at, format!("`call.tool` must be one of {known}"));
            return None;
        }
    };
    Some(Case {
        file: path.to_path_buf(),
        at: node.at,
        resource: resource.to_owned(),
        expected: expected?,
        title,
        tool,
        arguments,
    })
}

fn expected(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<Expected> {
    if let Some(node) = fields.get("error") {
        return reader.text(node, "`error`").map(Expected::Refusal);
    }
    let line = reader.required_text(fields, "request")?;
    let split = line.split_once(' ').and_then(|(method, path)| {
        let known = METHODS.iter().find(|(word, _)| *word == method)?;
        Some((known.1, path.trim().to_owned()))
    });
    let Some((method, path)) = split else {
        reader.problem(fields.at, "`request` must be `METHOD /path`");
        return None;
    };
    let query = object(reader, fields, "query").unwrap_or_default();
    Some(Expected::Request { method, path, query, body: body(reader, fields)? })
}

fn body(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<ExpectedBody> {
    if let Some(node) = fields.get("text") {
        return match &node.value {
            Tree::Scalar(text, _) => Some(ExpectedBody::Text(text.clone())),
            _ => {
                reader.problem(node.at, "`text` must be text; for JSON there is `body`");
                None
            }
        };
    }
    if fields.get("parts").is_some() {
        return object(reader, fields, "parts").map(ExpectedBody::Parts);
    }
    match fields.get("body") {
        None => Some(ExpectedBody::None),
        Some(node) => value(reader, node).map(ExpectedBody::Json),
    }
}

fn object(reader: &mut Reader<'_>, fields: &Fields<'_>, key: &str) -> Option<Map<String, Value>> {
    let node = fields.get(key)?;
    match value(reader, node)? {
        Value::Object(members) => Some(members),
        _ => {
            reader.problem(node.at, format!("`{key}` must be a mapping"));
            None
        }
    }
}

fn value(reader: &mut Reader<'_>, node: &Node) -> Option<Value> {
    match yaml::value(node) {
        Ok(value) => Some(value),
        Err(message) => {
            reader.problem(node.at, message);
            None
        }
    }
}
