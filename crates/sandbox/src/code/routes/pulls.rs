//! Pull requests: listed, opened, edited, closed and opened again.

use serde_json::{Value, json};

use super::{bad, body, flag, text};
use crate::code::pages::paged;
use crate::code::principal::Principal;
use crate::code::pull::{Pull, Reviewer};
use crate::code::repo::{Repo, missing};
use crate::crud::settle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::world::World;

/// Longest title.
const LONGEST_TITLE: usize = 256;

/// Longest description.
const LONGEST_DESCRIPTION: usize = 64 << 10;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/code/api/v1/repos/{repo}/pullreq";
    const ONE: &str = "/code/api/v1/repos/{repo}/pullreq/{number}";
    vec![
        Route::new("GET", ALL, list),
        Route::new("POST", ALL, create),
        Route::new("GET", ONE, get),
        Route::new("PATCH", ONE, update),
        Route::new("POST", "/code/api/v1/repos/{repo}/pullreq/{number}/state", set_state),
    ]
}

const STATES: [&str; 3] = ["open", "closed", "merged"];

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let states = request.query.all("state");
        if let Some(unknown) = states.iter().find(|state| !STATES.contains(state)) {
            return Err(bad(&format!("state '{unknown}' must be one of {}", STATES.join(", "))));
        }
        let query = |name: &str| request.query.first(name);
        let term = query("query").unwrap_or_default().to_lowercase();
        let authors = request.query.all("created_by");
        let mut found = Pull::all(&repo)?;
        found.retain(|pull| {
            (states.is_empty() || states.contains(&pull.state.as_str()))
                && (pull.title.to_lowercase().contains(&term) || pull.number.to_string() == term)
                && query("source_branch").is_none_or(|branch| pull.source_branch == branch)
                && query("target_branch").is_none_or(|branch| pull.target_branch == branch)
                && (authors.is_empty() || authors.contains(&pull.author.to_string().as_str()))
        });
        match query("sort") {
            Some("created") => found.sort_by_key(|pull| pull.created),
            Some("edited") => found.sort_by_key(|pull| pull.edited),
            Some("merged") => found.sort_by_key(|pull| pull.merged),
            Some("updated") => found.sort_by_key(|pull| pull.updated),
            _ => found.sort_by_key(|pull| pull.number),
        }
        let mut items = Vec::new();
        for pull in super::ordered(request, found, true) {
            items.push(pull.shown(&repo)?);
        }
        Ok(paged(world, request, items))
    })
}

fn title(body: &Value) -> Result<String, Reply> {
    let title = text(body, "title").trim();
    if title.is_empty() {
        return Err(bad("pull request title can't be empty"));
    }
    if title.chars().count() > LONGEST_TITLE {
        return Err(bad(&format!(
            "pull request title is too long (maximum is {LONGEST_TITLE} characters)"
        )));
    }
    Ok(title.to_owned())
}

fn description(body: &Value) -> Result<String, Reply> {
    let description = text(body, "description");
    if description.len() > LONGEST_DESCRIPTION {
        return Err(bad(&format!(
            "pull request description is too long (maximum is {LONGEST_DESCRIPTION} bytes)"
        )));
    }
    Ok(description.to_owned())
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let body = body(request)?;
        let author = Principal::caller();
        let mut pull = open(&repo, &body, author, world.now_ms())?;
        let reviewers = body.get("reviewer_ids").and_then(Value::as_array).into_iter().flatten();
        for id in reviewers {
            let id = id.as_u64().unwrap_or_default();
            add_reviewer(&repo, &mut pull, id, author, world.now_ms())?;
        }
        pull.save(&repo)?;
        Ok(Reply::json_with(201, &pull.shown(&repo)?))
    })
}

/// Opens a pull request after the checks that every new one passes.
pub(crate) fn open(
    repo: &Repo<'_>,
    body: &Value,
    author: Principal,
    at_ms: i64,
) -> Result<Pull, Reply> {
    let title = title(body)?;
    let (source, target) = (text(body, "source_branch"), text(body, "target_branch"));
    let target = if target.is_empty() { repo.facts.default_branch.as_str() } else { target };
    if source.is_empty() {
        return Err(bad("Field 'source_branch' is required"));
    }
    let from_same_repo = matches!(text(body, "source_repo_ref"), "")
        || text(body, "source_repo_ref").ends_with(&repo.facts.identifier);
    if !from_same_repo {
        return Err(bad("pull requests from another repository need a fork of this one"));
    }
    if source == target {
        return Err(bad("target and source branch can't be the same"));
    }
    let source_head =
        repo.head(source)?.ok_or_else(|| bad(&format!("source branch '{source}' not found")))?;
    let target_head =
        repo.head(target)?.ok_or_else(|| bad(&format!("target branch '{target}' not found")))?;
    let same = Pull::all(repo)?
        .into_iter()
        .find(|one| one.is_open() && one.source_branch == source && one.target_branch == target);
    if let Some(same) = same {
        return Err(Reply::code_error_with(
            409,
            "a pull request for this target and source branch already exists",
            json!({"type": "pr_already_exists", "number": same.number, "title": same.title}),
        ));
    }
    if repo.ahead(&target_head.sha, &source_head.sha)?.is_empty() {
        return Err(bad("The source branch doesn't contain any new commits"));
    }
    let base = repo.merge_base(&target_head.sha, &source_head.sha)?;
    let base = base.ok_or_else(|| bad("the branches have no common ancestor"))?;
    let number = repo.store.next_number(&format!("code-pull/{}", repo.facts.id))?;
    let pull = Pull {
        number,
        author: author.id,
        created: at_ms,
        edited: at_ms,
        updated: at_ms,
        closed: None,
        merged: None,
        state: "open".to_owned(),
        is_draft: flag(body, "is_draft"),
        title,
        description: description(body)?,
        source_branch: source.to_owned(),
        source_sha: source_head.sha,
        target_branch: target.to_owned(),
        merge_base_sha: base.sha,
        merge_target_sha: None,
        merge_method: None,
        merge_sha: None,
        merger: None,
        reviewers: Vec::new(),
        activities: Vec::new(),
        final_stats: None,
    };
    pull.save(repo)?;
    Ok(pull)
}

