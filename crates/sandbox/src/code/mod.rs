//! The code service: repositories, branches, commits, files and pull requests.
//!
//! Objects are kept as git would: contents, trees and commits under the ids git gives them, and
//! branches and tags that point at them. What a pull request shows follows from the branches as
//! they are when it is read.

mod checks;
mod git;
mod pages;
mod principal;
mod pull;
mod repo;
mod routes;
mod rules;
mod seed;

pub use self::seed::{SeedCommit, SeedPull, SeedRepository, seed_repositories, seed_repository};
use crate::reply::Reply;
use crate::router::Route;
use crate::scope::Scope;
use crate::store::Store;
use crate::world::World;

/// The routes of the code service.
pub fn routes() -> Vec<Route> {
    routes::all()
}

/// The text of a file in a repository; `None` when repository, revision or file are not there.
pub fn file_text(
    world: &World,
    store: &Store,
    scope: &Scope,
    repository: &str,
    git_ref: &str,
    path: &str,
) -> Result<Option<String>, Reply> {
    let Some(repo) = repo::Repo::find(world, store, scope, repository)? else { return Ok(None) };
    let Ok(commit) = repo.resolve(git_ref) else { return Ok(None) };
    let files = repo.files(&commit)?;
    let blob = files.get(path.trim_start_matches('/'));
    Ok(blob.map(|blob| String::from_utf8_lossy(&repo.content(blob)).into_owned()))
}

#[cfg(test)]
mod tests;
