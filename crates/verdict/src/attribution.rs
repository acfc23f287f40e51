//! Who repeated a write: the model, the client behind its back, the upstream, or this harness.
//!
//! The verdict judges the agent as a whole and does not ask; who reads it wants to mend something,
//! and a prompt mends nothing that a client does on its own.

mod clue;
mod identity;
mod own_delivery;
mod pace;
mod reopened;
mod upstream;

use checkrein_ledger::Class;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use clue::{Clue, ClueKind};
pub use pace::MODEL_FLOOR;

use crate::attempt::Attempt;
use crate::run::Run;

/// Who repeated a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The model decided to call again.
    ModelRetry,
    /// The client sent the model's one call again.
    ClientResend,
    /// The model asked for the same call more than once in one turn.
    ParallelCalls,
    /// The upstream carried one call out more than once.
    UpstreamDouble,
    /// This harness delivered one call more than once, as its scenario says.
    Redelivery,
}

/// How sure that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The client's own identities, or our own doing, say so.
    Certain,
    /// The evidence speaks for it, and nothing against it.
    Likely,
    /// Nothing speaks against it.
    Possible,
}

/// One repeat of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// The tool.
    pub tool: String,
    /// The attempt that repeats, or that was carried out more than once.
    pub attempt: u64,
    /// The attempt it repeats; none when one attempt was carried out more than once.
    pub repeats: Option<u64>,
    /// Who repeated it.
    pub cause: Cause,
    /// How sure that is.
    pub confidence: Confidence,
    /// Why.
    pub evidence: Vec<Clue>,
    /// From when the agent knew of the first one's end to the repeat, in microseconds; none when
    /// it did not know yet.
    pub gap_us: Option<u64>,
    /// Whether the arguments were only written differently.
    pub is_reworded: bool,
    /// Whether, with it, the write was executed more often than it may be.
    pub is_harmful: bool,
}

/// Every repeat, in the order they happened.
pub(crate) fn all(run: &Run) -> Vec<Repeat> {
    let attempts = run.in_order();
    let mut repeats = Vec::new();
    for group in groups(&attempts) {
        for (at, again) in group.iter().enumerate().skip(1) {
            let earlier = group.get(..at).unwrap_or_default();
            repeats.extend(repeat(run, earlier, again));
        }
    }
    repeats.extend(own_delivery::repeats(&attempts));
    repeats.extend(upstream::repeats(run));
    repeats.sort_by_key(|repeat| run.attempts.get_index_of(&repeat.attempt));
    repeats
}

/// Writes that are the same but for their spelling.
fn groups<'a>(attempts: &[&'a Attempt]) -> Vec<Vec<&'a Attempt>> {
    let mut groups: IndexMap<(&str, &str), Vec<&Attempt>> = IndexMap::new();
    for attempt in attempts {
        if attempt.class == Class::Write && attempt.continues.is_none() {
            groups.entry((&attempt.tool, &attempt.loose)).or_default().push(attempt);
        }
    }
    groups.into_values().collect()
}

fn repeat(run: &Run, earlier: &[&Attempt], again: &Attempt) -> Option<Repeat> {
    let same_call = earlier.iter().rev().find(|it| identity::is_same(it, again)).copied();
    let first = same_call.or_else(|| earlier.last().copied())?;
    let (cause, confidence, evidence) = attribute(run, first, again);
    let executions = earlier.iter().filter(|it| it.is_executed()).count() as u64;
    let allowed = run.start.expect.iter().find(|(tool, _)| *tool == again.tool);
    let allowed = allowed.map_or(1, |(_, times)| (*times).max(1));
    Some(Repeat {
        tool: again.tool.clone(),
        attempt: again.number,
        repeats: Some(first.number),
        cause,
        confidence,
        evidence,
        gap_us: pace::gap_us(first, again),
        is_reworded: first.operation != again.operation,
        is_harmful: again.is_executed() && executions + 1 > allowed,
    })
}

/// The client's own names for its calls decide; without them, what a model cannot do in the time,
/// and what a client does only when its connection broke.
fn attribute(run: &Run, first: &Attempt, again: &Attempt) -> (Cause, Confidence, Vec<Clue>) {
    use Cause::{ClientResend, ModelRetry, ParallelCalls};
    use Confidence::{Certain, Likely, Possible};

    let identity = identity::clue(first, again);
    let pace = pace::clue(first, again);
    let reopened = reopened::clues(run, first, again);
    let is_fast = pace.kind != ClueKind::TimeToThink;
    let is_answered = reopened::is_answered(run, first);
    let mut evidence: Vec<Clue> = identity.iter().cloned().collect();
    evidence.push(pace);

    match identity.map(|clue| clue.kind) {
        Some(ClueKind::SameIdentity) => {
            evidence.extend(reopened);
            return (ClientResend, Certain, evidence);
        }
        Some(_) if is_fast => return (ParallelCalls, Certain, evidence),
        Some(_) => return (ModelRetry, Certain, evidence),
        None => {}
    }
    if !is_answered && !reopened.is_empty() {
        evidence.extend(reopened);
        return (ClientResend, Likely, evidence);
    }
    let is_waiting = pace::is_overlap(first, again) || first.is_silent();
    if is_fast && (is_waiting || first.is_confirmed()) {
        // A client has no reason to send again what waits or what it knows to be done.
        return (ParallelCalls, Likely, evidence);
    }
    if is_fast {
        // After a readable error it may also be the next call of the same turn.
        return (ClientResend, if is_answered { Possible } else { Likely }, evidence);
    }
    (ModelRetry, if is_answered { Likely } else { Possible }, evidence)
}

#[cfg(test)]
mod tests;
