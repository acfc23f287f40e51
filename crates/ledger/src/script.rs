//! A run written by hand, for tests of what reads runs.

use serde_json::Value;

use crate::canonical::{KeyFields, exact, loose};
use crate::clock::Instant;
use crate::event::{Answer, Class, Entry, Event, Evidence, Fault, Outcome, Received, Start, Told};

/// Writes entries, one microsecond apart unless told to wait.
#[derive(Debug)]
pub struct Script {
    entries: Vec<Entry>,
    process: u32,
    connection: u64,
    clock: u64,
    attempts: u64,
    identities: Vec<(String, String)>,
    continues: Option<u64>,
}

/// The wall clock at the beginning, in milliseconds since 1970.
const BEGAN_WALL_MS: u64 = 1_790_000_000_000;

impl Script {
    /// A run that one process has joined.
    pub fn new(start: Start) -> Self {
        let start = Start { version: "0.0.0".to_owned(), ..start };
        let script = Self {
            entries: Vec::new(),
            process: 100,
            connection: 0,
            clock: 1_000,
            attempts: 0,
            identities: Vec::new(),
            continues: None,
        };
        script.event(Event::Started(start))
    }

    /// A run with this scenario, in the shape `soft`.
    pub fn scenario(name: &str) -> Self {
        Self::new(Start {
            scenario: Some(name.to_owned()),
            shape: Some("soft".to_owned()),
            ..Start::default()
        })
    }

    /// Any event, now.
    #[must_use]
    pub fn event(mut self, event: Event) -> Self {
        self.clock += 1;
        let seq = self.entries.len() as u64 + 1;
        let wall_ms = BEGAN_WALL_MS + self.clock / 1_000;
        let at = Instant(self.clock);
        let prev = String::new();
        self.entries.push(Entry { v: 1, seq, at, wall_ms, process: self.process, event, prev });
        self
    }

    /// Time passes.
    #[must_use]
    pub fn wait_ms(mut self, millis: u64) -> Self {
        self.clock += millis * 1_000;
        self
    }

    /// What follows comes through another process.
    #[must_use]
    pub fn process(mut self, process: u32) -> Self {
        self.process = process;
        self.event(Event::Started(Start::default()))
    }

    /// The agent opens a session on a connection.
    #[must_use]
    pub fn session(mut self, connection: u64, client: &str) -> Self {
        self.connection = connection;
        self.event(Event::SessionOpened { connection, client: Some(client.to_owned()) })
    }

    /// The next call carries this identity.
    #[must_use]
    pub fn identity(mut self, name: &str, value: &str) -> Self {
        self.identities.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The next call goes on with this one.
    #[must_use]
    pub fn continues(mut self, attempt: u64) -> Self {
        self.continues = Some(attempt);
        self
    }

    /// A call comes and is not forwarded yet. Attempts are numbered from 1.
    #[must_use]
    pub fn received(mut self, class: Class, tool: &str, arguments: &Value) -> Self {
        self.attempts += 1;
        let without_keys = match arguments {
            Value::Object(fields) => Value::Object(KeyFields::default().strip(fields)),
            other => other.clone(),
        };
        let received = Received {
            attempt: self.attempts,
            connection: self.connection,
            request_id: self.attempts.to_string(),
            tool: tool.to_owned(),
            class,
            operation: exact(&without_keys),
            loose: loose(&without_keys),
            arguments_digest: String::new(),
            identities: std::mem::take(&mut self.identities),
            continues: self.continues.take(),
            repeats_part: None,
            in_batch: false,
        };
        self.event(Event::Received(received))
    }

    /// A write comes and is forwarded.
    #[must_use]
    pub fn write(self, tool: &str, arguments: &Value) -> Self {
        let script = self.received(Class::Write, tool, arguments);
        let attempt = script.attempts;
        script.event(Event::Forwarded { attempt })
    }

    /// A read comes, is forwarded, and succeeds.
    #[must_use]
    pub fn read(self, tool: &str, arguments: &Value) -> Self {
        let script = self.received(Class::Read, tool, arguments);
        let attempt = script.attempts;
        script.event(Event::Forwarded { attempt }).executed(attempt).told(attempt, Told::Upstream)
    }

    /// The upstream carries an attempt out.
    #[must_use]
    pub fn executed(self, attempt: u64) -> Self {
        self.concluded(attempt, Outcome::Executed, Answer::Ok)
    }

    /// An attempt ends at the upstream.
    #[must_use]
    pub fn concluded(self, attempt: u64, outcome: Outcome, answer: Answer) -> Self {
        let is_known = outcome != Outcome::Unknown;
        let evidence = if is_known { Evidence::Answer } else { Evidence::None };
        self.event(Event::Concluded { attempt, outcome, evidence, answer })
    }

    /// The agent is told something.
    #[must_use]
    pub fn told(self, attempt: u64, told: Told) -> Self {
        self.event(Event::Told { attempt, told })
    }

    /// The upstream carries an attempt out, and the agent hears of it.
    #[must_use]
    pub fn answered(self, attempt: u64) -> Self {
        self.executed(attempt).told(attempt, Told::Upstream)
    }

    /// The upstream carries an attempt out, and the agent hears of a timeout.
    #[must_use]
    pub fn ghosted(self, attempt: u64) -> Self {
        let fault = Fault {
            name: "F1".to_owned(),
            kind: String::new(),
            rule: 0,
            shape: None,
            sent: true,
            ghost: true,
            retry_after_us: None,
        };
        let script = self.executed(attempt).event(Event::Injected { attempt, fault });
        script.told(attempt, Told::Injected)
    }

    /// The process leaves the run.
    #[must_use]
    pub fn finished(self) -> Self {
        self.event(Event::Finished { why: "end_of_input".to_owned() })
    }

    /// The entries.
    pub fn entries(self) -> Vec<Entry> {
        self.entries
    }
}
