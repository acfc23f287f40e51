//! What was meant to be finished and was not.

use super::{Finding, rust};
use crate::tree::Tree;

/// Written in two halves so that this file does not find itself.
const WORDS: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("X", "XX"),
    concat!("to", "do!"),
    concat!("db", "g!"),
    concat!("unimple", "mented!"),
];

/// Words about how the work was done, which a reader of the code has no use for.
const DIARY: &[&str] =
    &[concat!("in this ", "session"), concat!("as an ", "AI"), concat!("helper ", "agent")];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in tree.files().filter(|(path, _)| is_ours(path)) {
        for (index, line) in text.lines().enumerate() {
            for word in WORDS.iter().filter(|word| rust::has_word(line, word)) {
                found.push(Finding::line(
                    path,
                    index,
                    format!("`{word}`: finish it or file an issue"),
                ));
            }
            for words in DIARY.iter().filter(|words| line.contains(**words)) {
                let message = format!("`{words}`: say what is, not how it came to be");
                found.push(Finding::line(path, index, message));
            }
        }
    }
    found
}

fn is_ours(path: &str) -> bool {
    !path.ends_with("package-lock.json") && path != "Cargo.lock"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_found_with_their_line() {
        let text = format!("//! A.\n// {} later\n", concat!("TO", "DO"));
        let found = findings(&Tree::of(&[("a.rs", &text)]));
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [Some(2)]);
    }

    #[test]
    fn longer_words_are_fine() {
        assert_eq!(findings(&Tree::of(&[("a.rs", "// mastodons\n")])), []);
    }
}
