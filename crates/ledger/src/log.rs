//! Appending to a run, alone or beside other processes.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::clock::Instant;
use crate::event::{Entry, Event};
use crate::read::{self, Damage};

/// The ledger's file in a run directory.
pub(crate) const FILE: &str = "events.jsonl";

/// The format's version.
pub(crate) const VERSION: u32 = 1;

/// A run that can be written to.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    file: File,
    position: u64,
    seq: u64,
    head: String,
}

/// Why a ledger cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The directory or the file cannot be used.
    #[error("failed to use the run directory's `{path}`: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// What is there is no ledger, or was changed by another hand.
    #[error("`{path}` is not a ledger that can be carried on: {damage}; use another --run-dir")]
    Damaged {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        damage: Damage,
    },
}

impl Ledger {
    /// Opens the run in this directory, made when it is missing, and gives what it says so far.
    ///
    /// A last line that a killed process left half written is cut off: nothing it could have said
    /// was visible to the agent, because lines are written before their effect.
    ///
    /// # Errors
    /// When the directory cannot be used or holds something else.
    pub fn open(directory: &Path) -> Result<(Self, Vec<Entry>), LedgerError> {
        let path = directory.join(FILE);
        let io = |source| LedgerError::Io { path: path.clone(), source };
        // The run tells what was injected; nobody but the user should be able to look.
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(io)?;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path)
            .map_err(io)?;
        let mut ledger =
            Self { path: path.clone(), file, position: 0, seq: 0, head: String::new() };
        let entries = ledger.append(|_| Vec::new())?;
        Ok((ledger, entries))
    }

    /// Appends what `decide` says after it has seen what others wrote since the last call, and
    /// gives all new entries, the others' first. Nobody can write between the two.
    ///
    /// # Errors
    /// When the file cannot be read or written; then nothing must be shown to the agent.
    pub fn append(
        &mut self,
        decide: impl FnOnce(&[Entry]) -> Vec<Event>,
    ) -> Result<Vec<Entry>, LedgerError> {
        let io = |source| LedgerError::Io { path: self.path.clone(), source };
        self.file.lock().map_err(io)?;
        let appended = self.append_locked(decide);
        let unlocked = self.file.unlock();
        let entries = appended?;
        unlocked.map_err(|source| LedgerError::Io { path: self.path.clone(), source })?;
        Ok(entries)
    }

    fn append_locked(
        &mut self,
        decide: impl FnOnce(&[Entry]) -> Vec<Event>,
    ) -> Result<Vec<Entry>, LedgerError> {
        let mut entries = self.catch_up()?;
        let events = decide(&entries);
        if events.is_empty() {
            return Ok(entries);
        }
        let (at, wall_ms, process) = (Instant::now(), wall_ms(), std::process::id());
        let mut lines = Vec::new();
        let (mut seq, mut head) = (self.seq, self.head.clone());
        for event in events {
            seq += 1;
            let entry = Entry { v: VERSION, seq, at, wall_ms, process, event, prev: head };
            head = read::write_line(&entry, &mut lines)
                .map_err(|source| LedgerError::Io { path: self.path.clone(), source })?;
            entries.push(entry);
        }
        // One write: a kill in the middle leaves at most one torn line at the end.
        if let Err(source) = self.file.write_all(&lines) {
            // What got through must not be taken for a line later.
            let _ = self.file.set_len(self.position);
            return Err(LedgerError::Io { path: self.path.clone(), source });
        }
        self.position += lines.len() as u64;
        (self.seq, self.head) = (seq, head);
        Ok(entries)
    }

    fn catch_up(&mut self) -> Result<Vec<Entry>, LedgerError> {
        let io = |source| LedgerError::Io { path: self.path.clone(), source };
        let length = self.file.metadata().map_err(io)?.len();
        if length == self.position {
            return Ok(Vec::new());
        }
        let mut text = Vec::new();
        self.file.seek(SeekFrom::Start(self.position)).map_err(io)?;
        self.file.read_to_end(&mut text).map_err(io)?;
        let replay = read::parse(&text, self.seq, &self.head);
        match replay.damage {
            None => {}
            Some(Damage::Torn { .. }) => {
                self.file.set_len(self.position + replay.whole_bytes).map_err(io)?;
            }
            Some(damage) => {
                return Err(LedgerError::Damaged { path: self.path.clone(), damage });
            }
        }
        self.position += replay.whole_bytes;
        self.seq += replay.entries.len() as u64;
        self.head = replay.head;
        Ok(replay.entries)
    }
}

fn wall_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