/// Asks somebody for a review; the author cannot be asked.
pub(crate) fn add_reviewer(
    repo: &Repo<'_>,
    pull: &mut Pull,
    id: u64,
    by: Principal,
    at_ms: i64,
) -> Result<Reviewer, Reply> {
    let who = Principal::numbered(id).ok_or_else(|| missing("reviewer", &id.to_string()))?;
    if who.id == pull.author {
        return Err(bad("the author of a pull request can't be added as reviewer"));
    }
    if let Some(known) = pull.reviewers.iter().find(|one| one.id == who.id) {
        return Ok(known.clone());
    }
    let kind = if who.id == by.id { "self_assigned" } else { "requested" };
    let reviewer = Reviewer {
        id: who.id,
        kind: kind.to_owned(),
        added_by: by.id,
        created: at_ms,
        updated: at_ms,
        decision: "pending".to_owned(),
        sha: String::new(),
        review: None,
    };
    pull.reviewers.push(reviewer.clone());
    let payload = json!({"reviewer_type": kind, "principal_id": who.id});
    pull.tell(repo, "reviewer-add", "", payload, (by.id, at_ms))?;
    Ok(reviewer)
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let pull = Pull::wanted(&repo, params.get("number"))?;
        Ok(Reply::bare(&pull.shown(&repo)?))
    })
}

/// Refuses a change of what was merged.
pub(super) fn changeable(pull: &Pull) -> Result<(), Reply> {
    match pull.state.as_str() {
        "merged" => Err(bad("a merged pull request can't be modified")),
        _ => Ok(()),
    }
}

fn update(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let mut pull = Pull::wanted(&repo, params.get("number"))?;
        changeable(&pull)?;
        let body = body(request)?;
        let now = world.now_ms();
        if body.get("title").is_some() {
            let new = title(&body)?;
            let payload = json!({"old": pull.title, "new": new});
            if new != pull.title {
                pull.title = new;
                pull.tell(&repo, "title-change", "", payload, (Principal::caller().id, now))?;
            }
        }
        if body.get("description").is_some() {
            pull.description = description(&body)?;
        }
        (pull.edited, pull.updated) = (now, now);
        pull.save(&repo)?;
        Ok(Reply::bare(&pull.shown(&repo)?))
    })
}

fn set_state(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let mut pull = Pull::wanted(&repo, params.get("number"))?;
        if pull.state == "merged" {
            return Err(bad("Merged pull requests can't be modified."));
        }
        let body = body(request)?;
        let state = match text(&body, "state") {
            state @ ("open" | "closed") => state.to_owned(),
            "" => return Err(bad("Field 'state' is required")),
            other => return Err(bad(&format!("state '{other}' must be one of open, closed"))),
        };
        let is_draft = body.get("is_draft").and_then(Value::as_bool).unwrap_or(pull.is_draft);
        let now = world.now_ms();
        let payload = json!({
            "old": pull.state, "new": state, "old_draft": pull.is_draft, "new_draft": is_draft,
        });
        if state == pull.state && is_draft == pull.is_draft {
            return Ok(Reply::bare(&pull.shown(&repo)?));
        }
        match (pull.state.as_str(), state.as_str()) {
            ("open", "closed") => {
                pull.end(&repo, "closed", now)?;
                pull.closed = Some(now);
            }
            ("closed", "open") => reopen(&repo, &mut pull)?,
            _ => {}
        }
        pull.is_draft = is_draft;
        pull.tell(&repo, "state-change", "", payload, (Principal::caller().id, now))?;
        pull.save(&repo)?;
        Ok(Reply::bare(&pull.shown(&repo)?))
    })
}

fn reopen(repo: &Repo<'_>, pull: &mut Pull) -> Result<(), Reply> {
    let same = |one: &Pull| {
        one.is_open()
            && one.source_branch == pull.source_branch
            && one.target_branch == pull.target_branch
    };
    if Pull::all(repo)?.iter().any(same) {
        return Err(Reply::code_error(409, "another pull request of the same branches is open"));
    }
    for branch in [&pull.source_branch, &pull.target_branch] {
        if repo.head(branch)?.is_none() {
            return Err(bad(&format!(
                "branch '{branch}' is gone, so the pull request can't be reopened"
            )));
        }
    }
    "open".clone_into(&mut pull.state);
    (pull.closed, pull.final_stats) = (None, None);
    Ok(())
}
