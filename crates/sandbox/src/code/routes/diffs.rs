//! Differences between two commits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::bad;
use crate::code::git::changes::{FileChange, counts, files, is_binary, patch};
use crate::code::git::merge::merge;
use crate::code::pull::{Pull, change_stats};
use crate::code::repo::{Commit, Repo};
use crate::crud::settle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::world::World;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new("GET", "/code/api/v1/repos/{repo}/diff/{*range}", diff),
        Route::new("POST", "/code/api/v1/repos/{repo}/diff/{*range}", diff),
        Route::new("GET", "/code/api/v1/repos/{repo}/diff-stats/{*range}", diff_stats),
        Route::new("POST", "/code/api/v1/repos/{repo}/merge-check/{*range}", merge_check),
        Route::new("GET", "/code/api/v1/repos/{repo}/pullreq/{number}/diff", pull_diff),
        Route::new("GET", "/code/api/v1/repos/{repo}/pullreq/{number}/commits", pull_commits),
    ]
}

/// The two sides of `a...b` (from where they parted) or `a..b` (directly).
fn sides(repo: &Repo<'_>, range: &str) -> Result<(Commit, Commit, Commit), Reply> {
    let (from, to, is_direct) = match (range.split_once("..."), range.split_once("..")) {
        (Some((from, to)), _) => (from, to, false),
        (None, Some((from, to))) => (from, to, true),
        (None, None) => {
            return Err(bad(&format!("'{range}' is not a range; write it as BASE...HEAD")));
        }
    };
    let (from, to) = (repo.resolve(from)?, repo.resolve(to)?);
    let base = match is_direct {
        true => from.clone(),
        false => repo
            .merge_base(&from.sha, &to.sha)?
            .ok_or_else(|| bad("the two revisions have no common ancestor"))?,
    };
    Ok((base, from, to))
}

fn content(repo: &Repo<'_>, id: &Option<String>) -> Vec<u8> {
    id.as_deref().map(|id| repo.content(id)).unwrap_or_default()
}

fn answer(
    repo: &Repo<'_>,
    request: &Request,
    base: &Commit,
    head: &Commit,
) -> Result<Reply, Reply> {
    let mut changes = files(&repo.files(base)?, &repo.files(head)?);
    let wanted = request.query.all("path");
    changes.retain(|change| wanted.is_empty() || wanted.contains(&change.path.as_str()));
    let patch = |change: &FileChange| {
        patch(change, &content(repo, &change.before), &content(repo, &change.after))
    };
    if request.header("accept").is_some_and(|accept| accept.starts_with("text/plain")) {
        return Ok(Reply::text(200, &changes.iter().map(patch).collect::<String>()));
    }
    let is_with_patch = request.query.flag("include_patch");
    let shown: Vec<Value> = changes
        .iter()
        .map(|change| {
            let (before, after) = (content(repo, &change.before), content(repo, &change.after));
            let (additions, deletions) = counts(&before, &after);
            let mut shown = json!({
                "sha": change.after.as_deref().unwrap_or_default(),
                "old_sha": change.before.as_deref().unwrap_or_default(), "path": change.path,
                "old_path": change.old_path.as_deref().unwrap_or_default(),
                "status": change.status(), "additions": additions, "deletions": deletions,
                "changes": additions + deletions,
                "is_binary": is_binary(&before) || is_binary(&after), "is_submodule": false,
            });
            if let (Some(fields), true) = (shown.as_object_mut(), is_with_patch) {
                fields.insert("patch".to_owned(), json!(STANDARD.encode(patch(change))));
            }
            shown
        })
        .collect();
    Ok(Reply::bare(&Value::Array(shown)))
}

fn diff(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let (base, _, head) = sides(&repo, params.get("range"))?;
        answer(&repo, request, &base, &head)
    })
}

fn diff_stats(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let (base, from, head) = sides(&repo, params.get("range"))?;
        let commits = repo.ahead(&from.sha, &head.sha)?.len();
        Ok(Reply::bare(&change_stats(&repo, &repo.files(&base)?, &repo.files(&head)?, commits)))
    })
}

fn merge_check(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let (_, from, head) = sides(&repo, params.get("range"))?;
        let base = repo.merge_base(&from.sha, &head.sha)?;
        let base = base.map(|one| repo.files(&one)).transpose()?.unwrap_or_default();
        let merged = merge(&base, &repo.files(&from)?, &repo.files(&head)?, &|id| repo.content(id));
        Ok(Reply::bare(&json!({
            "mergeable": merged.conflicts.is_empty(), "conflict_files": merged.conflicts,
        })))
    })
}

/// Base and newest commit of a pull request.
fn pull_sides(repo: &Repo<'_>, params: &Params) -> Result<(Commit, Commit), Reply> {
    let pull = Pull::wanted(repo, params.get("number"))?;
    if let Some(standing) = pull.standing(repo)?.filter(|_| pull.is_open()) {
        return Ok((standing.base, standing.source));
    }
    Ok((repo.resolve(&pull.merge_base_sha)?, repo.resolve(&pull.source_sha)?))
}

fn pull_diff(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let (base, head) = pull_sides(&repo, params)?;
        answer(&repo, request, &base, &head)
    })
}

fn pull_commits(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let (base, head) = pull_sides(&repo, params)?;
        let commits = repo.ahead(&base.sha, &head.sha)?;
        Ok(crate::code::pages::paged(world, request, commits.iter().map(Commit::shown).collect()))
    })
}
