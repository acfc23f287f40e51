//! The report as a document: the file's shape, with its version.
//!
//! Arguments are left out on purpose. A report is passed around, and what an agent wrote is nobody's
//! business but the user's; the ledger has it.

use checkrein_ledger::{Class, Instant, Start};
use checkrein_verdict::{
    Counts, Expectation, OperationSummary, ReadBack, Reason, Repeat, Run, Score, StateFinding,
    Verdict,
};
use serde::{Deserialize, Serialize};

use crate::advice::{self, Advice};
use crate::timeline::{self, Happening, Moment};

/// The name and version of the shape.
pub const SCHEMA: &str = "checkrein.report.v1";

/// What no report may be taken for.
const VERIFICATION: &str = "UNVERIFIED_FOR_PRODUCTION";

/// While a run goes on, a report is written after each answer; beyond this many calls the details
/// wait for the end, so that a long run does not slow down its own agent.
const DETAIL_WHILE_RUNNING: usize = 64;

/// While a run goes on, and beyond this many calls, operations that were sent once and executed
/// once are counted and not listed, for the same reason.
const LIST_WHILE_RUNNING: usize = 256;

/// The most rows of the timeline that a report holds; the ledger has them all.
const ROW_LIMIT: usize = 2_000;

/// How far the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No call was forwarded or answered yet.
    Starting,
    /// Calls are being made.
    Running,
    /// The run is over.
    Finished,
}

/// A report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version that wrote it.
    pub checkrein: String,
    /// How far the run is.
    pub status: Status,
    /// The verdict.
    pub verdict: Verdict,
    /// Always the same: a run through a proxy proves nothing about production.
    pub verification: String,
    /// Why the verdict is what it is.
    pub reasons: Vec<Reason>,
    /// The points; null when nothing was tested.
    pub score: Option<Score>,
    /// The scenario, or null.
    pub scenario: Option<String>,
    /// The wire shape of its fault, or null.
    pub shape: Option<String>,
    /// How long an injected 429 asked to wait, in seconds, or null.
    pub retry_after_s: Option<u64>,
    /// Whether random faults were on, with what probability and which seed.
    pub chaos: Option<Chaos>,
    /// The run itself.
    pub run: RunFacts,
    /// How often each class of tool was called.
    pub calls: Calls,
    /// Every write operation; in the middle of a long run without those that were sent once and
    /// executed once.
    pub operations: Vec<OperationSummary>,
    /// How many such operations are left out.
    pub plain_operations: u64,
    /// Whether all that follows is in it; a report from the middle of a long run leaves it out.
    pub is_detailed: bool,
    /// The upstream's tools.
    pub tools: Vec<ToolFacts>,
    /// Every call: what the agent was told, and what really happened.
    pub timeline: Vec<Moment>,
    /// How many calls the timeline leaves out.
    pub left_out: u64,
    /// What happened besides calls.
    pub happenings: Vec<Happening>,
    /// Every repeat of a write, with who repeated it.
    pub repeats: Vec<Repeat>,
    /// Every read after a ghost write, with whether it could have shown the record.
    pub read_backs: Vec<ReadBack>,
    /// What the user expected, beside what happened.
    pub expectations: Vec<Expectation>,
    /// What the harness's own looks at the upstream say.
    pub state: Vec<StateFinding>,
    /// What would mend what was seen.
    pub advice: Vec<Advice>,
}

/// Random faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chaos {
    /// The probability, as it was written.
    pub error_rate: String,
    /// The seed that repeats the draws.
    pub seed: u64,
}

/// The run itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFacts {
    /// When it began, in milliseconds since 1970; null before it did.
    pub began_wall_ms: Option<u64>,
    /// How long it took until now, in microseconds.
    pub lasted_us: u64,
    /// How many proxy processes shared it.
    pub processes: u64,
    /// The clients, each with its version, as they name themselves.
    pub clients: Vec<String>,
    /// Why the latest process left: `end_of_input`, `signal`, `upstream_gone`, `error`.
    pub ended: Option<String>,
    /// What is wrong with the ledger that this was made from, when anything is.
    pub damage: Option<String>,
}

