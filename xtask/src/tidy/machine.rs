//! Nothing names the machine it was written on, or a host that packages come from.

use super::Finding;
use crate::tree::Tree;

/// Written in two halves so that this file does not find itself.
const PLACES: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("/tm", "p/bash"),
    concat!("registry.npm", "js.org"),
    concat!("files.python", "hosted.org"),
    concat!("py", "pi.org"),
    concat!("static.crat", "es.io"),
    concat!("index.crat", "es.io"),
    concat!("deb.deb", "ian.org"),
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in tree.files() {
        for (index, line) in text.lines().enumerate() {
            for place in PLACES.iter().filter(|place| names(line, place)) {
                found.push(Finding::line(
                    path,
                    index,
                    format!("`{place}`: true on one machine only"),
                ));
            }
        }
    }
    found
}

/// Whether a line names the place itself and not a longer path that ends like it.
fn names(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(start, _)| {
        let before = line.get(..start).and_then(|head| head.chars().next_back());
        !place.starts_with('/')
            || !before.is_some_and(|c| c.is_alphanumeric() || "}_-.".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_machine_are_found() {
        let text = format!("cd {}main\n", concat!("/wo", "rk/"));
        assert_eq!(findings(&Tree::of(&[("a.md", &text)])).len(), 1);
    }

    #[test]
    fn a_route_that_ends_alike_is_fine() {
        let text = format!("GET /api{}7\n", concat!("/wo", "rk/"));
        assert_eq!(findings(&Tree::of(&[("a.yaml", &text)])), []);
    }
}
