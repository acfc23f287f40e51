//! Whether a look after a ghost write could have shown the record.
//!
//! The score counts any successful read; whether that read asked for the right thing is said beside
//! it, as far as names and arguments tell.

use std::collections::HashSet;

use checkrein_ledger::{Class, Scalar, scalars};
use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;

/// Whether a read could have shown what a ghost write left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shows {
    /// It asked for the same thing, or for everything of the kind.
    Could,
    /// It may have; names and arguments do not tell.
    Unclear,
    /// It asked for something else, or got no answer.
    Unlikely,
}

/// One read after a ghost write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadBack {
    /// The ghost write.
    pub ghost: u64,
    /// The read.
    pub read: u64,
    /// The read's tool.
    pub tool: String,
    /// Whether it came before the write was sent again, if it was.
    pub is_in_time: bool,
    /// Whether it could have shown the record.
    pub shows: Shows,
    /// Why.
    pub detail: String,
}

/// The most reads that are looked at after one ghost; more say nothing new.
const READ_LIMIT: usize = 50;

/// Arguments that choose how much is shown, not what.
const PAGING: [&str; 12] = [
    "limit", "page", "pagesize", "perpage", "size", "offset", "cursor", "sort", "order", "orderby",
    "start", "count",
];

/// What a read tool is named for that shows every kind of thing.
const WHOLES: [&str; 18] = [
    "all",
    "content",
    "data",
    "database",
    "db",
    "entry",
    "everything",
    "graph",
    "history",
    "item",
    "memory",
    "object",
    "overview",
    "record",
    "resource",
    "state",
    "store",
    "table",
];

/// Texts shorter than this are in too many places to identify anything.
const TELLING_LENGTH: usize = 3;

pub(crate) fn all(attempts: &[&Attempt]) -> Vec<ReadBack> {
    let ghosts = attempts.iter().filter(|it| it.is_ghost() && it.continues.is_none());
    ghosts.flat_map(|ghost| after(ghost, attempts)).collect()
}

fn after(ghost: &Attempt, attempts: &[&Attempt]) -> Vec<ReadBack> {
    let Some(told) = ghost.told_at() else { return Vec::new() };
    let again = attempts
        .iter()
        .filter(|it| it.tool == ghost.tool && it.loose == ghost.loose && it.received > told)
        .map(|it| it.received)
        .min();
    let reads = attempts.iter().filter(|it| it.class == Class::Read && it.received > told);
    let mut has_looked = false;
    reads
        .take(READ_LIMIT)
        .map(|read| {
            let (shows, detail) = judge(ghost, read, has_looked);
            has_looked |= read.is_executed();
            ReadBack {
                ghost: ghost.number,
                read: read.number,
                tool: read.tool.clone(),
                is_in_time: again.is_none_or(|again| read.received < again),
                shows,
                detail,
            }
        })
        .collect()
}

fn judge(ghost: &Attempt, read: &Attempt, has_looked: bool) -> (Shows, String) {
    if read.is_stale() {
        return (Shows::Unlikely, "it was answered by the state of before the write".to_owned());
    }
    if !read.is_executed() {
        return (Shows::Unlikely, "it got no successful answer".to_owned());
    }
    let asked: Vec<Scalar> =
        scalars(&read.loose).into_iter().filter(|it| !is_paging(&it.name)).collect();
    let shown = nouns(&read.tool);
    let is_akin = nouns(&ghost.tool).intersection(&shown).next().is_some();
    // A name without a noun, too, says nothing of what it does not show.
    let is_whole = shown.iter().all(|noun| WHOLES.contains(&noun.as_str()));
    let (tool, write) = (&read.tool, &ghost.tool);
    if asked.is_empty() {
        return match (is_akin, is_whole) {
            (true, _) => {
                (Shows::Could, format!("`{tool}` without a filter shows what `{write}` makes"))
            }
            (false, true) => {
                (Shows::Could, format!("`{tool}` without a filter shows all there is"))
            }
            (false, false) => {
                (Shows::Unlikely, format!("`{tool}` is named for another kind of thing"))
            }
        };
    }
    let written = scalars(&ghost.loose);
    let shared = asked.iter().find(|it| written.iter().any(|other| is_same(it, other)));
    match (shared, is_akin || is_whole) {
        (Some(it), true) => (Shows::Could, format!("it asked by {}, as it was written", named(it))),
        (Some(it), false) => (
            Shows::Unclear,
            format!("it asked by {}, but `{tool}` is named for another kind of thing", named(it)),
        ),
        (None, true) if has_looked => (
            Shows::Unclear,
            "it asked by values that the write did not have; an earlier read may have shown them"
                .to_owned(),
        ),
        (None, _) => (
            Shows::Unlikely,
            "it asked by values that the write did not have and the agent was never told"
                .to_owned(),
        ),
    }
}

fn named(scalar: &Scalar) -> String {
    match scalar.name.as_str() {
        "" => "a value".to_owned(),
        name => format!("`{name}`"),
    }
}

fn is_paging(name: &str) -> bool {
    let bare: String = name.to_lowercase().chars().filter(|it| it.is_alphanumeric()).collect();
    PAGING.contains(&bare.as_str())
}

/// A number identifies something only under its own name; a text also inside a search phrase.
fn is_same(asked: &Scalar, written: &Scalar) -> bool {
    if asked.value.starts_with("n:") || written.value.starts_with("n:") {
        return asked == written;
    }
    let is_telling = |text: &str| text.chars().count() >= TELLING_LENGTH;
    asked.value == written.value && !asked.value.is_empty()
        || is_telling(&written.value) && asked.value.contains(&written.value)
        || is_telling(&asked.value) && written.value.contains(&asked.value)
}

/// The words of a tool's name after its verb, in the singular.
fn nouns(tool: &str) -> HashSet<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in tool.chars() {
        let is_start = letter.is_uppercase() && !word.is_empty();
        if is_start || !letter.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    words.push(word);
    let words = words.into_iter().filter(|word| !word.is_empty());
    words.skip(1).map(|word| singular(&word)).collect()
}

fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

#[cfg(test)]
mod tests;
