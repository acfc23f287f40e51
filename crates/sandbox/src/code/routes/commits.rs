//! Commits: listed, read, and made of actions on files.

mod actions;

use serde_json::{Value, json};

use self::actions::changes;
use super::branches::judge;
use super::{bad, body, flag, ref_fault, text};
use crate::code::git::changes::{counts, files};
use crate::code::git::objects::Signature;
use crate::code::git::tree::Tree;
use crate::code::pages::{asked, with_headers};
use crate::code::principal::Principal;
use crate::code::pull::Pull;
use crate::code::repo::{Commit, Repo, missing};
use crate::code::rules::{Deed, Violation};
use crate::crud::settle;
use crate::family::Answer;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::StoreError;
use crate::world::World;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/code/api/v1/repos/{repo}/commits";
    vec![
        Route::new("GET", ALL, list),
        Route::new("POST", ALL, create),
        Route::new("GET", "/code/api/v1/repos/{repo}/commits/{sha}", get),
    ]
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// The file has this content afterwards.
    Write {
        /// Its path.
        path: String,
        /// Its content.
        content: Vec<u8>,
    },
    /// The file is gone afterwards.
    Remove {
        /// Its path.
        path: String,
    },
}

/// Makes a commit of changes on a parent; no branch is moved.
pub(crate) fn commit_changes(
    repo: &Repo<'_>,
    parent: Option<&Commit>,
    message: &str,
    changes: &[Change],
    who: &Signature,
) -> Result<Commit, Reply> {
    let mut tree = parent.map(|parent| repo.files(parent)).transpose()?.unwrap_or_default();
    for change in changes {
        match change {
            Change::Write { path, content } => {
                tree.insert(path.clone(), repo.keep(content, who.when_ms)?);
            }
            Change::Remove { path } => {
                tree.remove(path);
            }
        }
    }
    let parents = parent.iter().map(|one| one.sha.clone()).collect();
    Ok(repo.make_commit(&tree, parents, message, who, who)?)
}

fn stats(repo: &Repo<'_>, commit: &Commit) -> Result<Value, StoreError> {
    let before = match commit.parents.first() {
        Some(parent) => {
            repo.commit(parent)?.map(|one| repo.files(&one)).transpose()?.unwrap_or_default()
        }
        None => Tree::new(),
    };
    let content =
        |id: &Option<String>| id.as_deref().map(|id| repo.content(id)).unwrap_or_default();
    let (mut added, mut deleted, mut shown) = (0, 0, Vec::new());
    for change in files(&before, &repo.files(commit)?) {
        let (plus, minus) = counts(&content(&change.before), &content(&change.after));
        (added, deleted) = (added + plus, deleted + minus);
        shown.push(json!({
            "path": change.path, "status": change.status(), "insertions": plus,
            "deletions": minus, "changes": plus + minus,
        }));
    }
    let total = json!({"insertions": added, "deletions": deleted, "changes": added + deleted});
    Ok(json!({"total": total, "files": shown}))
}

fn with_stats(repo: &Repo<'_>, commit: &Commit) -> Result<Value, StoreError> {
    let mut shown = commit.shown();
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("stats".to_owned(), stats(repo, commit)?);
    }
    Ok(shown)
}

fn seconds(request: &Request, name: &str) -> Result<Option<i64>, Reply> {
    let Some(text) = request.query.first(name) else { return Ok(None) };
    let parsed = text.parse::<i64>().map(|seconds| seconds.saturating_mul(1000));
    parsed
        .map(Some)
        .map_err(|_| bad(&format!("Query parameter '{name}' must be epoch seconds, not '{text}'")))
}

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let from = repo.resolve(request.query.first("git_ref").unwrap_or_default())?;
        let (since, until) = (seconds(request, "since")?, seconds(request, "until")?);
        let committer = request.query.first("committer").unwrap_or_default().to_lowercase();
        let mut found: Vec<Commit> = match request.query.first("after") {
            Some(after) => repo.ahead(&repo.resolve(after)?.sha, &from.sha)?,
            None => repo.history(&from.sha)?,
        };
        found.retain(|commit| {
            let at = commit.committer.when_ms;
            let who =
                format!("{} {}", commit.committer.name, commit.committer.email).to_lowercase();
            since.is_none_or(|since| at >= since)
                && until.is_none_or(|until| at <= until)
                && who.contains(&committer)
        });
        if let Some(path) = request.query.first("path") {
            found = touching(&repo, found, path)?;
        }
        let total = found.len();
        let (page, limit) = asked(request);
        let start = (page - 1).saturating_mul(limit);
        let mut shown = Vec::new();
        for commit in found.iter().skip(start).take(limit) {
            let is_wanted = request.query.flag("include_stats");
            shown.push(if is_wanted { with_stats(&repo, commit)? } else { commit.shown() });
        }
        let body = json!({"commits": shown, "rename_details": [], "total_commits": total});
        Ok(with_headers(world, request, Reply::bare(&body), total))
    })
}

