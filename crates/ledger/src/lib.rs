//! What happened in a chaos run, in order.
//!
//! A run lives in a directory. Every process of the run appends to one file of JSON lines there,
//! under a lock, each line chained to the one before by a hash, and always *before* the agent can
//! see the effect of what the line says. Whoever reads the file sees what the agent saw, or more.

mod canonical;
mod clock;
mod decimal;
mod event;
mod log;
mod loose_date;
mod read;
mod scalar;
#[cfg(feature = "script")]
mod script;

pub use canonical::{KeyFields, exact, loose};
pub use clock::Instant;
pub use event::{
    Answer, Class, Entry, Event, Evidence, Fault, Inputs, Outcome, Received, Start, Told, Tool,
};
pub use log::{Ledger, LedgerError};
pub use read::{Damage, Replay, read};
pub use scalar::{Scalar, scalars};
#[cfg(feature = "script")]
pub use script::Script;
