//! The routes, one file per resource.

mod branches;
mod commits;
mod contents;
mod diffs;
mod merges;
mod pulls;
mod repos;
mod reviews;
pub(super) mod rules;
mod talk;

use serde_json::Value;

use crate::reply::Reply;
use crate::request::Request;
use crate::router::Route;

/// The routes of this family.
pub(crate) fn all() -> Vec<Route> {
    [
        repos::routes(),
        branches::routes(),
        commits::routes(),
        contents::routes(),
        diffs::routes(),
        rules::routes(),
        pulls::routes(),
        merges::routes(),
        reviews::routes(),
        talk::routes(),
    ]
    .concat()
}

pub(crate) use commits::{Change, commit_changes};
pub(crate) use merges::{land, make_merge};
pub(crate) use pulls::open as open_pull;
pub(crate) use repos::make as make_repository;
pub(crate) use reviews::give_review;

/// A JSON object as body; none at all counts as `{}`.
fn body(request: &Request) -> Result<Value, Reply> {
    if request.is_bodiless() {
        return Ok(Value::Object(Default::default()));
    }
    let refused = || Reply::code_error(400, "Invalid Request Body: a JSON object is expected.");
    request.json().ok().filter(Value::is_object).ok_or_else(refused)
}

fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn flag(body: &Value, field: &str) -> bool {
    body.get(field).and_then(Value::as_bool).unwrap_or_default()
}

fn bad(message: &str) -> Reply {
    Reply::code_error(400, message)
}

/// Newest or largest first when `order=desc`.
fn ordered<T>(request: &Request, mut items: Vec<T>, falls_by_default: bool) -> Vec<T> {
    let falls = match request.query.first("order").map(str::to_ascii_lowercase).as_deref() {
        Some("desc") => true,
        Some("asc") => false,
        _ => falls_by_default,
    };
    if falls {
        items.reverse();
    }
    items
}

/// What is wrong with the name of a branch or tag, as git sees it.
fn ref_fault(name: &str) -> Option<String> {
    let is_bad = name.is_empty()
        || name.len() > 255
        || name.starts_with(['/', '-', '.'])
        || name.ends_with(['/', '.'])
        || name.ends_with(".lock")
        || name.contains("..")
        || name.contains("//")
        || name.contains("@{")
        || name.chars().any(|c| c.is_control() || " ~^:?*[\\".contains(c));
    is_bad.then(|| format!("'{name}' is not a valid name of a branch or tag"))
}