/// The commits that changed a file or something in a directory.
fn touching(repo: &Repo<'_>, commits: Vec<Commit>, path: &str) -> Result<Vec<Commit>, StoreError> {
    let path = path.trim_matches('/');
    let below = format!("{path}/");
    let mut kept = Vec::new();
    for commit in commits {
        let before = match commit.parents.first() {
            Some(parent) => {
                repo.commit(parent)?.map(|one| repo.files(&one)).transpose()?.unwrap_or_default()
            }
            None => Tree::new(),
        };
        let is_about = |one: &str| one == path || one.starts_with(&below);
        let changed = files(&before, &repo.files(&commit)?);
        let touches = changed.iter().any(|change| {
            is_about(&change.path) || change.old_path.as_deref().is_some_and(is_about)
        });
        if touches && commit.parents.len() < 2 {
            kept.push(commit);
        }
    }
    Ok(kept)
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let commit = repo.resolve(params.get("sha"))?;
        Ok(Reply::bare(&with_stats(&repo, &commit)?))
    })
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let body = body(request)?;
        let (title, message) = (text(&body, "title").trim(), text(&body, "message").trim());
        if title.is_empty() {
            return Err(bad("Field 'title' is required"));
        }
        let branch = match text(&body, "branch") {
            "" => repo.facts.default_branch.as_str(),
            name => name,
        };
        let new_branch = Some(text(&body, "new_branch")).filter(|name| !name.is_empty());
        let target = new_branch.unwrap_or(branch);
        if let Some(fault) = ref_fault(target) {
            return Err(bad(&fault));
        }
        let parent = repo.head(branch)?;
        if parent.is_none() && !repo.branches()?.is_empty() {
            return Err(missing("branch", branch));
        }
        if new_branch.is_some() && repo.head(target)?.is_some() {
            return Err(Reply::code_error(409, &format!("branch '{target}' already exists")));
        }
        let deed = if new_branch.is_some() { Deed::Create } else { Deed::Update };
        let is_dry = flag(&body, "dry_run_rules");
        let judged = judge(&repo, target, deed, flag(&body, "bypass_rules"));
        let violations: Vec<Value> = match (&judged, is_dry) {
            (Ok(found), _) => found.iter().map(Violation::shown).collect(),
            (Err(refusal), true) => refusal
                .json()
                .and_then(|said| said.get("violations")?.as_array().cloned())
                .unwrap_or_default(),
            (Err(_), false) => return judged.map(|_| Reply::no_content()),
        };
        if is_dry {
            return Ok(Reply::bare(&json!({
                "commit_id": "", "dry_run_rules": true, "rule_violations": violations,
                "changed_files": [],
            })));
        }
        let changes = changes(&repo, parent.as_ref(), &body)?;
        let message =
            if message.is_empty() { title.to_owned() } else { format!("{title}\n\n{message}") };
        let now = world.now_ms();
        let who = author(&body, now);
        let commit = commit_changes(&repo, parent.as_ref(), &message, &changes, &who)?;
        repo.set_branch(target, &commit.sha, now)?;
        repo.save(now)?;
        tell_pulls(&repo, target, parent.as_ref(), &commit, now)?;
        finish(&repo, parent.as_ref(), &commit, violations)
    })
}

fn author(body: &Value, now: i64) -> Signature {
    let caller = Principal::caller().signature(now);
    let given = |field: &str| body.pointer(&format!("/author/{field}")).and_then(Value::as_str);
    Signature {
        name: given("name").map_or(caller.name, str::to_owned),
        email: given("email").map_or(caller.email, str::to_owned),
        when_ms: now,
    }
}

fn finish(
    repo: &Repo<'_>,
    parent: Option<&Commit>,
    commit: &Commit,
    violations: Vec<Value>,
) -> Answer {
    let before = parent.map(|one| repo.files(one)).transpose()?.unwrap_or_default();
    let changed = files(&before, &repo.files(commit)?);
    let changed: Vec<Value> =
        changed.iter().map(|one| json!({"path": one.path, "blob_sha": one.after})).collect();
    Ok(Reply::json_with(
        201,
        &json!({
            "commit_id": commit.sha, "rule_violations": violations, "changed_files": changed,
        }),
    ))
}

/// Open pull requests show that their source moved.
fn tell_pulls(
    repo: &Repo<'_>,
    branch: &str,
    old: Option<&Commit>,
    new: &Commit,
    now: i64,
) -> Result<(), StoreError> {
    for mut pull in Pull::all(repo)? {
        if !pull.is_open() || pull.source_branch != branch {
            continue;
        }
        let payload = json!({
            "old": old.map(|one| &one.sha), "new": new.sha, "commit_title": new.title(),
            "forced": false,
        });
        pull.source_sha.clone_from(&new.sha);
        pull.tell(repo, "branch-update", "", payload, (Principal::caller().id, now))?;
        pull.save(repo)?;
    }
    Ok(())
}
