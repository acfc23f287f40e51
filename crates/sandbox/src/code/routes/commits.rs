//! Commits: listed, read, and made of actions on files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::branches::judge;
use super::{bad, body, flag, ref_fault, text};
use crate::code::git::changes::{counts, files};
use crate::code::git::objects::Signature;
use crate::code::git::tree::{Tree, path_fault};
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

/// Actions in one commit.
const MOST_ACTIONS: usize = 1_000;

/// Files in one commit.
const MOST_FILES: usize = 20_000;

/// Bytes of one file.
const LARGEST_FILE: usize = 10 << 20;

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

/// The actions of a commit as changes; each is checked against what the ones before it left.
fn changes(repo: &Repo<'_>, parent: Option<&Commit>, body: &Value) -> Result<Vec<Change>, Reply> {
    let actions =
        body.get("actions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if actions.is_empty() || actions.len() > MOST_ACTIONS {
        return Err(bad(&format!("Field 'actions' must hold 1 to {MOST_ACTIONS} actions")));
    }
    let mut tree = parent.map(|one| repo.files(one)).transpose()?.unwrap_or_default();
    let mut changes = Vec::new();
    for action in actions {
        let made = change(repo, &tree, action)?;
        for change in &made {
            match change {
                Change::Write { path, content } => {
                    tree.insert(path.clone(), repo.keep(content, repo.world.now_ms())?);
                }
                Change::Remove { path } => {
                    tree.remove(path);
                }
            }
        }
        changes.extend(made);
    }
    if tree.len() > MOST_FILES {
        return Err(Reply::code_error(
            413,
            &format!("a repository may hold at most {MOST_FILES} files"),
        ));
    }
    Ok(changes)
}

fn payload(action: &Value) -> Result<Vec<u8>, Reply> {
    let given = text(action, "payload");
    let bytes = match text(action, "encoding") {
        "base64" => STANDARD.decode(given.trim()).map_err(|error| {
            bad(&format!("payload of '{}' is not base64: {error}", text(action, "path")))
        })?,
        _ => given.as_bytes().to_vec(),
    };
    if bytes.len() > LARGEST_FILE {
        return Err(Reply::code_error(413, &format!("a file may be at most {LARGEST_FILE} bytes")));
    }
    Ok(bytes)
}

fn change(repo: &Repo<'_>, tree: &Tree, action: &Value) -> Result<Vec<Change>, Reply> {
    let path = text(action, "path").trim_start_matches('/').to_owned();
    if let Some(fault) = path_fault(&path) {
        return Err(bad(&format!("path '{path}' {fault}")));
    }
    let below = format!("{path}/");
    let is_directory = tree.keys().any(|one| one.starts_with(&below));
    let gone = || Reply::code_error(404, &format!("path '{path}' not found"));
    let taken = |path: &str| Reply::code_error(409, &format!("path '{path}' already exists"));
    let parent_is_file = |path: &str| {
        path.match_indices('/')
            .any(|(at, _)| path.get(..at).is_some_and(|dir| tree.contains_key(dir)))
    };
    let free = |path: &str| {
        let below = format!("{path}/");
        !tree.contains_key(path)
            && !tree.keys().any(|one| one.starts_with(&below))
            && !parent_is_file(path)
    };
    match text(action, "action").to_ascii_uppercase().as_str() {
        "CREATE" if !free(&path) => Err(taken(&path)),
        "CREATE" => Ok(vec![Change::Write { path: path.clone(), content: payload(action)? }]),
        "UPDATE" => {
            let blob = tree.get(&path).ok_or_else(gone)?;
            let seen = text(action, "sha");
            if !seen.is_empty() && seen != blob {
                return Err(Reply::code_error(
                    412,
                    &format!("'{path}' was changed meanwhile: its sha is {blob}, not {seen}"),
                ));
            }
            Ok(vec![Change::Write { path: path.clone(), content: payload(action)? }])
        }
        "DELETE" if is_directory => Ok(tree
            .keys()
            .filter(|one| one.starts_with(&below))
            .map(|one| Change::Remove { path: one.clone() })
            .collect()),
        "DELETE" if !tree.contains_key(&path) => Err(gone()),
        "DELETE" => Ok(vec![Change::Remove { path: path.clone() }]),
        "MOVE" => {
            let blob = tree.get(&path).ok_or_else(gone)?;
            let given = String::from_utf8_lossy(&payload(action)?).into_owned();
            // The payload is the new path, and after a NUL the new content if that changes too.
            let (to, content) = match given.split_once('\0') {
                Some((to, content)) => (to.to_owned(), content.as_bytes().to_vec()),
                None => (given, repo.content(blob)),
            };
            if let Some(fault) = path_fault(&to) {
                return Err(bad(&format!("path '{to}' {fault}")));
            }
            if !free(&to) {
                return Err(taken(&to));
            }
            Ok(vec![Change::Remove { path: path.clone() }, Change::Write { path: to, content }])
        }
        "PATCH_TEXT" => {
            let blob = tree.get(&path).ok_or_else(gone)?;
            let content = String::from_utf8_lossy(&repo.content(blob)).into_owned();
            let patched = patched(&content, &String::from_utf8_lossy(&payload(action)?))
                .ok_or_else(|| {
                    bad(&format!(
                        "the patch does not fit '{path}'; write it as START:END, NUL, text"
                    ))
                })?;
            Ok(vec![Change::Write { path: path.clone(), content: patched.into_bytes() }])
        }
        other => Err(bad(&format!(
            "action '{other}' is unknown; it must be one of CREATE, UPDATE, DELETE, MOVE, PATCH_TEXT"
        ))),
    }
}

/// Replaces the lines from START up to END (from 1, END not included) by the text after the NUL.
fn patched(content: &str, patch: &str) -> Option<String> {
    let (range, text) = patch.split_once('\0')?;
    let (start, end) = range.split_once(':')?;
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let start = start.trim().parse::<usize>().ok()?.checked_sub(1)?;
    let end = match end.trim() {
        "eof" => lines.len(),
        end => end.parse::<usize>().ok()?.checked_sub(1)?,
    };
    let (before, after) = (lines.get(..start)?, lines.get(end.max(start)..)?);
    let text =
        if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    Some(format!("{}{text}{}", before.concat(), after.concat()))
}
