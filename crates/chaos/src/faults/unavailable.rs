//! A 503 that names the date to come back at (RFC 9110 sections 10.2.3 and 15.6.4).

use std::time::{Duration, SystemTime};

use serde_json::json;

use super::shape::REFUSAL;
use super::with::{RETRY_AFTER, TEXT};
use super::{Effect, Kind, Now, Reply, Speech, With};

/// The clock that the agent waits by is not the one that its wait is measured by.
const CLOCKS: Duration = Duration::from_millis(10);

pub(super) static KIND: Kind = Kind {
    id: "unavailable",
    about: "the call gets a 503 with a `Retry-After` date, and is not executed",
    counts: "as not executed; the same write before that date disregards it",
    takes: &[RETRY_AFTER, TEXT],
    told: Speech::Instead(reply),
    shapes: REFUSAL,
    effect: |_| Effect::Withhold,
    is_ghost: false,
    asks_to_wait: |with, now| {
        let wait = date(with, now).duration_since(now.0).ok();
        wait.map(|wait| wait.saturating_sub(CLOCKS))
    },
    not_on: &[],
};

fn reply(with: &With, now: Now) -> Reply {
    let date = httpdate::fmt_http_date(date(with, now).max(SystemTime::UNIX_EPOCH));
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

/// A date has whole seconds only: the next one, so that whoever waits for it waits long enough.
fn date(with: &With, now: Now) -> SystemTime {
    let seconds = with.whole("retry_after_s").unwrap_or_default();
    let until = now.0.checked_add(Duration::from_secs(seconds + 1)).unwrap_or(now.0);
    let since = until.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    until.checked_sub(Duration::from_nanos(u64::from(since.subsec_nanos()))).unwrap_or(until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_ends_at_the_date_that_is_named() {
        let with = With::defaults(KIND.takes);
        for millis in [0, 1, 500, 999] {
            let now =
                Now(SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_000 + millis));
            let said = reply(&with, now);
            let (_, named) = said.headers.first().unwrap();
            let named = httpdate::parse_http_date(named).unwrap();
            let ends = now.0 + (KIND.asks_to_wait)(&with, now).unwrap();
            assert!(ends < named && named <= ends + Duration::from_millis(20), "{millis}");
        }
    }
}
