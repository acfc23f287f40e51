//! Opens the files of a catalogue folder, within limits.

use std::fs;
use std::path::{Path, PathBuf};

use super::problem::{Position, Problem};
use super::reader::Reader;
use super::tree::Node;
use crate::model::Toolset;

/// A resource file is a few kilobytes; one of this size is not one.
const MAX_FILE_BYTES: u64 = 512 * 1024;

/// Files in one folder; ten times what the whole platform needs.
const MAX_FILES: usize = 3_000;

/// A folder being read, and what was wrong so far.
pub(super) struct Folder {
    root: PathBuf,
    /// What was found so far.
    pub(super) problems: Vec<Problem>,
}

impl Folder {
    /// Begins at a folder. Whatever lies outside of it stays unread.
    pub(super) fn open(dir: &Path) -> Self {
        Self {
            root: dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf()),
            problems: Vec::new(),
        }
    }

    /// Notes a mistake that belongs to a whole file.
    pub(super) fn problem(&mut self, file: &Path, message: impl Into<String>) {
        let (file, at) = (file.to_path_buf(), Position::START);
        self.problems.push(Problem { file, at, message: message.into() });
    }

    /// The YAML files of a folder, by name; a folder that is not there has none.
    pub(super) fn yaml_files(&mut self, dir: &Path) -> Vec<PathBuf> {
        self.entries(dir)
            .into_iter()
            .filter(|path| path.extension().is_some_and(|end| end == "yaml" || end == "yml"))
            .collect()
    }

    /// The folders in a folder, by name.
    pub(super) fn folders(&mut self, dir: &Path) -> Vec<PathBuf> {
        self.entries(dir).into_iter().filter(|path| path.is_dir()).collect()
    }

    fn entries(&mut self, dir: &Path) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(dir) else {
            return Vec::new();
        };
        let mut paths: Vec<PathBuf> =
            entries.filter_map(Result::ok).map(|entry| entry.path()).take(MAX_FILES + 1).collect();
        if paths.len() > MAX_FILES {
            self.problem(dir, format!("more than {MAX_FILES} files; the rest is not read"));
            paths.truncate(MAX_FILES);
        }
        paths.sort();
        paths
    }

    /// Decodes one file. `None` when anything is wrong with it; what is wrong is noted.
    pub(super) fn read<T>(
        &mut self,
        file: &Path,
        decode: impl FnOnce(&mut Reader<'_>, &Node) -> Option<T>,
    ) -> Option<T> {
        let before = self.problems.len();
        let value = self.read_partly(file, decode);
        value.filter(|_| self.problems.len() == before)
    }

    /// Decodes one file and gives what is right of it.
    pub(super) fn read_partly<T>(
        &mut self,
        file: &Path,
        decode: impl FnOnce(&mut Reader<'_>, &Node) -> Option<T>,
    ) -> Option<T> {
        let text = match self.text(file) {
            Ok(text) => text,
            Err(message) => {
                self.problem(file, message);
                return None;
            }
        };
        let (value, problems) = decode_text(file, &text, decode);
        self.problems.extend(problems);
        value
    }

    fn text(&self, file: &Path) -> Result<String, String> {
        let real = file.canonicalize().map_err(|error| format!("cannot be read: {error}"))?;
        if !real.starts_with(&self.root) {
            return Err("links out of the catalogue folder; copy the file into it".to_owned());
        }
        let size = fs::metadata(&real).map_err(|error| format!("cannot be read: {error}"))?;
        if !size.is_file() {
            return Err("is not a file".to_owned());
        }
        if size.len() > MAX_FILE_BYTES {
            return Err(format!("is larger than {} kB", MAX_FILE_BYTES / 1024));
        }
        fs::read_to_string(&real).map_err(|error| format!("cannot be read: {error}"))
    }

    /// Tells of folders and files that nothing reads.
    pub(super) fn check_strays(&mut self, dir: &Path, toolsets: &[Toolset]) {
        for folder in self.folders(dir) {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let known = toolsets.iter().map(|toolset| toolset.name.as_str()).chain(["dialects"]);
            if !known.clone().any(|known| known == name) {
                let message = super::problem::unknown("toolset", &name, known);
                self.problem(&folder, format!("{message}; add it to `toolsets.yaml`"));
            }
            for file in self.yaml_files(&folder) {
                let stem = file.to_string_lossy().into_owned();
                if let Some(stem) = stem.strip_suffix(super::CASES)
                    && !Path::new(&format!("{stem}.yaml")).is_file()
                {
                    self.problem(&file, "has no resource file beside it");
                }
            }
        }
    }
}

/// Decodes a text; the file is only named in what is wrong.
pub(super) fn decode_text<T>(
    file: &Path,
    text: &str,
    decode: impl FnOnce(&mut Reader<'_>, &Node) -> Option<T>,
) -> (Option<T>, Vec<Problem>) {
    let mut reader = Reader::new(file, text);
    let value = match super::parse(text) {
        Ok(Some(root)) => decode(&mut reader, &root),
        Ok(None) => {
            reader.problem(Position::START, "is empty");
            None
        }
        Err((at, message)) => {
            reader.problem(at, message);
            None
        }
    };
    (value, reader.problems)
}
