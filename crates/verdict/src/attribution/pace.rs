//! How soon a repeat came, and what a model can do in that time.

use std::time::Duration;

use super::clue::{Clue, ClueKind};
use crate::attempt::Attempt;

/// The least time from a tool's answer to the next call that a model decided on: the answer goes to
/// the model's host, and the first token of the fastest ones takes longer than this to come back.
pub const MODEL_FLOOR: Duration = Duration::from_millis(200);

/// Whether the repeat came while the agent still waited for the first one.
pub(super) fn is_overlap(first: &Attempt, again: &Attempt) -> bool {
    first.settled_at().is_none_or(|settled| again.received < settled)
}

/// From when the agent knew of the first one's end to the repeat.
pub(super) fn gap_us(first: &Attempt, again: &Attempt) -> Option<u64> {
    let settled = first.settled_at()?;
    (again.received >= settled).then(|| again.received.micros_since(settled))
}

/// What the time between two calls says.
pub(super) fn clue(first: &Attempt, again: &Attempt) -> Clue {
    let Some(gap) = gap_us(first, again) else {
        let detail = "the repeat came while the first call was still waiting for its answer";
        return Clue::new(ClueKind::Overlap, detail);
    };
    let gap = Duration::from_micros(gap);
    let (millis, floor) = (gap.as_millis(), MODEL_FLOOR.as_millis());
    if gap < MODEL_FLOOR {
        let detail = format!(
            "the repeat came {millis} ms after the first call ended for the agent, and a model \
             needs at least {floor} ms to decide"
        );
        return Clue::new(ClueKind::FasterThanAModel, detail);
    }
    let detail = format!("{millis} ms lay between, enough for a model to decide");
    Clue::new(ClueKind::TimeToThink, detail)
}
