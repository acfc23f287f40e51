//! What can go wrong: one file per kind of fault, and one line here that registers it.
//!
//! A kind is data: when it strikes, what the agent is told in which shape, whether the call reaches
//! the upstream, what the ledger records, and how a verdict counts it. The engine carries out its
//! [`Effect`]; a scenario file says on which calls.
//!
//! Nothing an agent can see says that a fault was injected: the texts are those of real servers.

mod kind;
mod shape;
mod told;
mod with;

mod auth_lost;
mod cancel_race;
mod cut_answer;
mod cut_result;
mod duplicate_response;
mod error_that_lies;
mod ghost_write;
mod late_commit;
mod list_change;
mod lost_task_handle;
mod partial_batch;
pub(crate) mod random;
mod rate_limit;
mod redelivery;
mod server_error;
mod session_lost;
mod slow_drip;
mod stale_read;
mod success_that_lies;
mod unavailable;
mod upstream_restart;
mod watch;

pub use kind::{Effect, Kind, Moment, Now, Speech};
pub use shape::{Shape, Transport};
pub use told::Reply;
pub(crate) use told::write;
pub use with::{Is, Parameter, Setting, With};

/// Every kind of fault.
pub static KINDS: [&Kind; 21] = [
    &ghost_write::KIND,
    &rate_limit::KIND,
    &cut_answer::KIND,
    &watch::KIND,
    &server_error::KIND,
    &late_commit::KIND,
    &redelivery::KIND,
    &error_that_lies::KIND,
    &success_that_lies::KIND,
    &stale_read::KIND,
    &partial_batch::KIND,
    &unavailable::KIND,
    &session_lost::KIND,
    &auth_lost::KIND,
    &upstream_restart::KIND,
    &lost_task_handle::KIND,
    &cancel_race::KIND,
    &cut_result::KIND,
    &slow_drip::KIND,
    &duplicate_response::KIND,
    &list_change::KIND,
];

/// The kind of this name.
pub fn kind(id: &str) -> Option<&'static Kind> {
    KINDS.into_iter().find(|kind| kind.id == id)
}

#[cfg(test)]
mod tests;
