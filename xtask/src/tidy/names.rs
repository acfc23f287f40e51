//! A file is named after its idea; these names are what is left when there is none.

use super::Finding;
use crate::tree::Tree;

const EMPTY: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "types"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    tree.ending("rs").filter_map(|(path, _)| finding(path)).collect()
}

fn finding(path: &str) -> Option<Finding> {
    let word = path.trim_end_matches(".rs").split('/').find(|part| EMPTY.contains(part))?;
    Some(Finding::file(path, format!("`{word}` says nothing: name the file after its idea")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_names_are_found_as_files_and_as_folders() {
        let tree = [("crates/a/src/utils.rs", ""), ("crates/a/src/common/url.rs", "")];
        assert_eq!(findings(&Tree::of(&tree)).len(), 2);
    }

    #[test]
    fn a_name_that_only_contains_one_is_fine() {
        assert_eq!(findings(&Tree::of(&[("crates/a/src/resource_types.rs", "")])), []);
    }
}
