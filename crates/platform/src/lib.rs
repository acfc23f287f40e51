//! Talks to the Harness platform and says of every write how it ended.
//!
//! This is the only crate that holds the platform credential. Whoever uses it gives a request of
//! the catalogue to [`Client::send`] and gets a [`Reply`] or an [`ApiError`]; deadlines, retries,
//! the rate limit and the judgement of what came back happen in between.

mod address;
mod client;
mod deadlines;
mod error;
pub mod logs;
mod message;
mod multipart;
mod outcome;
mod rate;
mod redact;
mod reply;
mod retry;
mod secret;
mod transport;

pub use address::AddressError;
pub use client::{Client, MAX_BINARY_BODY, MAX_JSON_BODY, Options};
pub use error::{ApiError, Class, Kind};
pub use outcome::Outcome;
pub use reply::Reply;
pub use secret::Secret;

#[cfg(test)]
mod tests;
