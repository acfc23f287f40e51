//! Whether the hints (MCP `ToolAnnotations`) are there, and agree with each other and the names.

use checkrein_ledger::Class;

use super::{Finding, Level, Reviewed, names};
use crate::classify::{DEFAULT_WRITE_PATTERNS, READ_PREFIXES};
use crate::glob;

const CHECK: &str = "hints";
/// What these do cannot be undone by doing it again.
const DESTROYING: [&str; 6] = ["delete", "remove", "drop", "purge", "destroy", "erase"];

pub(super) fn check(tools: &[Reviewed<'_>]) -> Vec<Finding> {
    let read_only = |tool: &Reviewed<'_>| tool.definition.read_only;
    let destructive = |tool: &Reviewed<'_>| tool.definition.destructive;
    let destroys = |tool: &Reviewed<'_>| DESTROYING.contains(&tool.verb.as_str());
    let candidates = [
        Finding::new(Level::Warning, CHECK, "`readOnlyHint` and `destructiveHint` are both true")
            .about(names(tools, |tool| {
                read_only(tool) == Some(true) && destructive(tool) == Some(true)
            }))
            .mend(
                "correct one of them: the tool counts as one that reads, and clients may not ask",
            ),
        Finding::new(
            Level::Warning,
            CHECK,
            "`readOnlyHint: true`, but by its name it writes: its calls are not judged",
        )
        .about(names(tools, |tool| {
            read_only(tool) == Some(true) && destructive(tool) != Some(true) && is_write_name(tool)
        }))
        .mend("correct the hint, or name the tool in --write-tools"),
        Finding::new(
            Level::Note,
            CHECK,
            "`readOnlyHint: false`, but by its name it reads: its calls are judged as writes",
        )
        .about(names(tools, |tool| {
            read_only(tool) == Some(false)
                && READ_PREFIXES.iter().any(|prefix| tool.name().starts_with(prefix))
        }))
        .mend("correct the hint, or name the tool in --read-tools"),
        Finding::new(
            Level::Warning,
            CHECK,
            "`destructiveHint: false`, but by its name it destroys",
        )
        .about(names(tools, |tool| destructive(tool) == Some(false) && destroys(tool)))
        .mend("set `destructiveHint: true`: clients ask their user by it"),
        Finding::new(Level::Warning, CHECK, "no flag, hint or name says whether it writes")
            .about(names(tools, |tool| tool.class == Class::Unclassified))
            .mend("declare `readOnlyHint`, or name the tool in --write-tools or --read-tools"),
        Finding::new(Level::Note, CHECK, "no hints: only its name says whether it writes")
            .about(names(tools, |tool| {
                !tool.definition.has_hints && tool.class != Class::Unclassified
            }))
            .mend("declare `readOnlyHint`, and for writes `destructiveHint` and `idempotentHint`"),
        Finding::new(
            Level::Note,
            CHECK,
            "a write without `destructiveHint`, which then counts as true",
        )
        .about(names(tools, |tool| {
            tool.is_write() && tool.definition.has_hints && destructive(tool).is_none()
        }))
        .mend("declare it: clients ask their user by it"),
    ];
    let mut findings: Vec<_> =
        candidates.into_iter().filter(|finding| !finding.tools.is_empty()).collect();
    if findings.is_empty() && !tools.is_empty() {
        findings.push(Finding::new(Level::Ok, CHECK, "every tool has hints, and none contradict"));
    }
    findings
}

fn is_write_name(tool: &Reviewed<'_>) -> bool {
    DEFAULT_WRITE_PATTERNS.iter().any(|pattern| glob::matches(pattern, tool.name()))
}
