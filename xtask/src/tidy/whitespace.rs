//! Lines end where their text ends, and a file ends with a line.

use super::Finding;
use crate::tree::Tree;

/// Recorded output and texts of others stay as they came.
const AS_THEY_CAME: &[&str] = &[".snap", "package-lock.json", "LICENSE-APACHE"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in tree.files() {
        if AS_THEY_CAME.iter().any(|ending| path.ends_with(ending)) {
            continue;
        }
        for (index, line) in text.split('\n').enumerate() {
            if line != line.trim_end() {
                found.push(Finding::line(path, index, "ends with white space"));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            found.push(Finding::file(path, "does not end with a line"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        findings(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn clean_files_empty_files_and_snapshots_are_fine() {
        assert_eq!(count("a.rs", "one\n\n  two\n"), 0);
        assert_eq!(count("a.rs", ""), 0);
        assert_eq!(count("a.snap", "one \n"), 0);
    }

    #[test]
    fn blanks_returns_and_a_missing_last_line_are_found() {
        assert_eq!(count("a.rs", "one \ntwo\t\n"), 2);
        assert_eq!(count("a.rs", "one\r\n"), 1);
        assert_eq!(count("a.rs", "one"), 1);
    }
}
