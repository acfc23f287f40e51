//! Links between documents lead somewhere.

use super::Finding;
use crate::tree::Tree;

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in tree.ending("md") {
        let mut is_fenced = false;
        for (index, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                is_fenced = !is_fenced;
            }
            if is_fenced {
                continue;
            }
            let targets = targets(line).filter_map(|target| resolve(path, target));
            for target in targets.filter(|target| !tree.has(target)) {
                let message = format!("links to `{target}`, which is not here");
                found.push(Finding::line(path, index, message));
            }
        }
    }
    found
}

/// What stands between `](` and `)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// The path of a link from the root; nothing for links out of the repository or within the page.
fn resolve(page: &str, target: &str) -> Option<String> {
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() || path.contains(':') || path.contains('<') {
        return None;
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        findings(&Tree::of(&[("docs/guide.md", text), ("docs/a.md", ""), ("README.md", "")])).len()
    }

    #[test]
    fn links_to_files_folders_and_places_are_fine() {
        assert_eq!(count("[a](a.md#top) [b](../README.md) [c](../docs/) [d](#here)"), 0);
        assert_eq!(count("[out](https://example.com/x) and\n```\n[code](gone.md)\n```\n"), 0);
    }

    #[test]
    fn a_link_to_nothing_is_found() {
        assert_eq!(count("[a](gone.md)"), 1);
        assert_eq!(count("[a](a.md) [b](../gone/)"), 1);
    }
}
