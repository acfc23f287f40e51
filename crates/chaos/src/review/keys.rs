//! Whether a write can carry an idempotency key.

use checkrein_ledger::KeyFields;

use super::{Finding, Level, Reviewed, names};

const CHECK: &str = "idempotency_key";
/// One of these stands in the description of a key that agents use rightly.
const SAYS_HOW: [&str; 8] =
    ["retry", "retries", "repeat", "same", "stable", "once", "duplicat", "idempoten"];

pub(super) fn check(tools: &[Reviewed<'_>], keys: &KeyFields) -> Vec<Finding> {
    let has_key = |tool: &Reviewed<'_>| tool.key(keys).is_some();
    let bare = names(tools, |tool| tool.is_write() && !has_key(tool) && !tool.is_idempotent());
    let harmless = names(tools, |tool| tool.is_write() && !has_key(tool) && tool.is_idempotent());
    let silent = names(tools, |tool| tool.is_write() && has_key(tool) && !is_explained(tool, keys));
    let sound = names(tools, |tool| tool.is_write() && has_key(tool) && is_explained(tool, keys));
    let mut findings = Vec::new();
    if !bare.is_empty() {
        findings.push(
            Finding::new(
                Level::Warning,
                CHECK,
                "no field for an idempotency key: a repeat after a lost answer is a second write",
            )
            .about(bare)
            .mend(
                "give the tool a field `idempotency_key` by which the server knows a repeat; if it \
                 has one of another name, say so by --key-fields; if a repeat changes nothing, \
                 declare `idempotentHint: true`",
            ),
        );
    }
    if !silent.is_empty() {
        findings.push(
            Finding::new(
                Level::Note,
                CHECK,
                "the field for an idempotency key does not say how it is used",
            )
            .about(silent)
            .mend(
                "write into its description that every retry of one intention sends the same key, \
                 and another intention a new one",
            ),
        );
    }
    if !harmless.is_empty() {
        let text = "no field for an idempotency key, and none is needed: `idempotentHint` says that \
                    a repeat changes nothing";
        findings.push(Finding::new(Level::Ok, CHECK, text).about(harmless));
    }
    if !sound.is_empty() {
        let text = "an idempotency key is there, and its use is explained";
        findings.push(Finding::new(Level::Ok, CHECK, text).about(sound));
    }
    findings
}

fn is_explained(tool: &Reviewed<'_>, keys: &KeyFields) -> bool {
    let about = tool.key(keys).and_then(|key| tool.definition.about(key)).unwrap_or_default();
    let about = about.to_lowercase();
    SAYS_HOW.iter().any(|word| about.contains(word))
}
