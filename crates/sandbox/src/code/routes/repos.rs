//! Repositories: listed, made, changed and removed.

use serde_json::{Value, json};

use super::{Change, bad, body, commit_changes, flag, ordered, ref_fault, text};
use crate::audit;
use crate::code::pages::paged;
use crate::code::principal::Principal;
use crate::code::pull::Pull;
use crate::code::repo::{Facts, KIND, Repo, missing};
use crate::crud::settle;
use crate::places;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store, StoreError};
use crate::world::World;

/// Longest description.
const LONGEST_DESCRIPTION: usize = 1_024;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/code/api/v1/repos";
    const ONE: &str = "/code/api/v1/repos/{repo}";
    vec![
        Route::new("GET", ALL, list),
        Route::new("POST", ALL, create),
        Route::new("GET", ONE, get),
        Route::new("PATCH", ONE, update),
        Route::new("DELETE", ONE, remove),
        Route::new("POST", "/code/api/v1/repos/{repo}/default-branch", set_default_branch),
    ]
}

/// A repository as replies show it.
pub(super) fn shown(repo: &Repo<'_>) -> Result<Value, StoreError> {
    let pulls = Pull::all(repo)?;
    let count = |state: &str| pulls.iter().filter(|pull| pull.state == state).count();
    let (facts, path) = (&repo.facts, repo.path());
    Ok(json!({
        "id": facts.id, "parent_id": 1, "identifier": facts.identifier, "path": path,
        "description": facts.description, "is_public": facts.is_public,
        "created_by": facts.created_by, "created": repo.created_ms, "updated": repo.updated_ms,
        "size": size(repo)?, "size_updated": repo.updated_ms,
        "default_branch": facts.default_branch, "fork_id": facts.fork_id, "num_forks": 0,
        "num_pulls": pulls.len(), "num_closed_pulls": count("closed"),
        "num_open_pulls": count("open"), "num_merged_pulls": count("merged"),
        "importing": false, "is_empty": repo.branches()?.is_empty(),
        "git_url": format!("{}/code/git/{path}.git", repo.world.base_url),
    }))
}

/// Size in KiB.
fn size(repo: &Repo<'_>) -> Result<usize, StoreError> {
    let blobs = repo.all("code_blob")?;
    let encoded: usize =
        blobs.iter().filter_map(|one| Some(one.body.get("data")?.as_str()?.len())).sum();
    Ok((encoded / 4 * 3).div_ceil(1024))
}

fn list(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = request.scope();
        known_place(&store, &scope)?;
        let term = request.query.first("query").unwrap_or_default().to_lowercase();
        let mut filter = Filter::kind(KIND);
        filter = match request.query.flag("recursive") {
            true if scope.org.is_empty() => filter,
            true if scope.project.is_empty() => filter.org(&scope.org),
            _ => filter.scope(&scope),
        };
        let mut found: Vec<Document> = store.list(&filter)?;
        found.retain(|one| one.key.id.to_lowercase().contains(&term));
        match request.query.first("sort") {
            Some("created") => found.sort_by_key(|one| one.created_ms),
            Some("updated") => found.sort_by_key(|one| one.updated_ms),
            _ => found.sort_by(|a, b| a.key.id.cmp(&b.key.id)),
        }
        let mut items = Vec::new();
        for one in ordered(request, found, false) {
            items.push(shown(&Repo::of(world, &store, one)?)?);
        }
        Ok(paged(world, request, items))
    })
}

fn known_place(store: &Store, scope: &Scope) -> Result<(), Reply> {
    places::require(store, scope)
        .map_err(|_| missing("space", &format!("{}/{}", scope.org, scope.project)))
}

fn identifier_fault(id: &str) -> Option<String> {
    let is_fine = !id.is_empty()
        && id.len() <= 100
        && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && !id.to_ascii_lowercase().ends_with(".git")
        && id != "."
        && id != "..";
    (!is_fine).then(|| {
        format!("Identifier '{id}' is not valid: 1 to 100 letters, digits, '-', '_' and '.', not ending in '.git'")
    })
}

fn description(body: &Value) -> Result<Option<String>, Reply> {
    let Some(text) = body.get("description").and_then(Value::as_str) else { return Ok(None) };
    if text.chars().count() > LONGEST_DESCRIPTION {
        return Err(bad(&format!("Description can be at most {LONGEST_DESCRIPTION} in length.")));
    }
    Ok(Some(text.to_owned()))
}

