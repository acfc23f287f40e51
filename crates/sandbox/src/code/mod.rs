//! The code service: repositories, branches, commits, files and pull requests.

use crate::router::Route;

/// The routes of the code service.
pub fn routes() -> Vec<Route> {
    Vec::new()
}
