//! A review of an upstream's tools: what in their definitions makes agents write twice.
//!
//! Pure: definitions in, findings out. Nothing is called, so every finding is about what an agent
//! can read before it acts, and never about what the upstream really does.

mod definition;
mod finding;
mod hints;
mod keys;
mod look_up;
mod siblings;
mod tasks;
#[cfg(test)]
mod tests;
mod words;

use checkrein_ledger::{Class, KeyFields};

use crate::classify::{Hints, Patterns, classify};

pub use definition::Definition;
pub use finding::{Finding, Level};

/// A tool as the checks see it.
struct Reviewed<'a> {
    definition: &'a Definition,
    class: Class,
    verb: String,
    nouns: Vec<String>,
}

impl Reviewed<'_> {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn is_write(&self) -> bool {
        self.class == Class::Write
    }

    fn is_read(&self) -> bool {
        self.class == Class::Read
    }

    /// Whether its definition promises that a repeat changes nothing.
    fn is_idempotent(&self) -> bool {
        self.definition.idempotent == Some(true)
    }

    /// Its field for an idempotency key.
    fn key(&self, keys: &KeyFields) -> Option<&str> {
        self.definition.fields.iter().map(String::as_str).find(|name| keys.contains(name))
    }
}

/// What can be said of these tools, worst first within each check.
pub fn review(tools: &[Definition], patterns: &Patterns, keys: &KeyFields) -> Vec<Finding> {
    let prefix = words::shared_prefix(tools.iter().map(|tool| tool.name.as_str()));
    let reviewed: Vec<_> = tools
        .iter()
        .map(|definition| {
            let hints = Hints {
                read_only_hint: definition.read_only,
                destructive_hint: definition.destructive,
            };
            let class = classify(&definition.name, hints, patterns).class;
            let (verb, nouns) = words::verb_and_nouns(&definition.name, prefix.as_deref());
            Reviewed { definition, class, verb, nouns }
        })
        .collect();
    let mut findings = keys::check(&reviewed, keys);
    findings.extend(look_up::check(&reviewed));
    findings.extend(siblings::check(&reviewed, keys));
    findings.extend(hints::check(&reviewed));
    findings.extend(tasks::check(&reviewed));
    findings
}

/// The names of the tools that are so.
fn names<'a>(tools: &[Reviewed<'a>], is_meant: impl Fn(&Reviewed<'a>) -> bool) -> Vec<String> {
    tools.iter().filter(|tool| is_meant(tool)).map(|tool| tool.name().to_owned()).collect()
}
