//! The sandbox over real sockets.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

mod access;
mod audit;
mod catalogue;
mod client;
mod entities;
mod faults;
mod files;
mod freezes;
mod generic;
mod lists;
mod locking;
mod persistence;
mod pipelines;
mod random;
mod scopes;
mod templates;
mod validation;
