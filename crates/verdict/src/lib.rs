//! Judges a chaos run by its ledger.
//!
//! Pure: entries in, a judgement out. [`Run`] gathers what the ledger says of each attempt,
//! [`Run::judge`] asks every file under [`checks`] for what speaks against a pass, and
//! [`score`] gives the points.

mod attempt;
mod checks;
mod judgement;
mod operation;
mod run;
mod score;

pub use attempt::Attempt;
pub use judgement::{Code, Judgement, OperationSummary, Reason, Verdict};
pub use operation::Operation;
pub use run::Run;
pub use score::Score;
