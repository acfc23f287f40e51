//! Reads Rust sources as far as the rules need it: which lines are the product, which the tests.

use crate::tree::Tree;

/// Whether a whole file is tests: by its name, or because it is declared for them.
pub(super) fn is_test(tree: &Tree, path: &str) -> bool {
    path.ends_with("/tests.rs")
        || path.contains("/tests/")
        || path.starts_with("tests/")
        || is_declared_for_tests(tree, path)
}

/// Whether the file above declares this one with `#[cfg(test)] mod name;`.
fn is_declared_for_tests(tree: &Tree, path: &str) -> bool {
    let Some((folder, file)) = path.rsplit_once('/') else { return false };
    let declaration = format!("mod {};", file.trim_end_matches(".rs"));
    let above = [format!("{folder}.rs"), format!("{folder}/lib.rs"), format!("{folder}/main.rs")];
    above.iter().filter_map(|file| tree.text(file)).any(|text| {
        let lines: Vec<&str> = text.lines().collect();
        lines
            .windows(2)
            .any(|pair| matches!(pair, [mark, next] if is_mark(mark) && *next == declaration))
    })
}

/// The lines before the tests at the end of a file, counted from zero.
pub(super) fn product(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines
        .windows(2)
        .position(|pair| matches!(pair, [mark, next] if is_mark(mark) && opens_module(next)));
    let end = tests.unwrap_or(lines.len());
    lines.into_iter().take(end).enumerate()
}

/// The same without lines that are comments.
pub(super) fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    product(text).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

fn is_mark(line: &str) -> bool {
    line.trim() == "#[cfg(test)]"
}

fn opens_module(line: &str) -> bool {
    line.starts_with("mod ") && line.ends_with('{')
}

/// Whether a line holds this word and not just a longer one.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line.get(..start).and_then(|head| head.chars().next_back());
        let after = line.get(start + word.len()..).and_then(|tail| tail.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_at_the_end_are_not_the_product() {
        let text = "fn a() {}\n// why\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        assert_eq!(product(text).count(), 2);
        assert_eq!(code(text).collect::<Vec<_>>(), [(0, "fn a() {}")]);
    }

    #[test]
    fn a_declared_test_module_does_not_end_the_product() {
        let text = "#[cfg(test)]\nmod tests;\nfn a() {}\n";
        assert_eq!(product(text).count(), 3);
    }

    #[test]
    fn a_file_declared_for_tests_is_one() {
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", "mod list;\n#[cfg(test)]\nmod scripted;\n"),
            ("crates/a/src/list.rs", ""),
            ("crates/a/src/scripted.rs", ""),
        ]);
        assert!(is_test(&tree, "crates/a/src/scripted.rs"));
        assert!(is_test(&tree, "crates/a/src/list/tests.rs"));
        assert!(!is_test(&tree, "crates/a/src/list.rs"));
    }

    #[test]
    fn a_word_is_not_found_in_a_longer_one() {
        assert!(has_word("let x: TcpStream;", "TcpStream"));
        assert!(!has_word("let x: MyTcpStreams;", "TcpStream"));
    }
}
