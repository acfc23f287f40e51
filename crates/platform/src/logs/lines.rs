//! Turns JSON log lines into text, keeping the latest part of a log that is too long.

use jiff::Timestamp;
use serde::Deserialize;

use super::{EMPTY_LOG, Log, ansi};

/// How much text of a log is kept; the end of a log is where a failure shows.
const MAX_TEXT: usize = 2 << 20;
/// The platform keeps 10 KB of a line; anything longer is not a log line.
const MAX_LINE: usize = 64 << 10;

/// One line of the log store; its other keys are not needed.
#[derive(Deserialize)]
struct Line {
    level: Option<String>,
    time: Option<String>,
    out: Option<String>,
}

#[derive(Debug)]
struct Kept {
    time: Option<Timestamp>,
    text: String,
}

/// Collects the lines of all files of an archive.
#[derive(Debug, Default)]
pub(super) struct Lines {
    kept: Vec<Kept>,
    size: usize,
    left_out: usize,
    /// The unfinished last line of the present file.
    open: Vec<u8>,
    /// The time of the last line that had one, for those of the same file that have none.
    time: Option<Timestamp>,
}

impl Lines {
    /// Takes a piece of a file.
    pub(super) fn push(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            if self.open.is_empty() {
                self.line(line);
            } else {
                self.keep_open(line);
                let whole = std::mem::take(&mut self.open);
                self.line(&whole);
            }
        }
        self.keep_open(rest);
    }

    /// Ends a file.
    pub(super) fn end_file(&mut self) {
        let last = std::mem::take(&mut self.open);
        self.line(&last);
        self.time = None;
    }

    /// The whole log.
    pub(super) fn finish(mut self, note: Option<String>) -> Log {
        self.end_file();
        self.kept.sort_by_key(|kept| kept.time);
        self.drop_earliest(MAX_TEXT);
        let lines: Vec<_> = self.kept.iter().map(|kept| kept.text.as_str()).collect();
        let text = lines.join("\n");
        let cut =
            (self.left_out > 0).then(|| format!("{} earlier lines are left out", self.left_out));
        let left_out = match (cut, note) {
            (Some(cut), Some(note)) => Some(format!("{cut}; {note}")),
            (cut, note) => cut.or(note),
        };
        Log { text: if text.is_empty() { EMPTY_LOG.to_owned() } else { text }, left_out }
    }

    fn keep_open(&mut self, piece: &[u8]) {
        let room = MAX_LINE.saturating_sub(self.open.len());
        self.open.extend_from_slice(piece.get(..room).unwrap_or(piece));
    }

    fn line(&mut self, bytes: &[u8]) {
        let bytes = bytes.get(..MAX_LINE).unwrap_or(bytes).trim_ascii_end();
        if bytes.is_empty() {
            return;
        }
        let text = match serde_json::from_slice::<Line>(bytes) {
            Ok(line) => {
                // Other JSON than a log line says nothing to a reader of the log.
                let Some(out) = line.out else { return };
                self.time = line.time.as_deref().and_then(|time| time.parse().ok()).or(self.time);
                said(line.time.as_deref(), line.level.as_deref(), &out)
            }
            Err(_) => ansi::strip(&String::from_utf8_lossy(bytes)),
        };
        self.size += text.len() + 1;
        self.kept.push(Kept { time: self.time, text });
        if self.size > 2 * MAX_TEXT {
            self.kept.sort_by_key(|kept| kept.time);
            self.drop_earliest(MAX_TEXT);
        }
    }

    fn drop_earliest(&mut self, limit: usize) {
        let mut dropped = 0;
        for kept in &self.kept {
            if self.size <= limit {
                break;
            }
            self.size -= kept.text.len() + 1;
            dropped += 1;
        }
        self.kept.drain(..dropped);
        self.left_out += dropped;
    }
}

fn said(time: Option<&str>, level: Option<&str>, out: &str) -> String {
    let out = ansi::strip(out.trim_end_matches(['\n', '\r']));
    match (time.filter(|time| !time.is_empty()), level.filter(|level| !level.is_empty())) {
        (Some(time), Some(level)) => format!("[{time}] {level}: {out}"),
        (Some(time), None) => format!("[{time}] {out}"),
        (None, Some(level)) => format!("{level}: {out}"),
        (None, None) => out,
    }
}

#[cfg(test)]
mod tests;
