//! Which agents are configured for the upstream, how, and what they do on their own.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

use checkrein_chaos::review::{Finding, Level};
use clap::ValueEnum;

use super::entry::{self, Entry, Leads, Sought};
use super::habits::{self, Habits};
use super::upstream::SLOW;
use crate::client_config::Client;
use crate::proxy;

/// Configurations are pages; a file past this is something else.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;

/// What is looked for.
pub(super) struct Wanted<'a> {
    /// The upstream.
    pub(super) upstream: Sought<'a>,
    /// How long it took to answer.
    pub(super) start: Option<Duration>,
    /// The clients the user named.
    pub(super) named: &'a [&'static Habits],
}

/// Looks at the files of all agents that `client-config` knows.
pub(super) fn findings(wanted: &Wanted<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for client in Client::value_variants() {
        let Ok(path) = client.file() else { continue };
        match load(&path) {
            Ok(None) => {}
            Ok(Some(text)) => {
                let found = configured(*client, &path, &text, wanted);
                if !found.is_empty() {
                    told.push(client.name());
                }
                findings.extend(found);
            }
            Err(why) => findings.push(unreadable(*client, &path, &why)),
        }
    }
    if told.is_empty() {
        findings.push(
            Finding::new(Level::Note, "configuration", "no agent is configured for this upstream")
                .mend(
                    "put `checkrein proxy … -- ` before the upstream's command in the agent's own",
                ),
        );
    }
    for habits in wanted.named.iter().filter(|habits| !told.contains(&habits.name)) {
        findings.extend(habits_of(habits, false, wanted.start));
    }
    findings
}

fn load(path: &Path) -> Result<Option<String>, String> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut text = String::new();
    let read = file.take(LARGEST_FILE + 1).read_to_string(&mut text);
    match read {
        Err(error) => Err(error.to_string()),
        Ok(size) if size as u64 > LARGEST_FILE => Err("it is too large for one".to_owned()),
        Ok(_) => Ok(Some(text)),
    }
}

fn unreadable(client: Client, path: &Path, why: &str) -> Finding {
    let text = format!("the configuration of {} in `{}`: {why}", client.title(), path.display());
    Finding::new(Level::Warning, "configuration", text)
        .mend("look yourself whether it starts the upstream without the proxy")
}

/// What its file says of the upstream; nothing if it does not name it.
fn configured(client: Client, path: &Path, text: &str, wanted: &Wanted<'_>) -> Vec<Finding> {
    let entries = match entry::read(text, &client.format()) {
        Ok(entries) => entries,
        Err(why) => return vec![unreadable(client, path, &why)],
    };
    let leads: Vec<_> = entries.iter().map(|entry| (entry, entry.leads(wanted.upstream))).collect();
    let direct: Vec<_> = leads.iter().filter(|(_, leads)| matches!(leads, Leads::Direct)).collect();
    let through: Vec<(&Entry, &proxy::Arguments)> = leads
        .iter()
        .filter_map(|(entry, leads)| match leads {
            Leads::Through(arguments) => Some((*entry, &**arguments)),
            _ => None,
        })
        .collect();
    if direct.is_empty() && through.is_empty() {
        return Vec::new();
    }
    let place = format!("{} (`{}`)", client.title(), path.display());
    let mut findings = Vec::new();
    for (entry, arguments) in &through {
        findings.extend(proxied(&place, entry, arguments, path));
    }
    for (entry, _) in &direct {
        let text = if through.is_empty() {
            format!("{place} starts the upstream as `{}` without the proxy", entry.name)
        } else {
            format!("{place} also starts the upstream as `{}` without the proxy", entry.name)
        };
        let mend = if through.is_empty() {
            "put `checkrein proxy … -- ` before its command: what passes the proxy by is not judged"
        } else {
            "switch that entry off for the run: writes that pass the proxy by are not judged"
        };
        findings.push(Finding::new(Level::Warning, "configuration", text).mend(mend));
    }
    let is_remote = direct.iter().any(|(entry, _)| entry.url.is_some());
    match habits::of(client.name()) {
        Some(habits) => findings.extend(habits_of(habits, is_remote, wanted.start)),
        None => {
            let text = format!("the habits of {} were not measured", client.title());
            let mend = "look in the report who made a repeat before you blame the model";
            findings.push(Finding::new(Level::Note, "re_sends", text).mend(mend));
        }
    }
    findings
}

fn proxied(place: &str, entry: &Entry, arguments: &proxy::Arguments, path: &Path) -> Vec<Finding> {
    let text = format!("{place} starts the upstream through the proxy, as `{}`", entry.name);
    let mut findings = vec![Finding::new(Level::Ok, "configuration", text)];
    // A file of the project is one the agent works on.
    if arguments.scenario.is_some() && path.is_relative() {
        let text =
            format!("the scenario stands in `{}`, where the agent can read it", path.display());
        let mend = "name the file outside the project for a measurement";
        findings.push(Finding::new(Level::Note, "in_sight", text).mend(mend));
    }
    if arguments.scenario.is_some() && arguments.audit_tools == proxy::Switch::On {
        let text = format!("`{}` offers the agent its own report", entry.name);
        let mend = "add `--audit-tools off` for a measurement";
        findings.push(Finding::new(Level::Note, "in_sight", text).mend(mend));
    }
    findings
}

/// What a client does on its own.
fn habits_of(habits: &Habits, is_remote: bool, start: Option<Duration>) -> Vec<Finding> {
    let name = format!("{} {}", habits.title, habits.version);
    let waits = format!("{name} waits for an answer {}", habits.patience);
    let waits = Finding::new(Level::Note, "time_out", waits);
    let mut findings = vec![match habits.patience_mend {
        Some(mend) => waits.mend(mend),
        None => waits,
    }];
    findings.push(match habits.re_sends {
        None => Finding::new(Level::Ok, "re_sends", format!("{name} sent no write again by itself")),
        Some(after) => {
            let text = format!(
                "{name} sends a write again by itself over HTTP after {after}; over stdio it did not"
            );
            let level = if is_remote { Level::Warning } else { Level::Note };
            Finding::new(level, "re_sends", text)
                .mend("reach the upstream over stdio, or count such a repeat as the client's")
        }
    });
    findings.push(match habits.identity {
        Some(field) => {
            let text = format!("`{field}` in `_meta` tells its re-sends from the model's retries");
            Finding::new(Level::Ok, "identity", text)
        }
        None => {
            let text = format!("{} names no call in `_meta`", habits.title);
            let mend = "a repeat of it is told apart by timing and sessions alone";
            Finding::new(Level::Note, "identity", text).mend(mend)
        }
    });
    if let (Some(mend), true) = (habits.slow_start_mend, start.is_some_and(|start| start > SLOW)) {
        let text = format!("{name} went without the tools of a server that took 2 s to answer");
        findings.push(Finding::new(Level::Warning, "start_time", text).mend(mend));
    }
    if let Some((text, mend)) = habits.more {
        let text = format!("{name}: {text}");
        findings.push(Finding::new(Level::Note, "habit", text).mend(mend));
    }
    findings
}
