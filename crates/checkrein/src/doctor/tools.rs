//! The classes of an upstream's tools, and whether there is anything to judge.

use checkrein_chaos::Probe;
use checkrein_chaos::classify::{Hints, Patterns, classify};
use checkrein_chaos::review::{Definition, Finding, Level};
use checkrein_ledger::{Class, Tool};
use serde_json::Value;

/// What the review reads of them.
pub(super) fn definitions(tools: &[Value]) -> Vec<Definition> {
    tools.iter().filter_map(Definition::of).collect()
}

/// Each tool's class and the reason for it, as the proxy will have it.
pub(super) fn classes(tools: &[Value], patterns: &Patterns) -> Vec<Tool> {
    definitions(tools)
        .iter()
        .map(|tool| {
            let hints =
                Hints { read_only_hint: tool.read_only, destructive_hint: tool.destructive };
            classify(&tool.name, hints, patterns)
        })
        .collect()
}

/// Whether they are enough for a run.
pub(super) fn findings(tools: &[Tool], probes: &[Probe]) -> Vec<Finding> {
    let count = |class| tools.iter().filter(|tool| tool.class == class).count();
    let (writes, reads) = (count(Class::Write), count(Class::Read));
    let mut findings = Vec::new();
    if tools.is_empty() {
        let none = Finding::new(Level::Problem, "tools", "it has no tools")
            .mend("check what it needs to offer them: a key, a directory, a permission");
        findings.push(none);
    } else if writes == 0 {
        let none = Finding::new(Level::Problem, "tools", "no tool writes: every run is NOT_TESTED")
            .mend("name those that write by --write-tools");
        findings.push(none);
    } else {
        let text = format!("{} tools: {writes} write, {reads} read", tools.len());
        findings.push(Finding::new(Level::Ok, "tools", text));
    }
    if writes > 0 && reads == 0 {
        let none = Finding::new(
            Level::Warning,
            "tools",
            "no tool reads: a careful agent cannot look up what became of its write",
        )
        .mend("name those that read by --read-tools, or offer one");
        findings.push(none);
    }
    for probe in probes.iter().filter(|probe| !tools.iter().any(|tool| tool.name == probe.tool)) {
        let text = format!("the upstream has no tool `{}` to probe by", probe.tool);
        let finding = Finding::new(Level::Problem, "probe", text);
        findings.push(finding.mend("name one of its read tools in --probe"));
    }
    findings
}
