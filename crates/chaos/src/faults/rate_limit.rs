//! Backpressure: a 429 that says how long to wait (RFC 6585 section 4).

use std::time::Duration;

use serde_json::json;

use super::shape::REFUSAL;
use super::with::{RETRY_AFTER, TEXT};
use super::{Effect, Kind, Reply, Speech, With};

pub(super) static KIND: Kind = Kind {
    id: "rate-limit",
    about: "the call gets a 429 that asks to wait, and is not executed",
    counts: "as not executed; the same write before the wait is over disregards it",
    takes: &[RETRY_AFTER, TEXT],
    told: Speech::Instead(|with, _| reply(with)),
    shapes: REFUSAL,
    effect: |_| Effect::Withhold,
    is_ghost: false,
    asks_to_wait: |with, _| with.whole("retry_after_s").map(Duration::from_secs),
    not_on: &[],
};

fn reply(with: &With) -> Reply {
    let seconds = with.whole("retry_after_s").unwrap_or_default();
    let body = json!({
        "status": 429,
        "error": "too_many_requests",
        "message": format!("Rate limit exceeded. Retry after {seconds} seconds."),
        "retry_after": seconds,
    });
    Reply {
        data: Some(json!({"status": 429, "retry_after": seconds})),
        headers: vec![("retry-after", seconds.to_string())],
        ..Reply::error(
            429,
            format!("HTTP 429 Too Many Requests: {body}"),
            format!("429 Too Many Requests, retry_after: {seconds}"),
        )
    }
}
