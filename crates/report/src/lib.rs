//! Says what a chaos run came to.

mod document;
mod target;

pub use document::{Document, SCHEMA, Status};
pub use target::{Target, TargetError};
