//! Sockets are opened in a few crates and nowhere else, so that a reader knows where to look.

use super::{Finding, rust};
use crate::tree::Tree;

const MAY_OPEN: &[&str] = &["audit", "chaos", "mcp", "platform", "sandbox", "search", "testkit"];

const WORDS: &[&str] =
    &["TcpListener", "TcpStream", "UdpSocket", "UnixListener", "UnixStream", "reqwest", "hyper"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in tree.ending("rs") {
        let Some(inner) = path.strip_prefix("crates/") else { continue };
        let name = inner.split('/').next().unwrap_or_default();
        if MAY_OPEN.contains(&name) || rust::is_test(tree, path) {
            continue;
        }
        for (index, line) in rust::code(text) {
            for word in WORDS.iter().filter(|word| rust::has_word(line, word)) {
                let message = format!("`{word}`: the crate `{name}` may not open sockets");
                found.push(Finding::line(path, index, message));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENS: &str = "//! Opens.\nuse tokio::net::TcpListener;\n";

    #[test]
    fn a_socket_outside_the_few_crates_is_found() {
        let found = findings(&Tree::of(&[("crates/tools/src/list.rs", OPENS)]));
        let message = "`TcpListener`: the crate `tools` may not open sockets";
        assert_eq!(found, [Finding::line("crates/tools/src/list.rs", 1, message)]);
    }

    #[test]
    fn a_socket_in_the_sandbox_or_in_a_test_is_fine() {
        let tree = [("crates/sandbox/src/serve.rs", OPENS), ("crates/tools/src/a/tests.rs", OPENS)];
        assert_eq!(findings(&Tree::of(&tree)), []);
    }
}
