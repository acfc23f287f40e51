//! What speaks for a cause, named.

use serde::{Deserialize, Serialize};

/// A piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clue {
    /// What kind it is.
    pub kind: ClueKind,
    /// What was seen, in a sentence.
    pub detail: String,
}

/// The kinds of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClueKind {
    /// Both calls carry one identity of the client's.
    SameIdentity,
    /// Each call carries an identity of its own.
    OtherIdentity,
    /// The repeat came before the agent knew how the first one ended.
    Overlap,
    /// The repeat came sooner than a model can answer.
    FasterThanAModel,
    /// There was time for a model to decide.
    TimeToThink,
    /// The client opened a session between the two.
    SessionReopened,
    /// The client began to count its request ids anew.
    RequestIdsRestarted,
    /// The harness looked at the upstream before and after.
    Probe,
    /// The ledger says that the harness sent it again.
    OwnDelivery,
}

impl Clue {
    pub(super) fn new(kind: ClueKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}
