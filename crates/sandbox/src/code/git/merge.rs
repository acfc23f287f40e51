//! Merging two sets of files that grew apart, by file and then by line.

use similar::{DiffOp, TextDiff};

use super::changes::is_binary;
use super::objects::blob_id;
use super::tree::Tree;

/// A merge: the files, contents that are new, and what could not be merged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Merged {
    /// The files after the merge; conflicting ones keep our side.
    pub(crate) tree: Tree,
    /// Contents that neither side had.
    pub(crate) contents: Vec<Vec<u8>>,
    /// Paths that both sides changed differently.
    pub(crate) conflicts: Vec<String>,
}

/// Merges `theirs` into `ours`, both grown from `base`; `content` reads a blob.
pub(crate) fn merge(
    base: &Tree,
    ours: &Tree,
    theirs: &Tree,
    content: &dyn Fn(&str) -> Vec<u8>,
) -> Merged {
    let mut merged = Merged { tree: ours.clone(), ..Merged::default() };
    let mut paths: Vec<&String> = base.keys().chain(theirs.keys()).collect();
    paths.sort();
    paths.dedup();
    for path in paths {
        let (old, own, other) = (base.get(path), ours.get(path), theirs.get(path));
        if other == old || other == own {
            continue;
        }
        if own == old {
            match other {
                Some(blob) => merged.tree.insert(path.clone(), blob.clone()),
                None => merged.tree.remove(path),
            };
            continue;
        }
        let joined = match (old, own, other) {
            (Some(old), Some(own), Some(other)) => {
                lines(&content(old), &content(own), &content(other))
            }
            _ => None,
        };
        match joined {
            Some(bytes) => {
                merged.tree.insert(path.clone(), blob_id(&bytes));
                merged.contents.push(bytes);
            }
            None => merged.conflicts.push(path.clone()),
        }
    }
    merged
}

/// One change of some lines of the base.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    start: usize,
    end: usize,
    lines: Vec<String>,
}

/// Merges by line; `None` when both sides changed the same or touching lines differently.
fn lines(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    if [base, ours, theirs].iter().any(|content| is_binary(content)) {
        return None;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let base = text(base);
    let (mut own, mut other) = (edits(&base, &text(ours)), edits(&base, &text(theirs)));
    let shared: Vec<Edit> = own.iter().filter(|edit| other.contains(edit)).cloned().collect();
    own.retain(|edit| !shared.contains(edit));
    other.retain(|edit| !shared.contains(edit));
    let touch = |a: &Edit, b: &Edit| a.start <= b.end && b.start <= a.end;
    if own.iter().any(|a| other.iter().any(|b| touch(a, b))) {
        return None;
    }
    let mut all = [own, other, shared].concat();
    all.sort_by_key(|edit| (edit.start, edit.end));
    let old: Vec<&str> = base.split_inclusive('\n').collect();
    let mut merged = String::new();
    let mut at = 0;
    for edit in all {
        merged.extend(old.get(at..edit.start).unwrap_or_default().iter().copied());
        merged.extend(edit.lines);
        at = edit.end;
    }
    merged.extend(old.get(at..).unwrap_or_default().iter().copied());
    Some(merged.into_bytes())
}

/// The changes of a side in order: what stands between two runs of equal lines is one change.
fn edits(base: &str, side: &str) -> Vec<Edit> {
    let diff = TextDiff::from_lines(base, side);
    let new: Vec<&str> = side.split_inclusive('\n').collect();
    let ends = (base.split_inclusive('\n').count(), new.len());
    let equal = diff.ops().iter().filter_map(|op| match *op {
        DiffOp::Equal { old_index, new_index, len } => Some((old_index, new_index, len)),
        _ => None,
    });
    let mut edits = Vec::new();
    let mut after = (0, 0);
    for (old, side, len) in equal.chain([(ends.0, ends.1, 0)]) {
        if (old, side) != after {
            let lines = new.get(after.1..side).unwrap_or_default();
            let lines = lines.iter().map(|line| (*line).to_owned()).collect();
            edits.push(Edit { start: after.0, end: old, lines });
        }
        after = (old + len, side + len);
    }
    edits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::objects::blob_id;
    use super::{Tree, lines, merge};

    fn joined(base: &str, ours: &str, theirs: &str) -> Option<String> {
        let merged = lines(base.as_bytes(), ours.as_bytes(), theirs.as_bytes())?;
        Some(String::from_utf8(merged).unwrap())
    }

    #[test]
    fn changes_of_different_lines_come_together() {
        let base = "a\nb\nc\nd\ne\n";
        assert_eq!(
            joined(base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n").unwrap(),
            "A\nb\nc\nd\nE\nf\n"
        );
        assert_eq!(joined(base, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n").unwrap(), "a\nX\nc\nd\ne\n");
        assert_eq!(joined(base, "a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n"), None);
    }

    #[test]
    fn a_file_changed_on_one_side_and_deleted_on_the_other_is_a_conflict() {
        let tree = |id: Option<&str>| -> Tree {
            id.into_iter().map(|id| ("f".to_owned(), id.to_owned())).collect()
        };
        let merged = merge(&tree(Some("1")), &tree(Some("2")), &tree(None), &|_| Vec::new());
        assert_eq!(merged.conflicts, ["f"]);
        let clean = merge(&tree(Some("1")), &tree(Some("1")), &tree(None), &|_| Vec::new());
        assert_eq!((clean.tree, clean.conflicts), (tree(None), Vec::new()));
    }

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec("[abc]", 0..8).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn a_side_that_did_not_change_gives_way(base in text(), side in text()) {
            prop_assert_eq!(joined(&base, &base, &side), Some(side.clone()));
            prop_assert_eq!(joined(&base, &side, &base), Some(side.clone()));
            prop_assert_eq!(joined(&base, &side, &side), Some(side.clone()));
        }

        #[test]
        fn merging_is_the_same_from_either_side(base in text(), a in text(), b in text()) {
            prop_assert_eq!(joined(&base, &a, &b), joined(&base, &b, &a));
        }

        #[test]
        fn new_contents_have_the_ids_the_tree_names(base in text(), a in text(), b in text()) {
            let all = [base, a, b].map(String::into_bytes);
            let tree = |at: usize| Tree::from([("f".to_owned(), blob_id(&all[at]))]);
            let read = |id: &str| all.iter().find(|c| blob_id(c) == id).cloned().unwrap_or_default();
            let merged = merge(&tree(0), &tree(1), &tree(2), &read);
            for content in &merged.contents {
                prop_assert!(merged.tree.values().any(|id| *id == blob_id(content)));
            }
        }
    }
}
