//! Files and directories of a commit: content, paths, and who wrote which line.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::bad;
use crate::code::git::changes::origins;
use crate::code::git::tree::{Entry, Tree, directories, directory_id, listing};
use crate::code::repo::{Commit, Repo, missing};
use crate::crud::settle;
use crate::family::Answer;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::world::World;

/// Bytes of a file that are shown; what is beyond is left out.
const LARGEST_SHOWN: usize = 10 << 20;

/// Commits looked at for a blame.
const MOST_COMMITS: usize = 2_000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new("GET", "/code/api/v1/repos/{repo}/content", content),
        Route::new("GET", "/code/api/v1/repos/{repo}/content/{*path}", content),
        Route::new("GET", "/code/api/v1/repos/{repo}/raw/{*path}", raw),
        Route::new("GET", "/code/api/v1/repos/{repo}/paths", paths),
        Route::new("GET", "/code/api/v1/repos/{repo}/blame/{*path}", blame),
    ]
}

fn at(repo: &Repo<'_>, request: &Request) -> Result<(Commit, Tree), Reply> {
    let commit = repo.resolve(request.query.first("git_ref").unwrap_or_default())?;
    let tree = repo.files(&commit)?;
    Ok((commit, tree))
}

fn content(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let (commit, tree) = at(&repo, request)?;
        let path = params.get("path").trim_matches('/');
        let latest = match request.query.flag("include_commit") {
            true => json!(repo.last_change(&commit, path)?.shown()),
            false => Value::Null,
        };
        let name = path.rsplit('/').next().unwrap_or_default();
        if let Some(blob) = tree.get(path) {
            return Ok(Reply::bare(&json!({
                "type": "file", "sha": blob, "name": name, "path": path, "latest_commit": latest,
                "content": file(&repo.content(blob)),
            })));
        }
        let entries = listing(&tree, path).ok_or_else(|| missing("path", path))?;
        let entries: Vec<Value> = entries.iter().map(entry).collect();
        Ok(Reply::bare(&json!({
            "type": "dir", "sha": directory_id(&tree, path), "name": name, "path": path,
            "latest_commit": latest, "content": {"entries": entries},
        })))
    })
}

fn file(content: &[u8]) -> Value {
    let shown = content.get(..LARGEST_SHOWN).unwrap_or(content);
    json!({
        "encoding": "base64", "data": STANDARD.encode(shown), "size": content.len(),
        "data_size": shown.len(),
    })
}

fn entry(entry: &Entry) -> Value {
    json!({
        "type": if entry.is_dir { "dir" } else { "file" }, "sha": entry.id, "name": entry.name,
        "path": entry.path,
    })
}

fn raw(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let (_, tree) = at(&repo, request)?;
        let blob =
            tree.get(params.get("path")).ok_or_else(|| missing("path", params.get("path")))?;
        Ok(Reply::raw(200, "application/octet-stream", repo.content(blob)))
    })
}

fn paths(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let (_, tree) = at(&repo, request)?;
        let mut shown = json!({"files": tree.keys().collect::<Vec<_>>()});
        if let (Some(fields), true) =
            (shown.as_object_mut(), request.query.flag("include_directories"))
        {
            fields.insert("directories".to_owned(), json!(directories(&tree)));
        }
        Ok(Reply::bare(&shown))
    })
}

fn line(request: &Request, name: &str) -> Result<Option<usize>, Reply> {
    let Some(text) = request.query.first(name) else { return Ok(None) };
    let number = text.parse::<usize>().ok().filter(|number| *number > 0);
    number
        .map(Some)
        .ok_or_else(|| bad(&format!("Query parameter '{name}' must be a line number from 1")))
}

fn blame(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let repo = Repo::wanted(world, &store, request, params)?;
        let (commit, tree) = at(&repo, request)?;
        let path = params.get("path").trim_matches('/');
        let blob = tree.get(path).ok_or_else(|| missing("path", path))?;
        let content = String::from_utf8_lossy(&repo.content(blob)).into_owned();
        let authors = authors(&repo, &commit, path, &content)?;
        let lines: Vec<&str> = content.lines().collect();
        let from = line(request, "line_from")?.unwrap_or(1);
        let to = line(request, "line_to")?.unwrap_or(lines.len()).min(lines.len());
        if from > to && !lines.is_empty() {
            return Err(bad(&format!(
                "lines {from} to {to} are not in the file, which has {}",
                lines.len()
            )));
        }
        parts(&authors, &lines, from, to)
    })
}

/// Runs of lines that the same commit wrote.
fn parts(authors: &[Commit], lines: &[&str], from: usize, to: usize) -> Answer {
    let mut parts: Vec<(Commit, Vec<&str>)> = Vec::new();
    let wanted = authors.iter().zip(lines).skip(from - 1).take((to + 1).saturating_sub(from));
    for (commit, text) in wanted {
        match parts.last_mut().filter(|(last, _)| last.sha == commit.sha) {
            Some((_, lines)) => lines.push(text),
            None => parts.push((commit.clone(), vec![text])),
        }
    }
    let shown: Vec<Value> = parts
        .iter()
        .map(|(commit, lines)| json!({"commit": commit.shown(), "lines": lines}))
        .collect();
    Ok(Reply::bare(&Value::Array(shown)))
}

/// The commit that wrote each line of a file.
fn authors(
    repo: &Repo<'_>,
    from: &Commit,
    path: &str,
    content: &str,
) -> Result<Vec<Commit>, Reply> {
    let count = content.lines().count();
    let mut authors: Vec<Option<Commit>> = vec![None; count];
    // For each line of the file as it was at `at`, the lines of today that come from it.
    let mut today: Vec<Option<usize>> = (0..count).map(Some).collect();
    let (mut at, mut text) = (from.clone(), content.to_owned());
    for _ in 0..MOST_COMMITS {
        let parent = match at.parents.first() {
            Some(parent) => repo.commit(parent)?,
            None => None,
        };
        let old = match &parent {
            Some(parent) => repo.files(parent)?.get(path).map(|blob| repo.content(blob)),
            None => None,
        };
        let Some((parent, old)) = parent.zip(old) else { break };
        let old = String::from_utf8_lossy(&old).into_owned();
        let mut before: Vec<Option<usize>> = vec![None; old.lines().count()];
        for (line, origin) in origins(&old, &text).into_iter().enumerate() {
            let Some(now) = today.get(line).copied().flatten() else { continue };
            match origin.and_then(|origin| before.get_mut(origin)) {
                Some(slot) => *slot = Some(now),
                None => {
                    if let Some(author) = authors.get_mut(now) {
                        *author = Some(at.clone());
                    }
                }
            }
        }
        (today, at, text) = (before, parent, old);
    }
    Ok(authors.into_iter().map(|author| author.unwrap_or_else(|| at.clone())).collect())
}
