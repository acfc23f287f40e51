//! `docs/reference`: written by the program itself, and stale when it no longer matches.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::house::House;
use crate::run;

/// How many stale files are named one by one.
const NAMED: usize = 20;

/// Writes the reference anew.
pub(crate) fn write(house: &House) -> Result<()> {
    let fresh = tempfile::tempdir()?;
    generate(house, fresh.path())?;
    let folder = house.root.join("docs/reference");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    for (path, text) in read(fresh.path())? {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// Says how many files there are, or which of them are stale.
pub(crate) fn check(house: &House) -> Result<String> {
    let fresh = tempfile::tempdir()?;
    generate(house, fresh.path())?;
    let fresh = read(fresh.path())?;
    let stale = differences(&fresh, &read(&house.root.join("docs/reference"))?);
    if stale.is_empty() {
        return Ok(format!("{} files", fresh.len()));
    }
    for line in stale.iter().take(NAMED) {
        println!("{line}");
    }
    bail!("{} files of `docs/reference` are stale\nhint: run `cargo xtask docs`", stale.len());
}

fn generate(house: &House, folder: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--locked", "--package", "checkrein", "--"]);
    command.args(["docs-reference", "--out"]).arg(folder).current_dir(&house.root);
    run::shown(&mut command).context("failed to generate the reference")?;
    ensure!(!read(folder)?.is_empty(), "the program wrote no reference");
    Ok(())
}

/// The files below a folder by their paths in it; none where there is no folder.
fn read(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
            files.insert(name, std::fs::read(&path)?);
        }
    }
    Ok(files)
}

/// One line for each file that is missing, left over or different.
fn differences(fresh: &BTreeMap<String, Vec<u8>>, kept: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, text) in fresh {
        match kept.get(path) {
            None => lines.push(format!("missing: {path}")),
            Some(other) if other != text => {
                lines.push(format!("differs: {path}{}", place(text, other)))
            }
            Some(_) => {}
        }
    }
    let left = kept.keys().filter(|path| !fresh.contains_key(*path));
    lines.extend(left.map(|path| format!("left over: {path}")));
    lines
}

/// The first line in which two texts differ.
fn place(fresh: &[u8], kept: &[u8]) -> String {
    let (fresh, kept) = (String::from_utf8_lossy(fresh), String::from_utf8_lossy(kept));
    let same = fresh.lines().zip(kept.lines()).take_while(|(left, right)| left == right).count();
    let at = |text: &str| text.lines().nth(same).unwrap_or("(the end)").to_owned();
    format!(":{}\n  is now: {}\n  stands: {}", same + 1, at(&fresh), at(&kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
        files.iter().map(owned).collect()
    }

    #[test]
    fn equal_trees_do_not_differ() {
        let tree = files(&[("a.md", "one"), ("b/c.md", "two")]);
        assert_eq!(differences(&tree, &tree), Vec::<String>::new());
    }

    #[test]
    fn missing_changed_and_left_over_files_are_named() {
        let fresh = files(&[("new.md", ""), ("changed.md", "same\nnow\n")]);
        let kept = files(&[("old.md", ""), ("changed.md", "same\nthen\n")]);
        assert_eq!(
            differences(&fresh, &kept),
            [
                "differs: changed.md:2\n  is now: now\n  stands: then",
                "missing: new.md",
                "left over: old.md",
            ]
        );
    }
}
