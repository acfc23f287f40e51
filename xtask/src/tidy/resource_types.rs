//! No code asks which resource type it holds: what differs between types is catalogue data.

use std::collections::BTreeSet;

use super::{Finding, rust};
use crate::tree::Tree;

/// Where a type may be named: hooks are the exceptions, the sandbox plays the platform itself.
const MAY_NAME: &[&str] = &["crates/tools/src/hooks", "crates/sandbox/", "crates/testkit/"];

/// What the other side of the comparison is called when it is about a type. Many types have names
/// that are plain words too (`user`, `file_store`), so the literal alone says little.
const ASKING: &[&str] = &["resource_type", "resource", "type_name", "kind"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let types = types(tree);
    let mut found = Vec::new();
    for (path, text) in tree.ending("rs").filter(|(path, _)| path.starts_with("crates/")) {
        if rust::is_test(tree, path) || MAY_NAME.iter().any(|place| path.starts_with(place)) {
            continue;
        }
        for (index, line) in rust::code(text) {
            for name in compared(line).filter(|name| types.contains(name)) {
                let message =
                    format!("compares with the resource type `{name}`: say it in the catalogue");
                found.push(Finding::line(path, index, message));
            }
        }
    }
    found
}

/// The names that the catalogue files declare.
fn types(tree: &Tree) -> BTreeSet<&str> {
    let files = tree.ending("yaml").filter(|(path, _)| path.starts_with("catalog/"));
    let lines = files.flat_map(|(_, text)| text.lines());
    lines.filter_map(|line| line.strip_prefix("resource:").map(str::trim)).collect()
}

/// The literals of a line that something named like a type is compared with.
fn compared(line: &str) -> impl Iterator<Item = &str> {
    let parts: Vec<&str> = line.split('"').collect();
    let literals = parts.iter().enumerate().skip(1).step_by(2);
    let mut names = Vec::new();
    for (index, literal) in literals {
        let before = parts.get(index - 1).map_or("", |part| part.trim_end());
        let after = parts.get(index + 1).map_or("", |part| part.trim_start());
        let left = before.strip_suffix("==").or_else(|| before.strip_suffix("!="));
        let right = after.strip_prefix("==").or_else(|| after.strip_prefix("!="));
        if left.or(right).is_some_and(asks) {
            names.push(*literal);
        }
    }
    names.into_iter()
}

fn asks(side: &str) -> bool {
    ASKING.iter().any(|word| rust::has_word(side, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIPELINE: (&str, &str) =
        ("catalog/pipelines/pipeline.yaml", "resource: pipeline\ntitle: Pipeline\n");

    fn found_in(path: &str, line: &str) -> usize {
        findings(&Tree::of(&[PIPELINE, (path, line)])).len()
    }

    #[test]
    fn a_comparison_with_a_type_is_found_on_either_side() {
        let path = "crates/tools/src/list.rs";
        assert_eq!(found_in(path, "if call.resource_type == \"pipeline\" {"), 1);
        assert_eq!(found_in(path, "if \"pipeline\" != resource.name() {"), 1);
    }

    #[test]
    fn hooks_tests_and_other_words_are_fine() {
        let line = "if resource_type == \"pipeline\" {";
        assert_eq!(found_in("crates/tools/src/hooks/pipelines.rs", line), 0);
        assert_eq!(found_in("crates/tools/src/list/tests.rs", line), 0);
        assert_eq!(found_in("crates/tools/src/list.rs", "if segment == \"pipeline\" {"), 0);
        assert_eq!(found_in("crates/tools/src/list.rs", "if resource_type == \"unheard\" {"), 0);
    }
}
