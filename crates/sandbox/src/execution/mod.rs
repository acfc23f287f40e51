//! Running pipelines: plans, ticks, interrupts, approvals, input sets and logs.

use crate::router::Route;

/// The routes of executions.
pub fn routes() -> Vec<Route> {
    Vec::new()
}
