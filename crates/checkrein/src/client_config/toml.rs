//! Merges a server into a TOML configuration.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::client::Entry;
use crate::failure::Failure;

/// The text with the entry under `servers`; comments and order stay as they are.
pub(super) fn merge(text: &str, servers: &str, entry: &Entry) -> Result<String, Failure> {
    let mut document: DocumentMut = text.parse().map_err(|error| {
        Failure::new(format!("it is not TOML: {error}"))
            .hint("mend it, or add the lines that `client-config` prints by hand")
    })?;
    let list = document.entry(servers).or_insert_with(|| {
        // Only `[mcp_servers.checkrein]` is worth a heading.
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let list = list
        .as_table_like_mut()
        .ok_or_else(|| Failure::new(format!("`{servers}` is not a table")))?;
    let server = list
        .entry(&entry.name)
        .or_insert_with(|| Item::Table(Table::new()))
        .as_table_like_mut()
        .ok_or_else(|| Failure::new(format!("`{servers}.{}` is not a table", entry.name)))?;
    for (key, wanted) in &entry.keys {
        let wanted = item(wanted)?;
        let there = server.get(key).map(|item| item.to_string().trim().to_owned());
        if there.as_deref() != Some(wanted.to_string().trim()) {
            server.insert(key, wanted);
        }
    }
    Ok(document.to_string())
}

fn item(json: &Value) -> Result<Item, Failure> {
    match json {
        Value::String(text) => Ok(value(text.as_str())),
        Value::Array(items) => {
            let texts = items.iter().filter_map(Value::as_str);
            Ok(value(texts.collect::<Array>()))
        }
        _ => Err(Failure::new("an entry for TOML holds texts and lists of texts")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(text: &str) -> String {
        let entry = Entry::example(json!({"command": "/bin/checkrein", "args": ["serve", "stdio"],
            "env_vars": ["K"]}));
        merge(text, "mcp_servers", &entry).map_err(|_| text.to_owned()).expect("mergeable")
    }

    #[test]
    fn an_empty_file_gets_the_server() {
        let text = merged("");
        assert_eq!(
            text,
            "[mcp_servers.checkrein]\ncommand = \"/bin/checkrein\"\nargs = [\"serve\", \"stdio\"]\nenv_vars = \
             [\"K\"]\n"
        );
        assert_eq!(merged(&text), text);
    }

    #[test]
    fn comments_and_other_servers_stay() {
        let before = "# mine\nmodel = 'x'\n\n[mcp_servers.other] # keep\ncommand = \"y\"\n";
        let after = merged(before);
        assert!(after.starts_with(before), "{after}");
        assert!(after.contains("[mcp_servers.checkrein]\n"), "{after}");
        assert_eq!(merged(&after), after);
    }

    #[test]
    fn an_older_entry_keeps_what_the_user_added() {
        let before = "[mcp_servers.checkrein]\ncommand = \"old\"\nenabled = false\n";
        let after = merged(before);
        assert!(after.contains("enabled = false") && !after.contains("old"), "{after}");
    }

    #[test]
    fn a_broken_file_is_refused() {
        let entry = Entry::example(json!({"command": "x"}));
        for text in ["= 1", "mcp_servers = 1", "[mcp_servers]\ncheckrein = 1"] {
            assert!(merge(text, "mcp_servers", &entry).is_err(), "{text}");
        }
    }
}
