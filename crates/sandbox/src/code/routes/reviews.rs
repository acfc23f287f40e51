//! Reviewers, reviews and status checks.

use serde_json::{Value, json};

use super::pulls::{add_reviewer, changeable};
use super::{bad, body, text};
use crate::code::checks;
use crate::code::principal::{self, Principal};
use crate::code::pull::{Pull, Reviewer, rules_for};
use crate::code::repo::{Repo, missing};
use crate::crud::settle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::world::World;

const DECISIONS: [&str; 3] = ["approved", "changereq", "reviewed"];

const CHECK_STATES: [&str; 5] = ["pending", "running", "success", "failure", "error"];

pub(super) fn routes() -> Vec<Route> {
    const REVIEWERS: &str = "/code/api/v1/repos/{repo}/pullreq/{number}/reviewers";
    const ONE: &str = "/code/api/v1/repos/{repo}/pullreq/{number}/reviewers/{reviewer}";
    const REVIEWS: &str = "/code/api/v1/repos/{repo}/pullreq/{number}/reviews";
    const CHECKS: &str = "/code/api/v1/repos/{repo}/checks/commits/{sha}";
    vec![
        Route::new("GET", REVIEWERS, list),
        Route::new("PUT", REVIEWERS, add),
        Route::new("POST", REVIEWERS, add),
        Route::new("DELETE", ONE, remove),
        Route::new("POST", REVIEWS, review),
        Route::new("GET", "/code/api/v1/repos/{repo}/pullreq/{number}/checks", pull_checks),
        Route::new("GET", CHECKS, commit_checks),
        Route::new("PUT", CHECKS, report_check),
    ]
}

fn shown(reviewer: &Reviewer) -> Value {
    json!({
        "created": reviewer.created, "updated": reviewer.updated, "type": reviewer.kind,
        "latest_review_id": reviewer.review, "review_decision": reviewer.decision,
        "sha": reviewer.sha, "reviewer": principal::shown(Some(reviewer.id)),
        "added_by": principal::shown(Some(reviewer.added_by)),
    })
}

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let pull = Pull::wanted(&repo, params.get("number"))?;
        Ok(Reply::bare(&pull.reviewers.iter().map(shown).collect()))
    })
}

fn add(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let mut pull = Pull::wanted(&repo, params.get("number"))?;
        changeable(&pull)?;
        let id = body(request)?.get("reviewer_id").and_then(Value::as_u64);
        let id = id.filter(|id| *id > 0).ok_or_else(|| bad("Must specify reviewer ID."))?;
        let reviewer = add_reviewer(&repo, &mut pull, id, Principal::caller(), world.now_ms())?;
        pull.save(&repo)?;
        Ok(Reply::bare(&shown(&reviewer)))
    })
}

fn remove(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let mut pull = Pull::wanted(&repo, params.get("number"))?;
        changeable(&pull)?;
        let id = params.get("reviewer");
        let before = pull.reviewers.len();
        pull.reviewers.retain(|one| one.id.to_string() != id);
        if pull.reviewers.len() == before {
            return Err(missing("reviewer", id));
        }
        let payload = json!({"principal_id": id.parse::<u64>().ok()});
        pull.tell(&repo, "reviewer-delete", "", payload, (Principal::caller().id, world.now_ms()))?;
        pull.save(&repo)?;
        Ok(Reply::no_content())
    })
}

fn review(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let mut pull = Pull::wanted(&repo, params.get("number"))?;
        changeable(&pull)?;
        let body = body(request)?;
        let decision = text(&body, "decision");
        if !DECISIONS.contains(&decision) {
            return Err(bad(&format!(
                "decision '{decision}' must be one of {}",
                DECISIONS.join(", ")
            )));
        }
        let by = Principal::caller();
        if by.id == pull.author {
            return Err(bad("Can't submit review to own pull requests."));
        }
        let sha = match text(&body, "commit_sha") {
            "" => pull.standing(&repo)?.map(|one| one.source.sha),
            sha => Some(repo.resolve(sha)?.sha),
        };
        let sha = sha.ok_or_else(|| bad("the source branch is gone"))?;
        let id = give_review(&repo, &mut pull, by, decision, &sha, world.now_ms())?;
        pull.save(&repo)?;
        Ok(Reply::bare(&json!({
            "id": id, "created_by": by.id, "created": world.now_ms(),
            "updated": world.now_ms(), "pullreq_id": pull.number, "decision": decision,
            "sha": sha,
        })))
    })
}

/// Notes somebody's decision about a commit; its number is given back.
pub(crate) fn give_review(
    repo: &Repo<'_>,
    pull: &mut Pull,
    by: Principal,
    decision: &str,
    sha: &str,
    at_ms: i64,
) -> Result<u64, Reply> {
    add_reviewer(repo, pull, by.id, by, at_ms)?;
    let id = repo.store.next_number("code-review")?;
    if let Some(reviewer) = pull.reviewers.iter_mut().find(|one| one.id == by.id) {
        decision.clone_into(&mut reviewer.decision);
        sha.clone_into(&mut reviewer.sha);
        (reviewer.review, reviewer.updated) = (Some(id), at_ms);
    }
    let payload = json!({"commit_sha": sha, "decision": decision});
    pull.tell(repo, "review-submit", "", payload, (by.id, at_ms))?;
    Ok(id)
}

fn pull_checks(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let pull = Pull::wanted(&repo, params.get("number"))?;
        let sha = match pull.standing(&repo)?.filter(|_| pull.is_open()) {
            Some(standing) => standing.source.sha,
            None => pull.source_sha.clone(),
        };
        let required: Vec<String> = rules_for(&repo, &pull.target_branch)?
            .iter()
            .filter_map(|rule| {
                rule.pointer("/definition/pullreq/status_checks/require_identifiers")?.as_array()
            })
            .flatten()
            .filter_map(|id| id.as_str().map(str::to_owned))
            .collect();
        let found: Vec<Value> = checks::of(&repo, &sha)?
            .into_iter()
            .map(|check| {
                let is_required = required.iter().any(|id| *id == text(&check, "identifier"));
                json!({"required": is_required, "bypassable": false, "check": check})
            })
            .collect();
        // The platform says null, not an empty list, when there are none.
        let found = if found.is_empty() { Value::Null } else { Value::Array(found) };
        Ok(Reply::bare(&json!({"commit_sha": sha, "checks": found})))
    })
}

fn commit_checks(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let commit = repo.resolve(params.get("sha"))?;
        Ok(crate::code::pages::paged(world, request, checks::of(&repo, &commit.sha)?))
    })
}

fn report_check(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let commit = repo.resolve(params.get("sha"))?;
        let body = body(request)?;
        if text(&body, "identifier").is_empty() {
            return Err(bad("Identifier is missing"));
        }
        if !CHECK_STATES.contains(&text(&body, "status")) {
            return Err(bad(&format!("status must be one of {}", CHECK_STATES.join(", "))));
        }
        Ok(Reply::bare(&checks::report(&repo, &commit.sha, &body, world.now_ms())?))
    })
}
