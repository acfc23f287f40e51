//! Where tools that do alike are not defined alike: what an agent learnt from one misleads it with
//! the other.

use std::collections::BTreeMap;

use checkrein_ledger::KeyFields;

use super::{Finding, Level, Reviewed};

const CHECK: &str = "sister_tools";

pub(super) fn check(tools: &[Reviewed<'_>], keys: &KeyFields) -> Vec<Finding> {
    let mut by_verb: BTreeMap<&str, Vec<&Reviewed<'_>>> = BTreeMap::new();
    for tool in tools.iter().filter(|tool| tool.is_write()) {
        by_verb.entry(&tool.verb).or_default().push(tool);
    }
    let mut findings = Vec::new();
    for (verb, sisters) in by_verb {
        findings.extend(key_differs(verb, &sisters, keys));
        findings.extend(hint_differs(verb, &sisters));
    }
    findings.extend(spelling_differs(tools, keys));
    findings
}

fn key_differs(verb: &str, sisters: &[&Reviewed<'_>], keys: &KeyFields) -> Option<Finding> {
    let (with, without): (Vec<&Reviewed<'_>>, Vec<_>) = sisters
        .iter()
        .copied()
        .filter(|tool| !tool.is_idempotent())
        .partition(|tool| tool.key(keys).is_some());
    let (one, other) = (with.first()?, without.first()?);
    let text = format!(
        "of the tools that {verb}, `{}` takes an idempotency key and `{}` takes none",
        one.name(),
        other.name()
    );
    let mend = "give the key to all of them: an agent that saw it on one counts on it on the other";
    let about = without.iter().map(|tool| tool.name().to_owned()).collect();
    Some(Finding::new(Level::Warning, CHECK, text).about(about).mend(mend))
}

fn hint_differs(verb: &str, sisters: &[&Reviewed<'_>]) -> Option<Finding> {
    let with = |value: bool| sisters.iter().find(|tool| tool.definition.destructive == Some(value));
    let (one, other) = (with(true)?, with(false)?);
    let text = format!(
        "of the tools that {verb}, `{}` says that it destroys and `{}` that it does not",
        one.name(),
        other.name()
    );
    let about = vec![one.name().to_owned(), other.name().to_owned()];
    let mend = "check `destructiveHint` of both: clients ask their user by it";
    Some(Finding::new(Level::Note, CHECK, text).about(about).mend(mend))
}

fn spelling_differs(tools: &[Reviewed<'_>], keys: &KeyFields) -> Option<Finding> {
    let mut spellings: BTreeMap<&str, &str> = BTreeMap::new();
    for tool in tools.iter().filter(|tool| tool.is_write()) {
        if let Some(key) = tool.key(keys) {
            spellings.entry(key).or_insert(tool.name());
        }
    }
    if spellings.len() < 2 {
        return None;
    }
    let named: Vec<_> = spellings.keys().map(|name| format!("`{name}`")).collect();
    let text = format!("the idempotency key is spelt {}", named.join(" and "));
    let about = spellings.values().map(|name| (*name).to_owned()).collect();
    Some(Finding::new(Level::Note, CHECK, text).about(about).mend("give it one name everywhere"))
}
