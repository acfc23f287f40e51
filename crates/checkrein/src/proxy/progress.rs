//! The report on disk and what the user reads on standard error.

use std::io;

use checkrein_chaos::Audit;
use checkrein_chaos::stdio::{Ending, Reporter, Status};
use checkrein_ledger::{Class, Entry, Tool};
use checkrein_report::{Document, Target};
use checkrein_verdict::{Run, Verdict};

use super::arguments::{Arguments, Switch};
use crate::terminal::complain;

/// The scenario whose result is no secret: it injects nothing.
const BASELINE: &str = "F4";

/// Gathers the run, writes the report, and tells the user.
pub(super) struct Progress {
    target: Target,
    run: Run,
    status: Status,
    announced: Vec<Tool>,
}

impl Progress {
    pub(super) fn new(target: Target, arguments: &Arguments) -> Self {
        let name = arguments.scenario.as_deref().filter(|name| *name != BASELINE);
        if let (Some(name), Switch::On) = (name, arguments.audit_tools) {
            complain(&format!(
                "note: the agent can look at the result of {name}; use --audit-tools off to measure"
            ));
        }
        Self { target, run: Run::default(), status: Status::Starting, announced: Vec::new() }
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.run.judge().verdict
    }

    /// The verdict in a sentence.
    pub(super) fn sentence(&self) -> String {
        let judgement = self.run.judge();
        let word = match judgement.verdict {
            Verdict::Fail => "FAIL",
            Verdict::NotTested => "NOT_TESTED",
            Verdict::Pass => "PASS",
        };
        let reasons: Vec<_> =
            judgement.reasons.iter().map(|reason| reason.detail.as_str()).collect();
        if reasons.is_empty() { word.to_owned() } else { format!("{word}: {}", reasons.join("; ")) }
    }

    pub(super) fn close(&self, ending: Ending) {
        if ending == Ending::UpstreamGone {
            complain("warning: the upstream went away before the agent was done");
        }
        complain(&format!("verdict: {}", self.sentence()));
        complain(&format!("report: {}", self.target.path().display()));
    }

    fn document(&self) -> Document {
        let status = match self.status {
            Status::Starting => checkrein_report::Status::Starting,
            Status::Running => checkrein_report::Status::Running,
            Status::Finished => checkrein_report::Status::Finished,
        };
        Document::of(&self.run, status)
    }
}

impl Reporter for Progress {
    fn update(&mut self, entries: &[Entry], status: Status, is_due: bool) -> io::Result<()> {
        entries.iter().for_each(|entry| self.run.apply(entry));
        self.status = status;
        if !is_due {
            return Ok(());
        }
        let document = self.document();
        if status == Status::Finished {
            return self.target.write(&document.to_json());
        }
        // What a long run writes again and again should be short.
        let short = || serde_json::to_string(&document).unwrap_or_default();
        let text = if document.is_detailed { document.to_json() } else { short() };
        self.target.write_for_now(&text)
    }

    fn audit(&self, audit: Audit) -> String {
        let document = self.document();
        match audit {
            Audit::Report => serde_json::to_string(&document).unwrap_or_default(),
            Audit::Score => serde_json::json!({
                "verdict": document.verdict,
                "score": document.score,
                "verification": document.verification,
            })
            .to_string(),
        }
    }

    fn announce(&mut self, tools: &[Tool]) {
        if tools.is_empty() && self.announced.is_empty() {
            complain("warning: the upstream did not say which tools it has; names alone decide");
        }
        for tool in tools.iter().filter(|tool| !self.announced.contains(tool)) {
            let class = match tool.class {
                Class::Write => "write",
                Class::Read => "read",
                Class::Unclassified | Class::NotOffered => "unclassified",
            };
            complain(&format!("{class:<12} {}  ({})", tool.name, tool.reason));
        }
        let is_loose = |tool: &&Tool| tool.class == Class::Unclassified;
        let loose: Vec<_> = tools.iter().filter(is_loose).map(|tool| tool.name.as_str()).collect();
        if !loose.is_empty() {
            complain(&format!(
                "warning: passed through and not judged: {}; --write-tools or --read-tools \
                 classifies them",
                loose.join(", ")
            ));
        }
        self.announced = tools.to_vec();
    }
}
