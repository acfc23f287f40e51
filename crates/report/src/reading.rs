//! Taking a report back in, and naming what is no report for what it is.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use checkrein_verdict::Run;
use serde::Deserialize;
use serde_json::Value;

use crate::document::{Document, SCHEMA, Status};
use crate::format::Format;

/// The largest report that is read. One of ours is bounded by its timeline and its operations.
const SIZE_LIMIT: u64 = 256 << 20;

/// The name of the ledger's file in a run directory.
const EVENTS: &str = "events.jsonl";

/// Why there is no report to be had.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error("failed to read `{}`: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is nothing of that name.
    #[error("there is no `{}`; name the report file or the run directory that the proxy printed", .0.display())]
    Missing(PathBuf),
    /// It is too large to be one.
    #[error("`{}` is larger than any report; name the report file or the run directory", .0.display())]
    TooLarge(PathBuf),
    /// A directory without a run.
    #[error("`{}` is a directory without a run: it holds no `events.jsonl`; name the run directory that the proxy printed", .0.display())]
    NoRun(PathBuf),
    /// Something else.
    #[error("`{}` is no report: it holds {what}{hint}", path.display())]
    SomethingElse {
        /// The path.
        path: PathBuf,
        /// What it holds.
        what: String,
        /// What to do, when there is something to do.
        hint: &'static str,
    },
    /// A report of another version.
    #[error("`{}` is a report of the version `{schema}`, and this program reads `{SCHEMA}`; use the program that wrote it", path.display())]
    OtherVersion {
        /// The path.
        path: PathBuf,
        /// Its version.
        schema: String,
    },
    /// A report that was changed or cut.
    #[error("`{}` says that it is a report, and is not a whole one: {why}; make it anew from the run directory", path.display())]
    Broken {
        /// The path.
        path: PathBuf,
        /// What is wrong.
        why: serde_json::Error,
    },
}

/// Reads a report file, or makes the report of a run directory from its ledger.
///
/// # Errors
/// When there is neither; the error says what there is.
pub fn read(path: &Path) -> Result<Document, ReadError> {
    if path.is_dir() {
        return from_ledger(path);
    }
    let io = |source| ReadError::Io { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ReadError::Missing(path.to_owned()),
        _ => io(error),
    })?;
    file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > SIZE_LIMIT {
        return Err(ReadError::TooLarge(path.to_owned()));
    }
    parse(&bytes, path)
}

fn from_ledger(directory: &Path) -> Result<Document, ReadError> {
    let replay = match checkrein_ledger::read(directory) {
        Ok(replay) => replay,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(ReadError::NoRun(directory.to_owned()));
        }
        Err(source) => return Err(ReadError::Io { path: directory.join(EVENTS), source }),
    };
    let run = Run::replay(&replay.entries);
    // The ledger is whole even where the run was killed; what it says then is final, too.
    let mut document = Document::of(&run, Status::Finished);
    if run.finished.is_none() {
        document.status = if run.attempts.is_empty() { Status::Starting } else { Status::Running };
    }
    document.run.damage = replay.damage.map(|damage| damage.to_string());
    Ok(document)
}

fn parse(bytes: &[u8], path: &Path) -> Result<Document, ReadError> {
    let path = || path.to_owned();
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok(value) = serde_json::from_slice::<Value>(text) else {
        let is_cut = text.starts_with(b"{") && contains(text, SCHEMA.as_bytes());
        return Err(match serde_json::from_slice::<Document>(text) {
            Err(why) if is_cut => ReadError::Broken { path: path(), why },
            _ => something_else(path(), text),
        });
    };
    match value.get("schema").and_then(Value::as_str) {
        Some(schema) if schema == SCHEMA => {
            Document::deserialize(value).map_err(|why| ReadError::Broken { path: path(), why })
        }
        Some(schema) if schema.starts_with("checkrein.report.") => {
            Err(ReadError::OtherVersion { path: path(), schema: schema.to_owned() })
        }
        _ => Err(something_else(path(), text)),
    }
}

fn something_else(path: PathBuf, bytes: &[u8]) -> ReadError {
    let hint = match (Format::of_rendering(bytes), is_events(bytes)) {
        (Some(_), _) => "; name the JSON report or the run directory it was made from",
        (None, true) => "; name its directory",
        (None, false) => "",
    };
    ReadError::SomethingElse { path, what: name_what_is_there(bytes), hint }
}

/// What a file holds, by its first bytes.
pub(crate) fn name_what_is_there(bytes: &[u8]) -> String {
    if let Some(format) = Format::of_rendering(bytes) {
        return format!("a rendering of a report (`{}`)", format.name());
    }
    let start = bytes.trim_ascii_start();
    let lower: Vec<u8> = start.iter().take(64).map(u8::to_ascii_lowercase).collect();
    let is = |opening: &str| lower.starts_with(opening.as_bytes());
    if start.is_empty() {
        return "nothing".to_owned();
    }
    if is_events(start) {
        return "the events of a run".to_owned();
    }
    if is("<!doctype html") || is("<html") {
        return "an HTML page".to_owned();
    }
    if is("<?xml") {
        return "XML".to_owned();
    }
    match serde_json::from_slice::<Value>(start) {
        Ok(value) => name_json(&value),
        Err(_) if contains(start, SCHEMA.as_bytes()) => "a report".to_owned(),
        Err(_) if is("{") || is("[") => "something that begins like JSON".to_owned(),
        Err(_) if start.contains(&0) || std::str::from_utf8(trim_cut(start)).is_err() => {
            "no text".to_owned()
        }
        Err(_) => "text".to_owned(),
    }
}

/// The first fields that are named; more would not help to recognise a file.
const NAMED_FIELDS: usize = 4;

fn name_json(value: &Value) -> String {
    match value {
        Value::Object(fields) if fields.get("schema").is_some_and(|it| it == SCHEMA) => {
            "a report".to_owned()
        }
        Value::Object(fields) if fields.is_empty() => "an empty JSON object".to_owned(),
        Value::Object(fields) => {
            let names: Vec<_> =
                fields.keys().take(NAMED_FIELDS).map(|name| format!("`{name}`")).collect();
            format!("a JSON object of something else, with {}", names.join(", "))
        }
        Value::Array(_) => "a JSON list".to_owned(),
        _ => "a single JSON value".to_owned(),
    }
}

/// A line of a ledger begins with its version and its place in the run.
fn is_events(bytes: &[u8]) -> bool {
    bytes.starts_with(b"{\"v\":") && contains(bytes.get(..64).unwrap_or(bytes), b"\"seq\":")
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Without a character that the end of a peek may have cut.
fn trim_cut(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).unwrap_or_default()
        }
        _ => bytes,
    }
}

#[cfg(test)]
mod tests;
