//! Branches and tags.

use serde_json::{Value, json};

use super::{bad, body, flag, ordered, ref_fault, text};
use crate::code::pages::paged;
use crate::code::principal::Principal;
use crate::code::pull::{Pull, rules_for};
use crate::code::repo::{Commit, Repo, missing, when};
use crate::code::rules::{Deed, Violation, against_deed, blocks};
use crate::crud::settle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Document, StoreError};
use crate::world::World;

pub(super) fn routes() -> Vec<Route> {
    const BRANCHES: &str = "/code/api/v1/repos/{repo}/branches";
    const BRANCH: &str = "/code/api/v1/repos/{repo}/branches/{*name}";
    const TAGS: &str = "/code/api/v1/repos/{repo}/tags";
    const TAG: &str = "/code/api/v1/repos/{repo}/tags/{*name}";
    vec![
        Route::new("GET", BRANCHES, list),
        Route::new("POST", BRANCHES, create),
        Route::new("GET", BRANCH, get),
        Route::new("DELETE", BRANCH, remove),
        Route::new("GET", TAGS, list_tags),
        Route::new("POST", TAGS, create_tag),
        Route::new("GET", TAG, get_tag),
        Route::new("DELETE", TAG, remove_tag),
    ]
}

/// What the rules say against a deed, unless they let it pass.
pub(super) fn judge(
    repo: &Repo<'_>,
    branch: &str,
    deed: Deed,
    bypass: bool,
) -> Result<Vec<Violation>, Reply> {
    let rules = rules_for(repo, branch)?;
    let found = against_deed(&rules, deed, bypass, Principal::caller().id);
    if !blocks(&found) {
        return Ok(found);
    }
    let violations: Vec<Value> = found.iter().map(Violation::shown).collect();
    Err(Reply::json_with(
        422,
        &json!({
            "message": format!("Operation is blocked by rules of branch '{branch}'"),
            "violations": violations,
        }),
    ))
}

fn shown(name: &str, commit: &Commit, include_commit: bool) -> Value {
    let mut shown = json!({"name": name, "sha": commit.sha});
    if let (Some(fields), true) = (shown.as_object_mut(), include_commit) {
        fields.insert("commit".to_owned(), commit.shown());
    }
    shown
}

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let term = request.query.first("query").unwrap_or_default().to_lowercase();
        let mut found: Vec<(String, Commit)> = Vec::new();
        for (name, sha) in repo.branches()? {
            if let Some(commit) = repo.commit(&sha)?.filter(|_| name.to_lowercase().contains(&term))
            {
                found.push((name, commit));
            }
        }
        let is_by_date = request.query.first("sort") == Some("date");
        if is_by_date {
            found.sort_by_key(|(_, commit)| commit.committer.when_ms);
        }
        let include = request.query.flag("include_commit");
        let found = ordered(request, found, is_by_date);
        let items = found.iter().map(|(name, commit)| shown(name, commit, include)).collect();
        Ok(paged(world, request, items))
    })
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let body = body(request)?;
        let name = text(&body, "name");
        if let Some(fault) = ref_fault(name) {
            return Err(bad(&fault));
        }
        let target = repo.resolve(text(&body, "target"))?;
        if repo.head(name)?.is_some() {
            return Err(Reply::code_error(409, &format!("branch '{name}' already exists")));
        }
        judge(&repo, name, Deed::Create, flag(&body, "bypass_rules"))?;
        repo.set_branch(name, &target.sha, world.now_ms())?;
        Ok(Reply::json_with(201, &shown(name, &target, true)))
    })
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let name = params.get("name");
        let commit = repo.head(name)?.ok_or_else(|| missing("branch", name))?;
        Ok(Reply::bare(&shown(name, &commit, true)))
    })
}

fn remove(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let name = params.get("name");
        if name == repo.facts.default_branch {
            return Err(bad("The default branch of a repository can't be deleted"));
        }
        if repo.head(name)?.is_none() {
            return Err(missing("branch", name));
        }
        judge(&repo, name, Deed::Delete, request.query.flag("bypass_rules"))?;
        let now = world.now_ms();
        close_pulls(&repo, name, now)?;
        repo.drop_branch(name)?;
        Ok(Reply::no_content())
    })
}

/// A pull request whose source goes away is closed.
fn close_pulls(repo: &Repo<'_>, branch: &str, now: i64) -> Result<(), StoreError> {
    for mut pull in Pull::all(repo)? {
        if !pull.is_open() || pull.source_branch != branch {
            continue;
        }
        pull.end(repo, "closed", now)?;
        pull.closed = Some(now);
        let payload = json!({"sha": pull.source_sha});
        pull.tell(repo, "branch-delete", "", payload, (Principal::caller().id, now))?;
        pull.save(repo)?;
    }
    Ok(())
}

fn shown_tag(repo: &Repo<'_>, tag: &Document, include_commit: bool) -> Result<Value, StoreError> {
    let text = |field: &str| tag.body.get(field).and_then(Value::as_str).unwrap_or_default();
    let tagger = Principal::caller();
    let mut shown = json!({
        "name": tag.key.id, "sha": text("sha"), "is_annotated": !text("message").is_empty(),
        "title": text("message").lines().next().unwrap_or_default(), "message": text("message"),
        "tagger": {
            "identity": {"name": tagger.name, "email": tagger.email}, "when": when(tag.updated_ms),
        },
    });
    if let (Some(fields), true) = (shown.as_object_mut(), include_commit) {
        let commit = repo.commit(text("sha"))?.map(|commit| commit.shown());
        fields.insert("commit".to_owned(), json!(commit));
    }
    Ok(shown)
}

fn list_tags(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let term = request.query.first("query").unwrap_or_default().to_lowercase();
        let mut tags = repo.tags()?;
        tags.retain(|tag| tag.key.id.to_lowercase().contains(&term));
        let is_by_date = request.query.first("sort") == Some("date");
        match is_by_date {
            true => tags.sort_by_key(|tag| tag.updated_ms),
            false => tags.sort_by(|a, b| a.key.id.cmp(&b.key.id)),
        }
        let include = request.query.flag("include_commit");
        let mut items = Vec::new();
        for tag in ordered(request, tags, is_by_date) {
            items.push(shown_tag(&repo, &tag, include)?);
        }
        Ok(paged(world, request, items))
    })
}

fn create_tag(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let body = body(request)?;
        let name = text(&body, "name");
        if let Some(fault) = ref_fault(name) {
            return Err(bad(&fault));
        }
        let target = repo.resolve(text(&body, "target"))?;
        if repo.tag(name)?.is_some() {
            return Err(Reply::code_error(409, &format!("tag '{name}' already exists")));
        }
        let stored = json!({"sha": target.sha, "message": text(&body, "message")});
        repo.set_tag(name, &stored, world.now_ms())?;
        let tag = repo.tag(name)?.ok_or_else(|| missing("tag", name))?;
        Ok(Reply::json_with(201, &shown_tag(&repo, &tag, true)?))
    })
}

fn get_tag(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let name = params.get("name");
        let tag = repo.tag(name)?.ok_or_else(|| missing("tag", name))?;
        Ok(Reply::bare(&shown_tag(&repo, &tag, true)?))
    })
}

fn remove_tag(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let name = params.get("name");
        match repo.drop_tag(name)? {
            true => Ok(Reply::no_content()),
            false => Err(missing("tag", name)),
        }
    })
}
