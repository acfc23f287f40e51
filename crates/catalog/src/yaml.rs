//! YAML text from and to JSON values, for bodies that the platform wants as YAML.
//!
//! Written by hand because a `Number` that keeps its digits does not pass through the serde of a
//! YAML crate as a number.

use serde_json::{Map, Number, Value};

use crate::read::tree::{self, Node, Rules, Style, Tree};

/// What a document may hold; a pipeline of a thousand stages fits well.
const RULES: Rules = Rules { aliases: true, max_nodes: 200_000 };

/// Reads YAML (core schema, YAML 1.2) or JSON; the error says where.
pub fn from_text(text: &str) -> Result<Value, String> {
    // JSON may be indented with tabs, which YAML forbids.
    if text.trim_start().starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str(text)
    {
        return Ok(value);
    }
    let root = tree::parse(text, RULES)
        .map_err(|(at, why)| format!("line {}, column {}: {why}", at.line, at.column))?;
    root.map_or(Ok(Value::Null), |node| value(&node))
}

/// A node of the tree as a JSON value.
pub fn value(node: &Node) -> Result<Value, String> {
    match &node.value {
        Tree::Scalar(text, Style::Plain) => Ok(plain(text)),
        Tree::Scalar(text, _) => Ok(Value::String(text.clone())),
        Tree::List(items) => items.iter().map(value).collect(),
        Tree::Map(entries) => {
            let mut members = Map::new();
            for (key, node) in entries {
                let at = key.at;
                if members.insert(key.name.clone(), value(node)?).is_some() {
                    let name = &key.name;
                    return Err(format!(
                        "line {}, column {}: key `{name}` is there twice",
                        at.line, at.column
                    ));
                }
            }
            Ok(Value::Object(members))
        }
    }
}

/// What a bare scalar means in the core schema.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Some(hex) = digits.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    if let Some(octal) = digits.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if let Ok(number) = text.parse::<Number>() {
        return Some(number);
    }
    // Forms that YAML has and JSON has not: `+1`, `.5`, `1.`, `007`.
    if !digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+')) {
        return None;
    }
    if digits.chars().all(|c| c.is_ascii_digit()) {
        return text.trim_start_matches('+').parse::<i64>().ok().map(Number::from);
    }
    text.parse::<f64>().ok().filter(|number| number.is_finite()).and_then(Number::from_f64)
}

/// Writes block style YAML; text that could be taken for something else is quoted.
#[must_use]
pub fn to_text(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(members) if !members.is_empty() => write_members(&mut out, members, 0),
        Value::Array(items) if !items.is_empty() => write_items(&mut out, items, 0),
        scalar => {
            write_scalar(&mut out, scalar, 0);
        }
    }
    out
}

fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

fn write_members(out: &mut String, members: &Map<String, Value>, depth: usize) {
    for (index, (key, value)) in members.iter().enumerate() {
        if index > 0 || !out.ends_with("- ") {
            indent(out, depth);
        }
        write_text(out, key, None);
        out.push(':');
        write_below(out, value, depth);
    }
}

fn write_items(out: &mut String, items: &[Value], depth: usize) {
    for value in items {
        if !out.ends_with("- ") {
            indent(out, depth);
        }
        out.push_str("- ");
        match value {
            Value::Object(members) if !members.is_empty() => write_members(out, members, depth + 1),
            Value::Array(inner) if !inner.is_empty() => {
                out.pop();
                out.push('\n');
                write_items(out, inner, depth + 1);
            }
            scalar => write_scalar(out, scalar, depth + 1),
        }
    }
}

fn write_below(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            out.push('\n');
            write_members(out, members, depth + 1);
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            write_items(out, items, depth + 1);
        }
        scalar => {
            out.push(' ');
            write_scalar(out, scalar, depth + 1);
        }
    }
}

fn write_scalar(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::String(text) => write_text(out, text, Some(depth)),
        Value::Object(_) => out.push_str("{}"),
        Value::Array(_) => out.push_str("[]"),
        other => out.push_str(&other.to_string()),
    }
    out.push('\n');
}

/// Writes text bare, as a literal block (where `block` gives the depth) or in double quotes.
fn write_text(out: &mut String, text: &str, block: Option<usize>) {
    match block {
        Some(depth) if is_block(text) => write_block(out, text, depth.max(1)),
        _ if is_bare(text) => out.push_str(text),
        // JSON's quoting is a subset of YAML's (YAML 1.2, section 1.3).
        _ => out.push_str(&Value::String(text.to_owned()).to_string()),
    }
}

fn write_block(out: &mut String, text: &str, depth: usize) {
    let (body, chomp) = match text.strip_suffix('\n') {
        None => (text, "|-"),
        Some(body) if body.ends_with('\n') => (body, "|+"),
        Some(body) => (body, "|"),
    };
    out.push_str(chomp);
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            indent(out, depth);
            out.push_str(line);
        }
    }
}

fn is_block(text: &str) -> bool {
    let printable = |c: char| c == '\n' || c == '\t' || !(c.is_control() || is_break(c));
    text.trim_end_matches('\n').contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && text.chars().all(printable)
}

/// Line breaks and marks that YAML readers treat in their own ways.
fn is_break(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn is_bare(text: &str) -> bool {
    let first = text.chars().next();
    let safe_start =
        first.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '/' | '<' | '$'));
    safe_start
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.chars().any(|c| c.is_control() || is_break(c))
        && plain(text).is_string()
        && !is_old_boolean(text)
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text != "<<"
}

/// Words that YAML 1.1 readers take for booleans.
fn is_old_boolean(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "y" | "n" | "yes" | "no" | "on" | "off")
}

#[cfg(test)]
mod tests;
