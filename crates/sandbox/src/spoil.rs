//! What a fault makes of a request or its reply.

use serde_json::Value;

use crate::fault::Kind;
use crate::platform::Platform;
use crate::reply::Reply;
use crate::request::Request;
use crate::wire::{Break, Gate};

/// Size a huge list grows to.
const HUGE_BYTES: usize = 25 * 1024 * 1024;
/// The part of a signed link that says for how many seconds it lives.
const LIFETIME: &str = "X-Goog-Expires";

/// Faults that strike before anything is applied.
pub(crate) fn refused(
    platform: &Platform,
    request: &Request,
    kind: &Kind,
    gate: &Gate,
) -> Option<Reply> {
    match kind {
        Kind::ResetBefore => {
            gate.set(Break::Reset);
            Some(Reply::no_content())
        }
        Kind::TooMany { retry_after } => {
            let reply = Reply::ng_error(429, "TOO_MANY_REQUESTS", "Too many requests");
            let date = || {
                let at = jiff::Timestamp::from_millisecond(platform.world.now_ms() + 1_000);
                at.map(|at| at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
            };
            Some(match retry_after.as_deref() {
                Some("date") => reply.with_header("retry-after", &date().unwrap_or_default()),
                Some(value) => reply.with_header("retry-after", value),
                None => reply,
            })
        }
        Kind::Status(status) => {
            if *status == 403 {
                let scope = platform.world.scope_json(&request.scope());
                return Some(Reply::access_denied("core_resource_view", "RESOURCE", "any", scope));
            }
            let (code, message) = match status {
                401 => ("EXPIRED_TOKEN", "The token has expired"),
                503 => ("UNAVAILABLE_DELEGATES", "The service is not available"),
                504 => ("REQUEST_TIMEOUT", "The request timed out"),
                _ => ("UNKNOWN_ERROR", "Oops, something went wrong on our end; contact support"),
            };
            Some(Reply::ng_error(*status, code, message))
        }
        Kind::Html502 => Some(Reply::html(502, "Bad Gateway")),
        _ => None,
    }
}

/// Faults that strike after the request was applied.
pub(crate) fn spoiled(reply: Reply, kind: &Kind, gate: &Gate) -> Reply {
    match kind {
        Kind::Empty200 => Reply { status: 200, headers: reply.headers, body: Vec::new() },
        Kind::NoContent => Reply::no_content(),
        Kind::CutBody => {
            gate.set(Break::CutAfter(reply.body.len() / 2));
            reply
        }
        Kind::ResetAfter => {
            gate.set(Break::Reset);
            reply
        }
        Kind::Stall => {
            gate.set(Break::Stall);
            reply
        }
        Kind::HugeList => with_json(reply, grow),
        Kind::ExpiredLogLink => with_json(reply, |body| change_link(body, expired)),
        Kind::InternalLogHost => with_json(reply, |body| {
            change_link(body, |link| {
                let path = link.splitn(4, '/').nth(3).unwrap_or_default();
                format!("http://log-service.harness-internal.svc.cluster.local:8079/{path}")
            })
        }),
        _ => reply,
    }
}

/// The same link, living for no time at all.
fn expired(link: &str) -> String {
    let changed = link.split('&').map(|pair| match pair.split_once(LIFETIME) {
        Some((before, _)) => format!("{before}{LIFETIME}=0"),
        None => pair.to_owned(),
    });
    changed.collect::<Vec<_>>().join("&")
}

/// What the storage says to a link that lives no more.
pub(crate) fn expired_link(request: &Request) -> Option<Reply> {
    if request.query.first(LIFETIME) != Some("0") {
        return None;
    }
    let body = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>ExpiredToken</Code>\
                <Message>The provided token has expired.</Message></Error>";
    Some(Reply::raw(400, "application/xml", body.as_bytes().to_vec()))
}

fn with_json(mut reply: Reply, change: impl FnOnce(&mut Value)) -> Reply {
    if let Some(mut body) = reply.json() {
        change(&mut body);
        reply.body = body.to_string().into_bytes();
    }
    reply
}

fn change_link(body: &mut Value, change: impl FnOnce(&str) -> String) {
    if let Some(Value::String(link)) = body.get_mut("link") {
        *link = change(link);
    }
}

/// Repeats the items of the first array found until it is huge.
fn grow(body: &mut Value) {
    let list = match body {
        Value::Array(items) => Some(items),
        other => ["/data/content", "/content", "/data", "/resource"]
            .into_iter()
            .find(|path| other.pointer(path).is_some_and(Value::is_array))
            .and_then(|path| other.pointer_mut(path))
            .and_then(Value::as_array_mut),
    };
    let Some(items) = list.filter(|items| !items.is_empty()) else { return };
    let size: usize = items.iter().map(|item| item.to_string().len() + 1).sum();
    let once = items.clone();
    for _ in 1..HUGE_BYTES.div_ceil(size.max(1)) {
        items.extend(once.iter().cloned());
    }
}
