//! Comments on pull requests, and everything that happened to them.

use serde_json::{Value, json};

use super::{bad, body, text};
use crate::code::principal::{self, Principal};
use crate::code::pull::{Activity, Pull};
use crate::code::repo::{Repo, missing};
use crate::crud::settle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::world::World;

/// Longest comment in bytes.
const LONGEST_COMMENT: usize = 64 << 10;

/// Entries of an activity list at most.
const MOST_ACTIVITIES: usize = 1_000;

const KINDS: [&str; 3] = ["system", "comment", "change-comment"];

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/code/api/v1/repos/{repo}/pullreq/{number}/comments";
    const ONE: &str = "/code/api/v1/repos/{repo}/pullreq/{number}/comments/{comment}";
    const STATUS: &str = "/code/api/v1/repos/{repo}/pullreq/{number}/comments/{comment}/status";
    vec![
        Route::new("POST", ALL, create),
        Route::new("PATCH", ONE, update),
        Route::new("DELETE", ONE, remove),
        Route::new("PUT", STATUS, set_status),
        Route::new("GET", "/code/api/v1/repos/{repo}/pullreq/{number}/activities", activities),
    ]
}

fn shown(repo: &Repo<'_>, pull: &Pull, entry: &Activity) -> Value {
    let is_gone = entry.deleted.is_some();
    let mut shown = json!({
        "id": entry.id, "created": entry.created, "updated": entry.updated,
        "edited": entry.edited, "parent_id": entry.parent_id, "repo_id": repo.facts.id,
        "pullreq_id": pull.number, "order": entry.order, "sub_order": entry.sub_order,
        "type": entry.kind_of, "kind": entry.kind,
        "text": if is_gone { "" } else { entry.text.as_str() }, "payload": entry.payload,
        "metadata": null, "author": principal::shown(Some(entry.author)),
        "resolver": principal::shown(entry.resolver), "resolved": entry.resolved,
    });
    if let Some(fields) = shown.as_object_mut() {
        fields.extend(entry.deleted.map(|at| ("deleted".to_owned(), json!(at))));
        let place = entry.code_comment.clone();
        fields.extend(place.map(|place| ("code_comment".to_owned(), place)));
    }
    shown
}

fn comment_text(body: &Value) -> Result<String, Reply> {
    let text = text(body, "text").trim();
    match text.len() {
        0 => Err(bad("Text is required.")),
        length if length > LONGEST_COMMENT => {
            Err(bad(&format!("Text is too long (maximum is {LONGEST_COMMENT} bytes)")))
        }
        _ => Ok(text.to_owned()),
    }
}

/// Where in the code a comment stands; `None` for one on the whole.
fn code_place(repo: &Repo<'_>, pull: &Pull, body: &Value) -> Result<Option<Value>, Reply> {
    let path = text(body, "path");
    if path.is_empty() {
        return Ok(None);
    }
    let number = |field: &str| body.get(field).and_then(Value::as_u64);
    let is_new = |field: &str| body.get(field).and_then(Value::as_bool).unwrap_or(true);
    let start = number("line_start").filter(|line| *line > 0);
    let start =
        start.ok_or_else(|| bad("line number can't be zero: give 'line_start' and 'line_end'"))?;
    let end = number("line_end").unwrap_or(start);
    if end < start {
        return Err(bad("start line can't be after end line"));
    }
    let standing = pull.standing(repo)?;
    let head = standing.as_ref().map(|one| one.source.sha.clone());
    let base = standing.as_ref().map(|one| one.base.sha.clone());
    let given = |field: &str, other: Option<String>| match text(body, field) {
        "" => other.unwrap_or_default(),
        sha => sha.to_owned(),
    };
    let source = given("source_commit_sha", head);
    let target = given("target_commit_sha", base);
    let side = if is_new("line_start_new") { &source } else { &target };
    let tree = repo.files(&repo.resolve(side)?)?;
    if !tree.contains_key(path) {
        return Err(bad(&format!("path '{path}' is not in commit {side}")));
    }
    let span = end - start + 1;
    let (new, old) = if is_new("line_start_new") { (start, 0) } else { (0, start) };
    Ok(Some(json!({
        "outdated": false, "merge_base_sha": target, "source_sha": source, "path": path,
        "line_new": new, "span_new": if new > 0 { span } else { 0 }, "line_old": old,
        "span_old": if old > 0 { span } else { 0 },
    })))
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let mut pull = Pull::wanted(&repo, params.get("number"))?;
        let body = body(request)?;
        let said = comment_text(&body)?;
        let answered = match body.get("parent_id").and_then(Value::as_u64).filter(|id| *id > 0) {
            Some(id) => Some(find(&pull, id)?.clone()),
            None => None,
        };
        let place = match &answered {
            Some(_) => None,
            None => code_place(&repo, &pull, &body)?,
        };
        let kind_of = match (&answered, &place) {
            (Some(parent), _) => parent.kind_of.clone(),
            (None, Some(_)) => "code-comment".to_owned(),
            (None, None) => "comment".to_owned(),
        };
        let by = (Principal::caller().id, world.now_ms());
        let payload = if place.is_some() { json!({"title": "", "lines": []}) } else { json!({}) };
        let id = pull.tell(&repo, &kind_of, &said, payload, by)?;
        let answers = answered.as_ref().map_or(0, |parent| {
            pull.activities.iter().filter(|one| one.order == parent.order).count() as u64
        });
        if let Some(entry) = pull.activities.iter_mut().find(|one| one.id == id) {
            entry.code_comment = place;
            if let Some(parent) = &answered {
                entry.parent_id = Some(parent.parent_id.unwrap_or(parent.id));
                (entry.order, entry.sub_order) = (parent.order, answers);
            }
        }
        pull.save(&repo)?;
        let entry = find(&pull, id)?;
        Ok(Reply::json_with(201, &shown(&repo, &pull, entry)))
    })
}