/// A tool of the upstream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolFacts {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: Class,
    /// Why it has this class.
    pub reason: String,
}

/// Calls by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// Of write tools.
    pub write: u64,
    /// Of read tools.
    pub read: u64,
    /// Of tools nobody classified.
    pub unclassified: u64,
    /// Of tools the upstream does not have.
    pub not_offered: u64,
}

impl Document {
    /// The report of a run as it stands.
    pub fn of(run: &Run, status: Status) -> Self {
        let is_long = status != Status::Finished && run.attempts.len() > LIST_WHILE_RUNNING;
        let (judgement, plain_operations) =
            if is_long { run.judge_briefly() } else { (run.judge(), 0) };
        let Start { scenario, shape, chaos, error_rate, seed, version, retry_after_s, .. } =
            run.start.clone();
        let chaos = chaos.then(|| Chaos {
            error_rate: error_rate.unwrap_or_default(),
            seed: seed.unwrap_or_default(),
        });
        let core = Self {
            schema: SCHEMA.to_owned(),
            checkrein: version,
            status,
            verdict: judgement.verdict,
            verification: VERIFICATION.to_owned(),
            reasons: judgement.reasons,
            score: judgement.score,
            scenario,
            shape,
            retry_after_s,
            chaos,
            run: RunFacts::of(run),
            calls: Calls::of(run),
            operations: judgement.operations,
            plain_operations,
            is_detailed: false,
            tools: Vec::new(),
            timeline: Vec::new(),
            left_out: run.attempts.len() as u64,
            happenings: Vec::new(),
            repeats: Vec::new(),
            read_backs: Vec::new(),
            expectations: Vec::new(),
            state: Vec::new(),
            advice: Vec::new(),
        };
        if status != Status::Finished && run.attempts.len() > DETAIL_WHILE_RUNNING {
            return core;
        }
        core.with_details(run)
    }

    fn with_details(mut self, run: &Run) -> Self {
        let tool = |tool: &checkrein_ledger::Tool| ToolFacts {
            name: tool.name.clone(),
            class: tool.class,
            reason: tool.reason.clone(),
        };
        self.tools = run.tools.iter().map(tool).collect();
        self.timeline = timeline::moments(run, ROW_LIMIT);
        self.left_out = (run.attempts.len() - self.timeline.len()) as u64;
        self.happenings = timeline::happenings(run, ROW_LIMIT);
        self.repeats = run.repeats();
        self.repeats.truncate(ROW_LIMIT);
        self.read_backs = run.read_backs();
        self.read_backs.truncate(ROW_LIMIT);
        self.expectations = run.expectations();
        self.state = run.state_findings();
        self.state.truncate(ROW_LIMIT);
        self.advice = advice::of(run, &self);
        self.is_detailed = true;
        self
    }

    /// The document as JSON text; in lines that people can read once the run is over.
    pub fn to_json(&self) -> String {
        let written = match self.status {
            Status::Finished => serde_json::to_string_pretty(self),
            Status::Starting | Status::Running => serde_json::to_string(self),
        };
        written.unwrap_or_default()
    }

    /// The number of a call in the timeline, counted from 1, which people read; attempts are
    /// numbered for machines.
    pub(crate) fn call(&self, attempt: u64) -> Option<u64> {
        self.timeline.iter().find(|it| it.attempt == attempt).map(|it| it.call)
    }
}

impl RunFacts {
    fn of(run: &Run) -> Self {
        let mut clients = Vec::new();
        for client in run.sessions.iter().filter_map(|session| session.client.as_ref()) {
            if !clients.contains(client) {
                clients.push(client.clone());
            }
        }
        let began: Option<(Instant, u64)> = run.began;
        Self {
            began_wall_ms: began.map(|(_, wall_ms)| wall_ms),
            lasted_us: began.map_or(0, |(at, _)| run.latest.micros_since(at)),
            processes: run.processes.len() as u64,
            clients,
            ended: run.finished.as_ref().map(|(why, _)| why.clone()),
            damage: None,
        }
    }
}

impl Calls {
    fn of(run: &Run) -> Self {
        let Counts { write, read, unclassified, not_offered } = run.counts;
        Self { write, read, unclassified, not_offered }
    }
}
