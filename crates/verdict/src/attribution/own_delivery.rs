//! Calls that a scenario of this harness delivers more than once.

use super::clue::{Clue, ClueKind};
use super::{Cause, Confidence, Repeat};
use crate::attempt::Attempt;

pub(super) fn repeats(attempts: &[&Attempt]) -> Vec<Repeat> {
    let delivered = attempts.iter().filter(|it| it.redelivered > 0 && it.continues.is_none());
    delivered
        .map(|it| Repeat {
            tool: it.tool.clone(),
            attempt: it.number,
            repeats: None,
            cause: Cause::Redelivery,
            confidence: Confidence::Certain,
            evidence: vec![Clue::new(
                ClueKind::OwnDelivery,
                format!(
                    "the scenario delivered this one call again, and the upstream executed it {} \
                     more",
                    if it.redelivered == 1 {
                        "once".to_owned()
                    } else {
                        format!("{} times", it.redelivered)
                    }
                ),
            )],
            gap_us: None,
            is_reworded: false,
            is_harmful: true,
        })
        .collect()
}
