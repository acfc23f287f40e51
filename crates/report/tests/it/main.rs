//! The document and its renderings, as they come out for whole runs.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop where it stands"
)]

mod anything;
mod hostile;
mod looks;
mod renderings;
mod samples;
mod schema;
