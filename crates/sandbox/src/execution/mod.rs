//! Running pipelines: the engine, and every route about runs and what they need.
//!
//! The engine is pure: a stored run is its plan, the moment it began and what people did to it;
//! every read computes from these and the clock what each step has come to.

mod engine;
mod freezes;
mod graph;
mod history;
mod inputs;
mod pipelines;
mod record;
mod routes;
mod start;
mod summary;
mod templates;

use serde_json::Value;

use self::freezes::Window;
pub use self::history::{PastRun, seed_history, seed_run};
use crate::families::freeze_window;
use crate::reply::Reply;
use crate::router::Route;
use crate::scope::Scope;
use crate::store::Store;
use crate::world::World;

/// Runs shown of a pipeline in lists of pipelines.
const RECENT: usize = 10;

/// The routes of this family.
pub fn routes() -> Vec<Route> {
    routes::all()
}

/// The newest runs of a pipeline in short, newest first.
pub fn recent(world: &World, store: &Store, scope: &Scope, pipeline: &str) -> Vec<Value> {
    let all = record::all(store, scope, Some(pipeline)).unwrap_or_default();
    let shown = all.into_iter().take(RECENT);
    shown.filter_map(|one| routes::executions::recent(world, store, one).ok().flatten()).collect()
}

/// The freeze windows that are open for a scope at a moment.
fn windows(store: &Store, scope: &Scope, at_ms: i64) -> Result<Vec<Window>, Reply> {
    let open = freeze_window::open_freezes(store, scope, at_ms)?;
    Ok(open.into_iter().map(|(name, entities)| Window { name, entities }).collect())
}

#[cfg(test)]
mod tests;
