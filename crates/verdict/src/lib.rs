//! Judges a chaos run by its ledger.
//!
//! Pure: entries in, a judgement out. [`Run`] gathers what the ledger says of each attempt,
//! [`Run::judge`] asks every file under `checks` for what speaks against a pass and gives the
//! points, and [`Run::repeats`] says who repeated what.

mod attempt;
mod attribution;
mod checks;
mod expectation;
mod judgement;
mod operation;
mod read_back;
mod run;
mod score;
mod session;
mod settled;
mod state;

pub use attempt::Attempt;
pub use attribution::{Cause, Clue, ClueKind, Confidence, MODEL_FLOOR, Repeat};
pub use expectation::Expectation;
pub use judgement::{Code, Judgement, OperationSummary, Reason, Verdict};
pub use operation::Operation;
pub use read_back::{ReadBack, Shows};
pub use run::{Counts, Run};
pub use score::Score;
pub use session::Session;
pub use state::{Agreement, Probe, StateFinding};
