//! Every Rust file opens with a sentence on why it exists.

use super::Finding;
use crate::tree::Tree;

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let sources = tree.ending("rs").filter(|(path, _)| !path.ends_with("/tests.rs"));
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
