//! A 503 that names the date to come back at (RFC 9110 sections 10.2.3 and 15.6.4).

use std::time::{Duration, SystemTime};

use serde_json::json;

use super::shape::REFUSAL;
use super::with::{RETRY_AFTER, TEXT};
use super::{Effect, Kind, Now, Reply, Speech, With};

pub(super) static KIND: Kind = Kind {
    id: "unavailable",
    about: "the call gets a 503 with a `Retry-After` date, and is not executed",
    counts: "as not executed; the same write before that date disregards it",
    takes: &[RETRY_AFTER, TEXT],
    told: Speech::Instead(reply),
    shapes: REFUSAL,
    effect: |_| Effect::Withhold,
    is_ghost: false,
    asks_to_wait: |with| with.whole("retry_after_s").map(Duration::from_secs),
    not_on: &[],
};

fn reply(with: &With, now: Now) -> Reply {
    let seconds = with.whole("retry_after_s").unwrap_or_default();
    // A date has whole seconds only: the next one, so that whoever waits for it waits long enough.
    let until = now.0.checked_add(Duration::from_secs(seconds + 1)).unwrap_or(now.0);
    let date = httpdate::fmt_http_date(until.max(SystemTime::UNIX_EPOCH));
    Reply {
        data: Some(json!({"status": 503, "retry_after": date})),
        headers: vec![("retry-after", date.clone())],
        ..Reply::error(
            503,
            format!("HTTP 503 Service Unavailable\nRetry-After: {date}"),
            format!("503 Service Unavailable, Retry-After: {date}"),
        )
    }
}
