//! Reading a run back, whole or damaged.

use std::fmt;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::event::Entry;
use crate::log::{FILE, VERSION};

/// What a ledger says.
#[derive(Debug, Default)]
pub struct Replay {
    /// Its entries, up to the first damage.
    pub entries: Vec<Entry>,
    /// What is wrong with the rest, when anything is.
    pub damage: Option<Damage>,
    pub(crate) whole_bytes: u64,
    pub(crate) head: String,
}

/// What is wrong with a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// The last line is incomplete: its writer was killed. Everything before it counts.
    Torn {
        /// The line, from 1.
        line: u64,
    },
    /// A line cannot be read.
    Unreadable {
        /// The line, from 1.
        line: u64,
        /// Why.
        why: String,
    },
    /// A line does not follow from the one before: something was changed, removed or put in.
    BrokenChain {
        /// The line, from 1.
        line: u64,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Torn { line } => write!(out, "line {line} is incomplete"),
            Self::Unreadable { line, why } => write!(out, "line {line} cannot be read: {why}"),
            Self::BrokenChain { line } => write!(out, "line {line} does not follow the one before"),
        }
    }
}

/// Reads the run in this directory.
///
/// # Errors
/// When the file cannot be read at all; damage inside it is part of the answer.
pub fn read(directory: &Path) -> io::Result<Replay> {
    Ok(parse(&std::fs::read(directory.join(FILE))?, 0, ""))
}

const HASH_FIELD: &[u8] = br#","hash":""#;

/// Writes one line with its hash, and gives the hash.
pub(crate) fn write_line(entry: &Entry, out: &mut Vec<u8>) -> io::Result<String> {
    let start = out.len();
    serde_json::to_writer(&mut *out, entry)?;
    // The hash covers all before it, so it goes where the closing brace was.
    out.pop();
    let hash = hash(out.get(start..).unwrap_or_default());
    out.extend_from_slice(HASH_FIELD);
    out.extend_from_slice(hash.as_bytes());
    out.extend_from_slice(b"\"}\n");
    Ok(hash)
}

/// Reads lines that follow entry number `seq` with hash `head`.
pub(crate) fn parse(text: &[u8], seq: u64, head: &str) -> Replay {
    let mut replay = Replay { head: head.to_owned(), ..Replay::default() };
    for piece in text.split_inclusive(|byte| *byte == b'\n') {
        let line = seq + replay.entries.len() as u64 + 1;
        let Some(whole) = piece.strip_suffix(b"\n") else {
            replay.damage = Some(Damage::Torn { line });
            return replay;
        };
        match parse_line(whole, line, &replay.head) {
            Ok((entry, hash)) => {
                replay.entries.push(entry);
                replay.head = hash;
                replay.whole_bytes += piece.len() as u64;
            }
            Err(damage) => {
                replay.damage = Some(damage);
                return replay;
            }
        }
    }
    replay
}

fn parse_line(text: &[u8], line: u64, head: &str) -> Result<(Entry, String), Damage> {
    let unreadable = |why: &str| Damage::Unreadable { line, why: why.to_owned() };
    let at = text
        .windows(HASH_FIELD.len())
        .rposition(|window| window == HASH_FIELD)
        .ok_or_else(|| unreadable("it has no hash"))?;
    let (body, rest) = text.split_at(at);
    let said = rest
        .strip_prefix(HASH_FIELD)
        .and_then(|rest| rest.strip_suffix(b"\"}"))
        .ok_or_else(|| unreadable("it has no hash at its end"))?;
    let hash = hash(body);
    if hash.as_bytes() != said {
        return Err(Damage::BrokenChain { line });
    }
    let mut json = body.to_vec();
    json.push(b'}');
    let entry: Entry =
        serde_json::from_slice(&json).map_err(|error| unreadable(&error.to_string()))?;
    if entry.v != VERSION {
        return Err(unreadable(&format!("its version is {}, not {VERSION}", entry.v)));
    }
    if entry.seq != line || entry.prev != head {
        return Err(Damage::BrokenChain { line });
    }
    Ok((entry, hash))
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
