//! The agents we know: where each keeps its servers, and how it passes on a key.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::failure::Failure;

const KEY: &str = "HARNESS_API_KEY";

/// An agent that can be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    #[value(name = "vscode", alias = "vs-code")]
    VsCode,
    Codex,
    #[value(alias = "gemini-cli")]
    Gemini,
    #[value(alias = "devin")]
    Windsurf,
}

/// How an agent writes its configuration, and under which key it keeps servers.
pub(crate) enum Format {
    Json { servers: &'static str },
    Toml { servers: &'static str },
}

impl Client {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Windsurf => "windsurf",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Windsurf => "Windsurf",
        }
    }

    pub(crate) fn format(self) -> Format {
        match self {
            Self::VsCode => Format::Json { servers: "servers" },
            Self::Codex => Format::Toml { servers: "mcp_servers" },
            _ => Format::Json { servers: "mcpServers" },
        }
    }

    /// The file of the user, or of the project in the working directory where that is the custom.
    pub(crate) fn file(self) -> Result<PathBuf, Failure> {
        Ok(match self {
            Self::ClaudeCode => PathBuf::from(".mcp.json"),
            Self::VsCode => PathBuf::from(".vscode/mcp.json"),
            Self::ClaudeDesktop => applications()?.join("Claude/claude_desktop_config.json"),
            Self::Cursor => home()?.join(".cursor/mcp.json"),
            Self::Codex => codex_home()?.join("config.toml"),
            Self::Gemini => home()?.join(".gemini/settings.json"),
            Self::Windsurf => home()?.join(".codeium/windsurf/mcp_config.json"),
        })
    }

    /// How this agent's file names a variable of the user's environment, if it can.
    fn reference(self) -> Option<String> {
        match self {
            Self::ClaudeCode => Some(format!("${{{KEY}}}")),
            Self::Cursor | Self::VsCode | Self::Windsurf => Some(format!("${{env:{KEY}}}")),
            Self::Gemini => Some(format!("${KEY}")),
            Self::Codex | Self::ClaudeDesktop => None,
        }
    }
}

/// One server as it stands in an agent's file.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The keys that are ours; others of an older entry stay.
    pub(crate) keys: Map<String, Value>,
    /// A file the user still has to write.
    env_file: Option<PathBuf>,
}

impl Entry {
    /// The entry that starts this very binary.
    ///
    /// The key itself is never written: agents that can name a variable do, the others are pointed
    /// at a file of variables.
    pub(crate) fn of(client: Client, name: &str, sandbox: bool) -> Result<Self, Failure> {
        let command = std::env::current_exe()
            .map_err(|error| Failure::new(format!("failed to find this program: {error}")))?;
        let mut args = vec!["serve".to_owned(), "stdio".to_owned()];
        let mut keys = Map::new();
        let mut env_file = None;
        if matches!(client, Client::ClaudeCode | Client::VsCode) {
            keys.insert("type".to_owned(), json!("stdio"));
        }
        keys.insert("command".to_owned(), json!(command));
        keys.insert("args".to_owned(), Value::Null);
        if sandbox {
            args.push("--sandbox".to_owned());
        } else if let Some(reference) = client.reference() {
            keys.insert("env".to_owned(), json!({KEY: reference}));
        } else if client == Client::Codex {
            keys.insert("env_vars".to_owned(), json!([KEY]));
        } else {
            let file = crate::shipped::user_dir()?.join("env");
            args.push("--env-file".to_owned());
            args.push(file.to_string_lossy().into_owned());
            env_file = Some(file);
        }
        keys.insert("args".to_owned(), json!(args));
        Ok(Self { name: name.to_owned(), keys, env_file })
    }

    /// Any entry called `checkrein`.
    #[cfg(test)]
    pub(crate) fn example(keys: Value) -> Self {
        let keys = keys.as_object().cloned().unwrap_or_default();
        Self { name: "checkrein".to_owned(), keys, env_file: None }
    }

    /// What the user still has to do.
    pub(crate) fn advice(&self) -> String {
        match &self.env_file {
            Some(file) => format!(
                "\nPut `{KEY}=…` into {}: this agent cannot pass variables on.",
                file.display()
            ),
            None if self.keys.contains_key("env") || self.keys.contains_key("env_vars") => {
                format!("\nIt takes {KEY} from the environment the agent starts in.")
            }
            None => String::new(),
        }
    }
}

fn home() -> Result<PathBuf, Failure> {
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty()).ok_or_else(|| {
        Failure::new("there is no home directory").hint("name the file with `--file`")
    })
}

/// Where desktop programs keep their settings.
fn applications() -> Result<PathBuf, Failure> {
    if cfg!(target_os = "macos") {
        return Ok(home()?.join("Library/Application Support"));
    }
    let variable = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };
    match std::env::var_os(variable).filter(|dir| !dir.is_empty()) {
        Some(dir) => Ok(PathBuf::from(dir)),
        None => Ok(home()?.join(".config")),
    }
}

fn codex_home() -> Result<PathBuf, Failure> {
    match std::env::var_os("CODEX_HOME").filter(|dir| !dir.is_empty()) {
        Some(dir) => Ok(PathBuf::from(dir)),
        None => Ok(home()?.join(".codex")),
    }
}
