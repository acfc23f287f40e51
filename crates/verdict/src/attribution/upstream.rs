//! Calls that the upstream itself carried out more than once, as looks at its state show.

use super::clue::{Clue, ClueKind};
use super::{Cause, Confidence, Repeat};
use crate::run::Run;
use crate::state::{Agreement, StateFinding};

pub(super) fn repeats(run: &Run) -> Vec<Repeat> {
    let more = run.state_findings().into_iter().filter(|it| it.agreement == Agreement::More);
    more.filter_map(|finding| repeat(run, finding)).collect()
}

/// Which of several writes was doubled nobody can say; then the last one stands for all.
fn repeat(run: &Run, finding: StateFinding) -> Option<Repeat> {
    let attempt = run.attempts.get(finding.executed.last()?)?;
    let is_alone = finding.executed.len() == 1 && finding.unknown.is_empty();
    Some(Repeat {
        tool: attempt.tool.clone(),
        attempt: attempt.number,
        repeats: None,
        cause: Cause::UpstreamDouble,
        confidence: if is_alone { Confidence::Likely } else { Confidence::Possible },
        evidence: vec![Clue::new(ClueKind::Probe, finding.detail)],
        gap_us: None,
        is_reworded: false,
        is_harmful: true,
    })
}
