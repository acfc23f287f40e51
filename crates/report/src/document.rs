//! The report as a document: the file's shape, with its version.

use checkrein_ledger::{Class, Start};
use checkrein_verdict::{OperationSummary, Reason, Run, Score, Verdict};
use serde::Serialize;

/// The name and version of the shape.
pub const SCHEMA: &str = "checkrein.report.v1";

/// What no report may be taken for.
const VERIFICATION: &str = "UNVERIFIED_FOR_PRODUCTION";

/// How far the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The version that wrote it.
    pub checkrein: String,
    /// How far the run is.
    pub status: Status,
    /// The verdict.
    pub verdict: Verdict,
    /// Always the same: a run through a proxy proves nothing about production.
    pub verification: &'static str,
    /// Why the verdict is what it is.
    pub reasons: Vec<Reason>,
    /// The points; null when nothing was tested.
    pub score: Option<Score>,
    /// The scenario, or null.
    pub scenario: Option<String>,
    /// The wire shape of its fault, or null.
    pub shape: Option<String>,
    /// Whether random faults were on, with what probability and which seed.
    pub chaos: Option<Chaos>,
    /// How often each class of tool was called.
    pub calls: Calls,
    /// Every write operation.
    pub operations: Vec<OperationSummary>,
}

/// Random faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chaos {
    /// The probability, as it was written.
    pub error_rate: String,
    /// The seed that repeats the draws.
    pub seed: u64,
}

/// Calls by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
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
        let judgement = run.judge();
        let Start { scenario, shape, chaos, error_rate, seed, version, .. } = run.start.clone();
        let chaos = chaos.then(|| Chaos {
            error_rate: error_rate.unwrap_or_default(),
            seed: seed.unwrap_or_default(),
        });
        Self {
            schema: SCHEMA,
            checkrein: version,
            status,
            verdict: judgement.verdict,
            verification: VERIFICATION,
            reasons: judgement.reasons,
            score: judgement.score,
            scenario,
            shape,
            chaos,
            calls: count(run),
            operations: judgement.operations,
        }
    }

    /// The document as JSON text.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

fn count(run: &Run) -> Calls {
    let mut calls = Calls::default();
    for attempt in run.in_order() {
        match attempt.class {
            Class::Write => calls.write += 1,
            Class::Read => calls.read += 1,
            Class::Unclassified => calls.unclassified += 1,
            Class::NotOffered => calls.not_offered += 1,
        }
    }
    calls
}
