//! Running pipelines: the engine, and every route about runs and what they need.

mod engine;
mod inputs;

use crate::router::Route;

/// The routes of this family.
pub fn routes() -> Vec<Route> {
    Vec::new()
}
