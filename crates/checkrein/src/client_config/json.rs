//! Merges a server into a JSON configuration.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

use super::client::Entry;
use crate::failure::Failure;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text with the entry under `servers`; order, numbers and indentation stay as they are.
pub(super) fn merge(text: &str, servers: &str, entry: &Entry) -> Result<String, Failure> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    let mut root = parse(text)?;
    let list = root
        .entry(servers)
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
        .ok_or_else(|| Failure::new(format!("`{servers}` is not an object")))?;
    let server = list
        .entry(entry.name.as_str())
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
        .ok_or_else(|| Failure::new(format!("`{servers}.{}` is not an object", entry.name)))?;
    let before = server.clone();
    for (key, value) in &entry.keys {
        set(server, key, value);
    }
    if *server == before && !text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    print(&root, indent(text))
}

fn parse(text: &str) -> Result<Map<String, Value>, Failure> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(root)) => Ok(root),
        Ok(_) => Err(Failure::new("it does not hold a JSON object")),
        Err(error) => Err(Failure::new(format!("it is not JSON: {error}"))
            .hint("mend it, or add the lines that `client-config` prints by hand")),
    }
}

/// What is under `env` belongs to the user too, so only a missing name is added there.
fn set(server: &mut Map<String, Value>, key: &str, value: &Value) {
    match (server.get_mut(key), value) {
        (Some(Value::Object(theirs)), Value::Object(ours)) => {
            for (name, value) in ours {
                theirs.entry(name.as_str()).or_insert_with(|| value.clone());
            }
        }
        (Some(theirs), _) => theirs.clone_from(value),
        (None, _) => drop(server.insert(key.to_owned(), value.clone())),
    }
}

/// The white space before the first key.
fn indent(text: &str) -> &str {
    let line = text.lines().skip(1).find(|line| line.trim_start().starts_with('"'));
    let found = line.map(|line| line.get(..line.len() - line.trim_start().len()));
    found.flatten().filter(|indent| !indent.is_empty()).unwrap_or("  ")
}

fn print(root: &Map<String, Value>, indent: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
    root.serialize(&mut serializer).map_err(Failure::new)?;
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(Failure::new)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry() -> Entry {
        Entry::example(json!({"command": "/bin/checkrein", "args": ["serve"], "env": {"K": "$K"}}))
    }

    fn merged(text: &str) -> String {
        merge(text, "mcpServers", &entry()).expect("mergeable")
    }

    #[test]
    fn an_empty_file_gets_the_server() {
        let text = merged("");
        assert_eq!(
            text,
            "{\n  \"mcpServers\": {\n    \"checkrein\": {\n      \"command\": \"/bin/checkrein\",\n      \
             \"args\": [\n        \"serve\"\n      ],\n      \"env\": {\n        \"K\": \"$K\"\n      }\n    \
             }\n  }\n}\n"
        );
        assert_eq!(merged(&text), text);
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        let before = "{\n\t\"z\": 1.50,\n\t\"mcpServers\": {\"other\": {\"command\": \"x\"}},\n\t\"a\": 1e+400\n}";
        let after = merged(before);
        assert!(
            after.starts_with("{\n\t\"z\": 1.50,\n\t\"mcpServers\": {\n\t\t\"other\": {"),
            "{after}"
        );
        assert!(after.ends_with("\t\"a\": 1e+400\n}\n"), "{after}");
        assert_eq!(merged(&after), after);
    }

    #[test]
    fn an_older_entry_is_brought_up_to_date_and_keeps_what_the_user_added() {
        let before = r#"{"mcpServers": {"checkrein": {"command": "old", "disabled": true, "env": {"K": "mine"}}}}"#;
        let after: Value = serde_json::from_str(&merged(before)).expect("JSON");
        assert_eq!(
            after["mcpServers"]["checkrein"],
            json!({"command": "/bin/checkrein", "disabled": true, "env": {"K": "mine"}, "args": ["serve"]})
        );
    }

    #[test]
    fn a_broken_file_is_refused() {
        for text in [
            "{",
            "[]",
            "{\"mcpServers\": []}",
            "// comment\n{}",
            "{\"mcpServers\": {\"checkrein\": 1}}",
        ] {
            assert!(merge(text, "mcpServers", &entry()).is_err(), "{text}");
        }
    }
}
