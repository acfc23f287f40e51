//! Reads that the harness itself makes, so that the upstream's own state is in the ledger.

use std::collections::VecDeque;
use std::time::Duration;

use checkrein_ledger::{Class, Event};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::Engine;
use super::own::Purpose;
use super::timer::Timer;
use crate::frame::Body;
use crate::pending::{Connection, WaitingCall};

/// How long a read of ours may take before the agent's calls go on without it.
const LIMIT: Duration = Duration::from_secs(5);

/// A read to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// The reads and how far they are.
#[derive(Debug, Default)]
pub(super) struct Probes {
    reads: Vec<Probe>,
    due: VecDeque<(Connection, String)>,
    awaited: usize,
    has_begun: bool,
    /// Where the upstream was last asked: it may be another process for each session.
    latest: Connection,
}

impl Probes {
    pub(super) fn new(reads: &[Probe]) -> Self {
        Self { reads: reads.to_vec(), ..Self::default() }
    }

    /// Whether the agent's frames wait for a read.
    pub(super) fn is_underway(&self) -> bool {
        self.awaited > 0 || !self.due.is_empty()
    }

    pub(super) fn answered(&mut self) {
        self.awaited = self.awaited.saturating_sub(1);
    }

    pub(super) fn give_up(&mut self) {
        self.awaited = 0;
        self.due.clear();
        self.reads.clear();
    }
}

impl Engine {
    pub(super) fn probe_at_start(&mut self, connection: Connection) {
        if !self.probes.has_begun {
            self.probes.has_begun = true;
            self.probes.latest = connection;
            self.probe(connection, "start".to_owned());
        }
    }

    pub(super) fn probe_after(&mut self, connection: Connection, call: &WaitingCall) {
        self.probes.latest = connection;
        if call.class == Class::Write {
            self.probe(connection, format!("after {}", call.attempt));
        }
    }

    pub(super) fn probe_at_end(&mut self) {
        if self.probes.has_begun {
            self.probe(self.probes.latest, "end".to_owned());
        }
    }

    fn probe(&mut self, connection: Connection, when: String) {
        if !self.probes.reads.is_empty() {
            self.probes.due.push_back((connection, when));
        }
    }

    /// Makes the reads that are due, one round after the other.
    pub(super) fn start_due_probes(&mut self) {
        if self.probes.awaited > 0 || self.restart.is_underway() {
            return;
        }
        let Some((connection, when)) = self.probes.due.pop_front() else { return };
        for read in self.probes.reads.clone() {
            let id = self.own.id();
            let mut params = json!({"name": read.tool, "arguments": read.arguments});
            if let (Some(meta), Some(params)) = (self.listing.meta(), params.as_object_mut()) {
                params.insert("_meta".to_owned(), meta.clone());
            }
            let frame =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
            let purpose = Purpose::Probe { tool: read.tool, when: when.clone() };
            self.own.ask(connection, id.clone(), purpose);
            self.probes.awaited += 1;
            self.send_to_upstream(connection, frame.into_bytes());
            self.wait(LIMIT, Timer::Overdue(connection, id));
        }
    }

    pub(super) fn probed(&mut self, tool: String, when: String, body: Body<'_>) {
        self.probes.answered();
        let Body::Result(result) = body else { return };
        let digest: String =
            Sha256::digest(result.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        let records = serde_json::from_str(result).ok().as_ref().and_then(records);
        self.record(Event::Probed { tool, when, records, digest });
    }
}

/// How many records a result shows: the length of the one list in it.
fn records(result: &Value) -> Option<u64> {
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    if let Some(count) = result.get("structuredContent").and_then(only_list) {
        return Some(count);
    }
    let text = result.get("content")?.as_array()?.first()?.get("text")?.as_str()?;
    only_list(&serde_json::from_str(text).ok()?)
}

fn only_list(value: &Value) -> Option<u64> {
    let length = |value: &Value| value.as_array().map(|items| items.len() as u64);
    let Value::Object(fields) = value else { return length(value) };
    let mut lists = fields.values().filter_map(length);
    lists.next().filter(|_| lists.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_where_there_is_one_list() {
        for (result, count) in [
            (json!({"structuredContent": {"items": [1, 2]}}), Some(2)),
            (json!({"content": [{"type": "text", "text": "[1,2,3]"}]}), Some(3)),
            (json!({"content": [{"type": "text", "text": "{\"a\":[],\"b\":[]}"}]}), None),
            (json!({"content": [{"type": "text", "text": "none"}]}), None),
            (json!({"isError": true, "structuredContent": []}), None),
        ] {
            assert_eq!(records(&result), count, "{result}");
        }
    }
}
