//! What changed between two sets of files, by file and by line.

use similar::{ChangeTag, TextDiff};

use super::tree::Tree;

/// Files with more bytes than this are compared as a whole, not by line.
const LARGEST_TEXT: usize = 1 << 20;

/// How one file changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// Path after the change; before it, when the file was deleted.
    pub(crate) path: String,
    /// Path before a move.
    pub(crate) old_path: Option<String>,
    /// Content id before.
    pub(crate) before: Option<String>,
    /// Content id after.
    pub(crate) after: Option<String>,
}

impl FileChange {
    /// `ADDED`, `DELETED`, `RENAMED` or `MODIFIED`.
    pub(crate) fn status(&self) -> &'static str {
        match (&self.before, &self.after, &self.old_path) {
            (None, _, _) => "ADDED",
            (_, None, _) => "DELETED",
            (_, _, Some(_)) => "RENAMED",
            _ => "MODIFIED",
        }
    }
}

/// The files that differ; a file that only moved is one rename.
pub(crate) fn files(before: &Tree, after: &Tree) -> Vec<FileChange> {
    let mut gone: Vec<(&String, &String)> =
        before.iter().filter(|(path, _)| !after.contains_key(*path)).collect();
    let mut changes = Vec::new();
    for (path, new) in after {
        let old = before.get(path);
        if old == Some(new) {
            continue;
        }
        let moved = match old {
            Some(_) => None,
            None => gone.iter().position(|(_, blob)| *blob == new).map(|at| gone.remove(at)),
        };
        changes.push(FileChange {
            path: path.clone(),
            old_path: moved.map(|(path, _)| path.clone()),
            before: old.or(moved.map(|(_, blob)| blob)).cloned(),
            after: Some(new.clone()),
        });
    }
    changes.extend(gone.into_iter().map(|(path, blob)| FileChange {
        path: path.clone(),
        old_path: None,
        before: Some(blob.clone()),
        after: None,
    }));
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// True when content is not text, or too much of it.
pub(crate) fn is_binary(content: &[u8]) -> bool {
    content.len() > LARGEST_TEXT || content.contains(&0) || std::str::from_utf8(content).is_err()
}

/// Lines added and removed.
pub(crate) fn counts(before: &[u8], after: &[u8]) -> (usize, usize) {
    if is_binary(before) || is_binary(after) {
        return (0, 0);
    }
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
    let count =
        |tag: ChangeTag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    (count(ChangeTag::Insert), count(ChangeTag::Delete))
}

/// The change of one file as git prints it.
pub(crate) fn patch(change: &FileChange, before: &[u8], after: &[u8]) -> String {
    let old_path = change.old_path.as_ref().unwrap_or(&change.path);
    let mut text = format!("diff --git a/{old_path} b/{}\n", change.path);
    match (&change.before, &change.after) {
        (None, _) => text.push_str("new file mode 100644\n"),
        (_, None) => text.push_str("deleted file mode 100644\n"),
        _ if change.old_path.is_some() => {
            text.push_str(&format!("rename from {old_path}\nrename to {}\n", change.path));
        }
        _ => {}
    }
    let short = |id: &Option<String>| {
        let id = id.as_deref().unwrap_or("0000000000000000000000000000000000000000");
        id.get(..7).unwrap_or(id).to_owned()
    };
    if change.before != change.after {
        text.push_str(&format!("index {}..{}\n", short(&change.before), short(&change.after)));
    }
    if is_binary(before) || is_binary(after) {
        text.push_str(&format!("Binary files a/{old_path} and b/{} differ\n", change.path));
        return text;
    }
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
    let name = |side: &str, path: &str, id: &Option<String>| match id {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let (from, to) = (name("a", old_path, &change.before), name("b", &change.path, &change.after));
    text.push_str(&diff.unified_diff().context_radius(3).header(&from, &to).to_string());
    text
}

/// For each line of `after`, the line of `before` it comes from; `None` when it is new.
pub(crate) fn origins(before: &str, after: &str) -> Vec<Option<usize>> {
    let diff = TextDiff::from_lines(before, after);
    let changes = diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Delete);
    changes.map(|change| change.old_index()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use similar::{ChangeTag, TextDiff};

    use super::{Tree, counts, files, origins, patch};

    fn tree(files: &[(&str, &str)]) -> Tree {
        files.iter().map(|(path, id)| ((*path).to_owned(), (*id).to_owned())).collect()
    }

    #[test]
    fn a_move_without_a_change_is_a_rename() {
        let before = tree(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let after = tree(&[("a", "9"), ("dir/b", "2"), ("d", "4")]);
        let told: Vec<(String, &str)> =
            files(&before, &after).into_iter().map(|c| (c.path.clone(), c.status())).collect();
        let expected = [("a", "MODIFIED"), ("c", "DELETED"), ("d", "ADDED"), ("dir/b", "RENAMED")];
        assert_eq!(told, expected.map(|(path, status)| (path.to_owned(), status)));
    }

    #[test]
    fn a_patch_reads_as_git_prints_it() {
        let change = files(&tree(&[("a", "1111111111")]), &tree(&[("a", "2222222222")])).remove(0);
        let text = patch(&change, b"one\ntwo\n", b"one\n2\n");
        assert_eq!(
            text,
            "diff --git a/a b/a\nindex 1111111..2222222\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        );
        assert_eq!(counts(b"one\ntwo\n", b"one\n2\n3\n"), (2, 1));
    }

    #[test]
    fn a_line_knows_where_it_comes_from() {
        assert_eq!(origins("a\nb\nc\n", "a\nx\nc\n"), [Some(0), None, Some(2)]);
    }

    proptest! {
        #[test]
        fn a_difference_leads_from_one_text_to_the_other(
            before in "([abc]\n){0,6}[abc]?", after in "([abc]\n){0,6}[abc]?",
        ) {
            let diff = TextDiff::from_lines(&before, &after);
            let side = |gone: ChangeTag| -> String {
                let all = diff.iter_all_changes().filter(|one| one.tag() != gone);
                all.map(|one| one.value()).collect()
            };
            prop_assert_eq!(side(ChangeTag::Delete), after.clone());
            prop_assert_eq!(side(ChangeTag::Insert), before.clone());
        }
    }
}
