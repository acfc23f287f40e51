//! A long file is a table or a procedure. Tables are listed here with what they are.

use super::Finding;
use crate::tree::Tree;

const LIMIT: usize = 400;

/// Files that may be longer, and why.
const LONG: &[(&str, &str)] = &[];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    found(tree, LONG)
}

fn found(tree: &Tree, long: &[(&str, &str)]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in tree.ending("rs") {
        let lines = text.lines().count();
        let is_listed = long.iter().any(|(listed, _)| *listed == path);
        if lines > LIMIT && !is_listed {
            let message = format!(
                "{lines} lines: split it, or list it as a table in `xtask/src/tidy/length.rs`"
            );
            found.push(Finding::file(path, message));
        }
        if lines <= LIMIT && is_listed {
            found.push(Finding::file(path, "listed as long, and is not: take it off the list"));
        }
    }
    let gone = long.iter().filter(|(path, _)| !tree.has(path));
    found.extend(gone.map(|(path, _)| Finding::file(path, "listed as long, and is not there")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found_unless_it_is_listed() {
        let text = "//\n".repeat(LIMIT + 1);
        let tree = Tree::of(&[("a.rs", &text)]);
        assert_eq!(found(&tree, &[]).len(), 1);
        assert_eq!(found(&tree, &[("a.rs", "a table")]), []);
    }

    #[test]
    fn an_entry_that_is_no_longer_needed_is_found() {
        let tree = Tree::of(&[("a.rs", "//! Short.\n")]);
        assert_eq!(found(&tree, &[("a.rs", "a table"), ("b.rs", "a table")]).len(), 2);
    }
}
