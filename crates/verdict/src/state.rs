//! The upstream's own state, as the harness's looks at it show, beside what the answers say.
//!
//! A look decides no verdict: others may write to the same upstream in between. It names what the
//! answers alone cannot show, a doubling behind them or a success that was none.

use checkrein_ledger::{Class, Instant};
use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;
use crate::run::Run;

/// One look of the harness at the upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The read tool.
    pub tool: String,
    /// When: `start`, `after` an attempt, or `end`.
    pub when: String,
    /// When, on the monotonic clock.
    pub at: Instant,
    /// How many records it showed, where that can be said.
    pub records: Option<u64>,
    /// A digest of what it showed.
    pub digest: String,
}

/// Whether the state agrees with the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// As many new records as executed writes.
    Agrees,
    /// More records than writes that can account for them.
    More,
    /// Fewer records than executed writes.
    Fewer,
    /// Writes of unknown outcome leave room for both.
    Unclear,
}

/// What two looks, one after the other, say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateFinding {
    /// The read tool.
    pub tool: String,
    /// How many records there were before, and after.
    pub records: (u64, u64),
    /// The writes in between that the upstream says it carried out.
    pub executed: Vec<u64>,
    /// The writes in between of which nobody can say.
    pub unknown: Vec<u64>,
    /// Whether the two agree.
    pub agreement: Agreement,
    /// In a sentence.
    pub detail: String,
}

pub(crate) fn findings(run: &Run) -> Vec<StateFinding> {
    let mut findings = Vec::new();
    for (at, before) in run.probes.iter().enumerate() {
        let later = run.probes.get(at + 1..).unwrap_or_default();
        let after = later.iter().find(|it| it.tool == before.tool);
        findings.extend(after.and_then(|after| finding(run, before, after)));
    }
    findings
}

fn finding(run: &Run, before: &Probe, after: &Probe) -> Option<StateFinding> {
    let (from, to) = (before.records?, after.records?);
    let is_between = |it: &&&Attempt| {
        let ended = it.concluded.unwrap_or(run.latest);
        it.class == Class::Write
            && it.continues.is_none()
            && it.forwarded
            && ended > before.at
            && it.received < after.at
    };
    let attempts = run.in_order();
    let between: Vec<_> = attempts.iter().filter(is_between).collect();
    if between.is_empty() {
        return None;
    }
    let executed: Vec<_> = between.iter().filter(|it| it.is_executed()).collect();
    let unknown: Vec<_> = between.iter().filter(|it| it.is_unknown()).collect();
    let ours: u64 = between.iter().map(|it| it.redelivered).sum();
    let least = executed.len() as u64 + ours;
    let most = least + unknown.len() as u64;
    let risen = to.saturating_sub(from);
    let agreement = if to < from || risen < least {
        Agreement::Fewer
    } else if risen > most {
        Agreement::More
    } else if unknown.is_empty() {
        Agreement::Agrees
    } else {
        Agreement::Unclear
    };
    let tool = &before.tool;
    let mut detail =
        format!("records by `{tool}`: {from} before and {to} after; executed writes: {least}");
    if !unknown.is_empty() {
        detail.push_str(&format!(", and of unknown outcome: {}", unknown.len()));
    }
    Some(StateFinding {
        tool: tool.clone(),
        records: (from, to),
        executed: executed.iter().map(|it| it.number).collect(),
        unknown: unknown.iter().map(|it| it.number).collect(),
        agreement,
        detail,
    })
}
