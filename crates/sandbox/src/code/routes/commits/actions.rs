//! The actions of a commit, as changes of files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::Change;
use crate::code::git::tree::{Tree, path_fault};
use crate::code::repo::{Commit, Repo};
use crate::code::routes::{bad, text};
use crate::reply::Reply;

/// Actions in one commit.
const MOST_ACTIONS: usize = 1_000;

/// Files in one commit.
const MOST_FILES: usize = 20_000;

/// Bytes of one file.
const LARGEST_FILE: usize = 10 << 20;

/// The actions of a commit as changes; each is checked against what the ones before it left.
pub(super) fn changes(
    repo: &Repo<'_>,
    parent: Option<&Commit>,
    body: &Value,
) -> Result<Vec<Change>, Reply> {
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
