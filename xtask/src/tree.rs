//! The files of the repository, held in memory so that a rule can be tried on a small tree.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// Paths, relative to the root and with `/` between their parts, and what the files hold.
#[derive(Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads every file that is tracked, or would be if it were added.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let listing = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .context("failed to run `git ls-files`")?;
        ensure!(listing.status.success(), "`git ls-files` failed in `{}`", root.display());
        let mut files = BTreeMap::new();
        for path in String::from_utf8(listing.stdout)?.split_terminator('\0') {
            // A file deleted but not yet committed is still listed.
            let Ok(bytes) = std::fs::read(root.join(path)) else { continue };
            // A picture or an archive has a path but no lines.
            files.insert(path.to_owned(), String::from_utf8(bytes).unwrap_or_default());
        }
        Ok(Self { files })
    }

    /// A tree made of these paths and texts.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self { files: files.collect() }
    }

    /// All files, by path.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The files whose names end in `.` and this ending.
    pub(crate) fn ending(&self, ending: &str) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(move |(path, _)| {
            path.rsplit_once('.').is_some_and(|(_, found)| found == ending)
        })
    }

    /// Whether this file, or a folder of this name, is here.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files.contains_key(path) || self.files.keys().any(|file| file.starts_with(&folder))
    }

    /// What a file holds.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }
}
