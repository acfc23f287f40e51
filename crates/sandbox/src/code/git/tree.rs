//! The files of a commit, as one flat map from path to content id.

use std::collections::BTreeMap;

use super::objects::tree_id;

/// Path → blob id.
pub(crate) type Tree = BTreeMap<String, String>;

/// What stands directly in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Name inside the directory.
    pub(crate) name: String,
    /// Whole path.
    pub(crate) path: String,
    /// True for a directory.
    pub(crate) is_dir: bool,
    /// Blob or tree id.
    pub(crate) id: String,
}

/// The entries of a directory, directories first; `None` when there is no such directory.
pub(crate) fn listing(tree: &Tree, directory: &str) -> Option<Vec<Entry>> {
    let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let mut names: BTreeMap<(bool, String), String> = BTreeMap::new();
    for (path, blob) in tree {
        let Some(rest) = path.strip_prefix(&prefix) else { continue };
        match rest.split_once('/') {
            Some((name, _)) => names.insert((false, name.to_owned()), String::new()),
            None => names.insert((true, rest.to_owned()), blob.clone()),
        };
    }
    if names.is_empty() && !directory.is_empty() {
        return None;
    }
    let entries = names.into_iter().map(|((is_file, name), blob)| {
        let path = format!("{prefix}{name}");
        let id = if is_file { blob } else { directory_id(tree, &path) };
        Entry { name, path, is_dir: !is_file, id }
    });
    Some(entries.collect())
}

/// The id of a directory; of the whole tree for an empty path.
pub(crate) fn directory_id(tree: &Tree, directory: &str) -> String {
    let entries = listing(tree, directory).unwrap_or_default();
    let parts: Vec<(String, bool, String)> =
        entries.into_iter().map(|entry| (entry.name, entry.is_dir, entry.id)).collect();
    tree_id(&parts)
}

/// Every directory that holds a file, without the root.
pub(crate) fn directories(tree: &Tree) -> Vec<String> {
    let mut found: Vec<String> = tree
        .keys()
        .flat_map(|path| path.match_indices('/').filter_map(|(at, _)| path.get(..at)))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Why a path cannot name a file.
pub(crate) fn path_fault(path: &str) -> Option<&'static str> {
    let bad_part = |part: &str| part.is_empty() || part == "." || part == ".." || part == ".git";
    match path {
        "" => Some("must not be empty"),
        path if path.len() > 4_096 => Some("is too long"),
        path if path.contains('\0') => Some("must not contain NUL"),
        path if path.split('/').any(bad_part) => {
            Some("must not contain empty, `.`, `..` or `.git` segments")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Tree, directories, listing, path_fault};

    fn tree() -> Tree {
        ["README.md", "src/main.rs", "src/a/b.rs", "src.txt"]
            .into_iter()
            .map(|path| (path.to_owned(), "ce013625030ba8dba906f756967f9e9ca394464a".to_owned()))
            .collect()
    }

    #[test]
    fn a_directory_lists_directories_first() {
        let names = |dir: &str| -> Vec<String> {
            listing(&tree(), dir).unwrap().into_iter().map(|entry| entry.path).collect()
        };
        assert_eq!(names(""), ["src", "README.md", "src.txt"]);
        assert_eq!(names("src"), ["src/a", "src/main.rs"]);
        assert_eq!(listing(&tree(), "sr"), None);
        assert_eq!(directories(&tree()), ["src", "src/a"]);
    }

    #[test]
    fn a_path_stays_inside_the_repository() {
        for path in ["", "/a", "a//b", "../a", "a/./b", "a/", ".git/config"] {
            assert!(path_fault(path).is_some(), "{path}");
        }
        assert_eq!(path_fault("a/b.txt"), None);
    }
}
