//! Every Rust file opens with a sentence on why it exists; the tests of a file lean on that one's.

use super::{Finding, rust};
use crate::tree::Tree;

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let tests = |path: &str| path.starts_with("crates/") && rust::is_test(tree, path);
    let sources = tree.ending("rs").filter(|(path, _)| !tests(path));
    let silent = sources.filter(|(_, text)| !text.starts_with("//! "));
    silent.map(|(path, _)| Finding::file(path, "open with `//!` and why the file exists")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_its_sentence_is_found() {
        let tree = [
            ("crates/a/src/lib.rs", "//! Adds.\n"),
            ("crates/a/src/sum.rs", "fn sum() {}\n"),
            ("crates/a/src/sum/tests.rs", "use super::*;\n"),
        ];
        let found = findings(&Tree::of(&tree));
        assert_eq!(
            found.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
            ["crates/a/src/sum.rs"]
        );
    }
}
