//! Which crate may stand on which. Arrows point down only; a crate exists where one is forbidden.

use super::Finding;
use crate::tree::Tree;

/// The binary is the roof: nothing stands on it, so no arrow from it is worth forbidding.
const EVERYTHING: &[&str] = &[
    "access", "audit", "builtin", "campaign", "catalog", "chaos", "console", "ledger", "mcp",
    "platform", "report", "sandbox", "search", "settings", "tools", "verdict", "yaml",
];

/// Each crate and the crates it may stand on. Tests are free to stand on more.
const ARROWS: &[(&str, &[&str])] = &[
    ("checkrein", EVERYTHING),
    ("tools", &["audit", "catalog", "mcp", "platform", "search"]),
    ("platform", &["catalog"]),
    ("sandbox", &["catalog"]),
    ("builtin", &["catalog"]),
    ("chaos", &["ledger", "mcp", "yaml"]),
    ("verdict", &["ledger"]),
    ("report", &["ledger", "verdict"]),
    ("console", &["report"]),
    ("campaign", &["chaos", "verdict"]),
    ("access", &["mcp"]),
    ("audit", &[]),
    ("search", &[]),
    ("settings", &[]),
    ("catalog", &["yaml"]),
    ("ledger", &[]),
    ("yaml", &[]),
    ("mcp", &[]),
    ("testkit", &[]),
];

const SECTIONS: &[&str] = &["dependencies", "build-dependencies"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.files().filter_map(|(path, text)| {
        let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        Some((path, name, text))
    });
    manifests.flat_map(|(path, name, text)| crate_findings(path, name, text)).collect()
}

fn crate_findings(path: &str, name: &str, text: &str) -> Vec<Finding> {
    let Ok(manifest) = text.parse::<toml::Table>() else {
        return vec![Finding::file(path, "not a manifest")];
    };
    let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        let message =
            format!("no arrow is declared for the crate `{name}`: see `xtask/src/tidy/arrows.rs`");
        return vec![Finding::file(path, message)];
    };
    let sections = SECTIONS.iter().filter_map(|section| manifest.get(*section)?.as_table());
    let ours = sections.flat_map(|section| section.keys()).filter_map(|key| {
        if key == "checkrein" { Some("checkrein") } else { key.strip_prefix("checkrein-") }
    });
    let forbidden = ours.filter(|target| !allowed.contains(target));
    forbidden
        .map(|target| Finding::file(path, format!("`{name}` may not stand on `{target}`")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_down_and_those_of_tests_are_fine() {
        let manifest = "[dependencies]\ncheckrein-catalog.workspace = true\nserde = \"1\"\n\
                        [dev-dependencies]\ncheckrein-testkit.workspace = true\n";
        assert_eq!(findings(&Tree::of(&[("crates/platform/Cargo.toml", manifest)])), []);
    }

    #[test]
    fn an_arrow_up_is_found_in_either_section() {
        for section in SECTIONS {
            let manifest = format!("[{section}]\ncheckrein-tools = {{ workspace = true }}\n");
            let found = findings(&Tree::of(&[("crates/catalog/Cargo.toml", &manifest)]));
            let message = "`catalog` may not stand on `tools`";
            assert_eq!(found, [Finding::file("crates/catalog/Cargo.toml", message)]);
        }
    }

    #[test]
    fn a_crate_without_declared_arrows_is_found() {
        let found = findings(&Tree::of(&[("crates/helpers/Cargo.toml", "")]));
        assert!(found.iter().any(|finding| finding.message.contains("`helpers`")));
    }

    #[test]
    fn the_declared_arrows_have_no_cycle() {
        fn reaches(from: &str, goal: &str, depth: usize) -> bool {
            let below = ARROWS.iter().find(|(name, _)| *name == from).unwrap().1;
            depth > 0 && below.iter().any(|name| *name == goal || reaches(name, goal, depth - 1))
        }
        for (name, _) in ARROWS {
            assert!(!reaches(name, name, ARROWS.len()), "`{name}` stands on itself");
        }
    }
}
