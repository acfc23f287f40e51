//! Manifests: lints and versions come from the workspace, and nothing is asked for in vain.

use super::Finding;
use crate::tree::Tree;

const SECTIONS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// Asked for without being named in a source: features of another crate are switched on by them.
const SWITCHES: &[&str] = &["rustls"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    if !tree.has("Cargo.lock") {
        found.push(Finding::file("Cargo.lock", "the lock file belongs into the repository"));
    }
    for (path, text) in tree.ending("toml") {
        let Some(folder) = path.strip_suffix("/Cargo.toml") else { continue };
        let Ok(manifest) = text.parse::<toml::Table>() else {
            found.push(Finding::file(path, "not a manifest"));
            continue;
        };
        if !inherits(&manifest, "lints") {
            found.push(Finding::file(path, "`[lints]` must say `workspace = true`"));
        }
        for (name, value) in dependencies(&manifest) {
            // The chores are no part of the product and need what nothing else does.
            if folder != "xtask" && !value.as_table().is_some_and(is_inherited) {
                let message = format!("`{name}`: versions stand in the root manifest alone");
                found.push(Finding::file(path, message));
            }
            if !SWITCHES.contains(&name) && !is_used(tree, folder, name) {
                found.push(Finding::file(path, format!("`{name}` is asked for and not used")));
            }
        }
    }
    found
}

fn dependencies(manifest: &toml::Table) -> impl Iterator<Item = (&str, &toml::Value)> {
    let sections = SECTIONS.iter().filter_map(|section| manifest.get(*section)?.as_table());
    sections.flatten().map(|(name, value)| (name.as_str(), value))
}

fn inherits(manifest: &toml::Table, section: &str) -> bool {
    manifest.get(section).and_then(toml::Value::as_table).is_some_and(is_inherited)
}

fn is_inherited(table: &toml::Table) -> bool {
    table.get("workspace").and_then(toml::Value::as_bool) == Some(true)
}

/// Whether a source of the crate names the dependency.
fn is_used(tree: &Tree, folder: &str, name: &str) -> bool {
    let word = name.replace('-', "_");
    let inside = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    tree.ending("rs")
        .filter(|(path, _)| inside(path))
        .any(|(_, text)| text.lines().any(|line| super::rust::has_word(line, &word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(manifest: &str, source: &str) -> Vec<String> {
        let tree = Tree::of(&[
            ("Cargo.lock", ""),
            ("crates/a/Cargo.toml", manifest),
            ("crates/a/src/lib.rs", source),
        ]);
        findings(&tree).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn a_manifest_that_inherits_everything_is_fine() {
        let manifest = "[lints]\nworkspace = true\n[dependencies]\nserde-saphyr.workspace = true\n";
        assert_eq!(messages(manifest, "use serde_saphyr::from_str;"), Vec::<String>::new());
    }

    #[test]
    fn missing_lints_own_versions_and_idle_dependencies_are_found() {
        let found = messages("[dependencies]\nurl = \"2\"\n", "fn a() {}");
        assert_eq!(
            found,
            [
                "`[lints]` must say `workspace = true`",
                "`url`: versions stand in the root manifest alone",
                "`url` is asked for and not used",
            ]
        );
    }

    #[test]
    fn a_missing_lock_file_is_found() {
        assert_eq!(findings(&Tree::default()).len(), 1);
    }
}
