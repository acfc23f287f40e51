//! `checkrein client-config`: the few lines an agent needs to start the server.

mod client;
mod file;
mod json;
mod toml;

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use self::client::Entry;
pub(crate) use self::client::{Client, Format};
use crate::failure::Failure;
use crate::terminal::say;

/// What `client-config` is told.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The agent
    client: Client,
    /// Merge it into the agent's own file, keeping everything else
    #[arg(long)]
    install: bool,
    /// Serve the sandbox: no key, no network
    #[arg(long)]
    sandbox: bool,
    /// The name the server gets there
    #[arg(long, default_value = "checkrein", value_name = "NAME")]
    name: String,
    /// Another file than the agent's usual one
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write JSON: `client`, `file`, `snippet`, and `changed` with `--install`
    #[arg(long)]
    json: bool,
}

/// Prints the configuration, or installs it.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let client = arguments.client;
    let path = match &arguments.file {
        Some(path) => path.clone(),
        None => client.file()?,
    };
    let entry = Entry::of(client, &arguments.name, arguments.sandbox)?;
    let snippet = merged(client, "", &entry)?;
    if !arguments.install {
        if arguments.json {
            say(&json!({"client": client.name(), "file": path, "snippet": snippet}).to_string());
            return Ok(());
        }
        say(&format!("Add this to {}:\n\n{snippet}", path.display()));
        say(&format!(
            "`checkrein client-config {}{} --install` does it for you.{}",
            client.name(),
            if arguments.sandbox { " --sandbox" } else { "" },
            entry.advice()
        ));
        return Ok(());
    }
    let installed = file::change(&path, |text| merged(client, text, &entry))?;
    if arguments.json {
        let backup = installed.backup;
        let changed = installed.changed;
        let answer = json!({"client": client.name(), "file": path, "snippet": snippet,
            "changed": changed, "backup": backup});
        say(&answer.to_string());
    } else if installed.changed {
        say(&format!("Wrote `{}` to {}.", arguments.name, path.display()));
        if let Some(backup) = installed.backup {
            say(&format!("The file as it was is {}.", backup.display()));
        }
        say(&format!("Restart {} to see it.{}", client.title(), entry.advice()));
    } else {
        say(&format!("`{}` is in {} already.", arguments.name, path.display()));
    }
    Ok(())
}

/// The text of a file with the entry in it.
fn merged(client: Client, text: &str, entry: &Entry) -> Result<String, Failure> {
    match client.format() {
        Format::Json { servers } => json::merge(text, servers, entry),
        Format::Toml { servers } => toml::merge(text, servers, entry),
    }
}
