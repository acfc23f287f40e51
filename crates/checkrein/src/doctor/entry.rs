//! The servers in an agent's configuration, and whether one of them is the upstream.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use checkrein_chaos::stdio::Command;
use clap::Parser;
use serde_json::Value;
use toml_edit::DocumentMut;

use crate::client_config::Format;
use crate::proxy;

/// A server as an agent starts or reaches it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    program: Option<String>,
    arguments: Vec<String>,
    /// Where it is, when it is reached by HTTP.
    pub(super) url: Option<String>,
}

/// The upstream that is looked for.
#[derive(Clone, Copy)]
pub(super) enum Sought<'a> {
    /// A program.
    Program(&'a Command),
    /// A server at a URL.
    Url(&'a str),
}

/// What an entry is to the upstream that is looked for.
pub(super) enum Leads {
    /// It starts that very upstream.
    Direct,
    /// It starts a proxy in front of it.
    Through(Box<proxy::Arguments>),
    /// It is another server.
    Elsewhere,
}

/// The flags of a proxy as they stand in somebody's file.
#[derive(Parser)]
struct ProxyLine {
    #[command(flatten)]
    proxy: proxy::Arguments,
}

/// The servers in a file, or why it cannot be read.
pub(super) fn read(text: &str, format: &Format) -> Result<Vec<Entry>, String> {
    match format {
        Format::Json { servers } => json(text, servers),
        Format::Toml { servers } => toml(text, servers),
    }
}

fn json(text: &str, servers: &str) -> Result<Vec<Entry>, String> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    let servers = root.get(servers).and_then(Value::as_object).into_iter().flatten();
    let text_of = |value: &Value| value.as_str().map(str::to_owned);
    let entries = servers.map(|(name, server)| Entry {
        name: name.clone(),
        program: server.get("command").and_then(text_of),
        arguments: server
            .get("args")
            .and_then(Value::as_array)
            .map(|args| args.iter().filter_map(text_of).collect())
            .unwrap_or_default(),
        url: server.get("url").or_else(|| server.get("httpUrl")).and_then(text_of),
    });
    Ok(entries.collect())
}

fn toml(text: &str, servers: &str) -> Result<Vec<Entry>, String> {
    let root: DocumentMut = text.parse().map_err(|error| format!("no TOML: {error}"))?;
    let Some(servers) = root.get(servers).and_then(|item| item.as_table_like()) else {
        return Ok(Vec::new());
    };
    let entries = servers.iter().map(|(name, server)| {
        let text_of = |key: &str| server.get(key).and_then(|item| item.as_str());
        let arguments = server.get("args").and_then(|item| item.as_array());
        Entry {
            name: name.to_owned(),
            program: text_of("command").map(str::to_owned),
            arguments: arguments
                .map(|args| args.iter().filter_map(|arg| arg.as_str()).map(str::to_owned).collect())
                .unwrap_or_default(),
            url: text_of("url").map(str::to_owned),
        }
    });
    Ok(entries.collect())
}

impl Entry {
    /// What it is to this upstream.
    pub(super) fn leads(&self, upstream: Sought<'_>) -> Leads {
        let Some(program) = &self.program else {
            let is_it = |url| matches!(upstream, Sought::Url(sought) if sought == url);
            let is_direct = self.url.as_deref().is_some_and(is_it);
            return if is_direct { Leads::Direct } else { Leads::Elsewhere };
        };
        if let Sought::Program(command) = upstream
            && is_same(OsStr::new(program), &self.arguments, command)
        {
            return Leads::Direct;
        }
        let is_ours = Path::new(program).file_stem() == Some(OsStr::new("checkrein"));
        let Some((first, flags)) = self.arguments.split_first() else { return Leads::Elsewhere };
        if !is_ours || first != "proxy" {
            return Leads::Elsewhere;
        }
        let line = std::iter::once("proxy").chain(flags.iter().map(String::as_str));
        let Ok(ProxyLine { proxy }) = ProxyLine::try_parse_from(line) else {
            return Leads::Elsewhere;
        };
        let is_it = match upstream {
            Sought::Url(url) => proxy.upstream_url.as_deref() == Some(url),
            Sought::Program(sought) => proxy
                .command()
                .is_ok_and(|command| is_same(&command.program, &command.arguments, sought)),
        };
        if is_it { Leads::Through(Box::new(proxy)) } else { Leads::Elsewhere }
    }
}

/// Whether both start the same; a program is the same with or without its directory.
fn is_same<A: AsRef<OsStr>>(program: &OsStr, arguments: &[A], upstream: &Command) -> bool {
    let (one, other) = (Path::new(program), Path::new(&upstream.program));
    let is_bare = |path: &Path| path.components().count() == 1;
    let is_program =
        one == other || ((is_bare(one) || is_bare(other)) && one.file_name() == other.file_name());
    is_program
        && arguments
            .iter()
            .map(|it| OsString::from(it.as_ref()))
            .eq(upstream.arguments.iter().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: Format = Format::Json { servers: "mcpServers" };
    const TOML: Format = Format::Toml { servers: "mcp_servers" };

    fn upstream() -> Command {
        Command {
            program: "/usr/bin/node".into(),
            arguments: vec!["server.js".into()],
            ..Command::default()
        }
    }

    fn word(entry: &Entry) -> &'static str {
        match entry.leads(Sought::Program(&upstream())) {
            Leads::Direct => "direct",
            Leads::Through(_) => "through",
            Leads::Elsewhere => "elsewhere",
        }
    }

    #[test]
    fn an_entry_that_starts_the_upstream_is_known_with_and_without_the_proxy() {
        let text = r#"{"mcpServers": {
            "a": {"command": "node", "args": ["server.js"]},
            "b": {"command": "/opt/checkrein", "args": ["proxy", "--scenario", "F1",
                  "--allow-writes", "--", "node", "server.js"]},
            "c": {"command": "checkrein", "args": ["proxy", "--upstream-command", "node",
                  "--upstream-arg", "server.js"]},
            "d": {"command": "node", "args": ["other.js"]},
            "e": {"command": "checkrein", "args": ["serve", "stdio"]},
            "f": {"url": "http://localhost/mcp"},
            "g": {"command": "/elsewhere/node", "args": ["server.js"]},
            "h": 7
        }}"#;
        let entries = read(text, &JSON).unwrap();
        let words: Vec<_> = entries.iter().map(word).collect();
        assert_eq!(
            words,
            [
                "direct",
                "through",
                "through",
                "elsewhere",
                "elsewhere",
                "elsewhere",
                "elsewhere",
                "elsewhere"
            ]
        );
        let is_there = |entry: &Entry| {
            matches!(entry.leads(Sought::Url("http://localhost/mcp")), Leads::Direct)
        };
        assert!(is_there(&entries[5]) && !is_there(&entries[0]));
    }

    #[test]
    fn codex_keeps_the_same_in_toml() {
        let text = "[mcp_servers.a]\ncommand = \"node\"\nargs = [\"server.js\"]\n\
                    [mcp_servers.b]\nurl = \"http://localhost/mcp\"\n";
        let entries = read(text, &TOML).unwrap();
        assert_eq!(entries.iter().map(word).collect::<Vec<_>>(), ["direct", "elsewhere"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        assert!(read("{", &JSON).unwrap_err().starts_with("no JSON: "));
        assert!(read("[", &TOML).unwrap_err().starts_with("no TOML: "));
        assert_eq!(read("", &JSON).unwrap(), []);
        assert_eq!(read("[]", &JSON).unwrap(), []);
        assert_eq!(read("", &TOML).unwrap(), []);
    }
}