fn create(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let body = body(request)?;
        let id = match text(&body, "identifier") {
            // Older clients call it `uid`.
            "" => text(&body, "uid"),
            id => id,
        };
        if let Some(fault) = identifier_fault(id) {
            return Err(bad(&fault));
        }
        let default_branch = match text(&body, "default_branch") {
            "" => "main",
            name => name,
        };
        if let Some(fault) = ref_fault(default_branch) {
            return Err(bad(&fault));
        }
        let scope = match text(&body, "parent_ref").split('/').collect::<Vec<_>>().as_slice() {
            [_, org, project] => Scope::project(org, project),
            [_, org] => Scope::organization(org),
            _ => request.scope(),
        };
        let store = world.store();
        known_place(&store, &scope)?;
        let facts = Facts {
            id: store.next_number("code-repository")?,
            identifier: id.to_owned(),
            description: description(&body)?.unwrap_or_default(),
            is_public: flag(&body, "is_public"),
            default_branch: default_branch.to_owned(),
            created_by: Principal::caller().id,
            fork_id: 0,
        };
        let repo = make(world, &store, &scope, facts)?;
        let first = first_files(&repo.facts, &body);
        if !first.is_empty() {
            let who = Principal::caller().signature(world.now_ms());
            commit_changes(&repo, None, "Initial commit", &first, &who).and_then(|commit| {
                Ok(repo.set_branch(default_branch, &commit.sha, world.now_ms())?)
            })?;
        }
        tell_audit(&repo, "CREATE", world.now_ms())?;
        Ok(Reply::json_with(201, &shown(&repo)?))
    })
}

/// Writes a new repository; one of the same name in the scope is a conflict.
pub(crate) fn make<'a>(
    world: &'a World,
    store: &'a Store,
    scope: &Scope,
    facts: Facts,
) -> Result<Repo<'a>, Reply> {
    let key = Key::new(KIND, scope, &facts.identifier);
    let body = serde_json::to_value(&facts).map_err(StoreError::from)?;
    match store.insert(&key, &body, world.now_ms()) {
        Err(StoreError::Exists { .. }) => Err(Reply::code_error(
            409,
            &format!("The resource '{}' already exists", facts.identifier),
        )),
        other => Ok(Repo::of(world, store, other?)?),
    }
}

/// The files that come with a new repository.
fn first_files(facts: &Facts, body: &Value) -> Vec<Change> {
    let mut files = Vec::new();
    let mut add = |path: &str, content: String| {
        files.push(Change::Write { path: path.to_owned(), content: content.into_bytes() });
    };
    if flag(body, "readme") {
        add("README.md", format!("# {}\n{}\n", facts.identifier, facts.description));
    }
    match text(body, "git_ignore") {
        "" => {}
        name => add(".gitignore", format!("# {name}\ntarget/\nnode_modules/\n*.log\n")),
    }
    match text(body, "license") {
        "" | "none" => {}
        name => add("LICENSE", format!("SPDX-License-Identifier: {name}\n")),
    }
    files
}

pub(super) fn tell_audit(repo: &Repo<'_>, action: &str, at_ms: i64) -> Result<(), StoreError> {
    let event = audit::Event {
        action,
        resource_type: "CODE_REPOSITORY",
        id: &repo.facts.identifier,
        name: &repo.facts.identifier,
        scope: repo.scope.clone(),
        module: "CODE",
        ..audit::Event::default()
    };
    audit::record_at(repo.world, repo.store, &event, at_ms).map(drop)
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        Ok(Reply::bare(&shown(&repo)?))
    })
}

fn update(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let mut repo = Repo::wanted(world, &store, request, params)?;
        let body = body(request)?;
        if let Some(text) = description(&body)? {
            repo.facts.description = text;
        }
        if let Some(is_public) = body.get("is_public").and_then(Value::as_bool) {
            repo.facts.is_public = is_public;
        }
        if let Some(branch) = body.get("default_branch").and_then(Value::as_str) {
            use_branch(&mut repo, branch)?;
        }
        repo.updated_ms = world.now_ms();
        repo.save(repo.updated_ms)?;
        tell_audit(&repo, "UPDATE", repo.updated_ms)?;
        Ok(Reply::bare(&shown(&repo)?))
    })
}

fn use_branch(repo: &mut Repo<'_>, branch: &str) -> Result<(), Reply> {
    if repo.head(branch)?.is_none() {
        return Err(missing("branch", branch));
    }
    branch.clone_into(&mut repo.facts.default_branch);
    Ok(())
}

fn set_default_branch(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let mut repo = Repo::wanted(world, &store, request, params)?;
        use_branch(&mut repo, text(&body(request)?, "name"))?;
        repo.save(world.now_ms())?;
        Ok(Reply::bare(&shown(&repo)?))
    })
}

fn remove(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        repo.remove()?;
        tell_audit(&repo, "DELETE", world.now_ms())?;
        Ok(Reply::bare(&json!({"deleted_at": world.now_ms()})))
    })
}