fn find(pull: &Pull, id: u64) -> Result<&Activity, Reply> {
    let is_it = |one: &&Activity| one.id == id && one.kind != "system" && one.deleted.is_none();
    pull.activities.iter().find(is_it).ok_or_else(|| missing("comment", &id.to_string()))
}

/// Changes one comment and gives it back.
fn edit(
    world: &World,
    request: &Request,
    params: &Params,
    only_own: bool,
    change: impl FnOnce(&mut Activity) -> Result<(), Reply>,
) -> Result<Value, Reply> {
    let store = world.store();
    let repo = Repo::wanted(world, &store, request, params)?;
    let mut pull = Pull::wanted(&repo, params.get("number"))?;
    let id =
        params.get("comment").parse().map_err(|_| missing("comment", params.get("comment")))?;
    let author = find(&pull, id)?.author;
    if only_own && author != Principal::caller().id {
        return Err(Reply::code_error(403, "Only own comments may be updated."));
    }
    if let Some(entry) = pull.activities.iter_mut().find(|one| one.id == id) {
        change(entry)?;
        entry.updated = world.now_ms();
    }
    pull.updated = world.now_ms();
    pull.save(&repo)?;
    let entry = pull.activities.iter().find(|one| one.id == id);
    Ok(entry.map(|entry| shown(&repo, &pull, entry)).unwrap_or_default())
}

fn update(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let said = comment_text(&body(request)?)?;
        let now = world.now_ms();
        let entry = edit(world, request, params, true, |entry| {
            (entry.text, entry.edited) = (said, now);
            Ok(())
        })?;
        Ok(Reply::bare(&entry))
    })
}

fn remove(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let now = world.now_ms();
        edit(world, request, params, true, |entry| {
            entry.deleted = Some(now);
            Ok(())
        })?;
        Ok(Reply::no_content())
    })
}

fn set_status(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let body = body(request)?;
        let now = world.now_ms();
        let entry = edit(world, request, params, false, |entry| {
            if entry.parent_id.is_some() {
                return Err(bad("Can't change status of replies."));
            }
            (entry.resolver, entry.resolved) = match text(&body, "status") {
                "resolved" => (Some(Principal::caller().id), Some(now)),
                "active" => (None, None),
                other => {
                    return Err(bad(&format!("status '{other}' must be one of active, resolved")));
                }
            };
            Ok(())
        })?;
        Ok(Reply::bare(&entry))
    })
}

fn activities(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let pull = Pull::wanted(&repo, params.get("number"))?;
        let (kinds, types) = (request.query.all("kind"), request.query.all("type"));
        if let Some(unknown) = kinds.iter().find(|kind| !KINDS.contains(kind)) {
            return Err(bad(&format!("kind '{unknown}' must be one of {}", KINDS.join(", "))));
        }
        let number =
            |name: &str| request.query.first(name).and_then(|text| text.parse::<i64>().ok());
        let (after, before) = (number("after").unwrap_or(0), number("before").filter(|n| *n > 0));
        let mut found: Vec<&Activity> = pull
            .activities
            .iter()
            .filter(|one| kinds.is_empty() || kinds.contains(&one.kind.as_str()))
            .filter(|one| types.is_empty() || types.contains(&one.kind_of.as_str()))
            .filter(|one| one.created > after && before.is_none_or(|before| one.created < before))
            .collect();
        found.sort_by_key(|one| (one.order, one.sub_order));
        let limit = number("limit").and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
        found.truncate(limit.unwrap_or(MOST_ACTIVITIES).min(MOST_ACTIVITIES));
        Ok(Reply::bare(&found.into_iter().map(|one| shown(&repo, &pull, one)).collect()))
    })
}
