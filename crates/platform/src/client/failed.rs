//! Puts a failed attempt into words.

use std::time::SystemTime;

use url::Url;

use super::Outgoing;
use crate::deadlines::Deadlines;
use crate::error::{ApiError, Kind};
use crate::message::{self, looks_like_markup};
use crate::redact::RedactedUrl;
use crate::retry::{self, MAX_RETRY_AFTER};
use crate::transport::{Head, Progress, Why};

/// How an attempt ended, if not well.
#[derive(Debug)]
pub(super) enum End {
    /// A reply whose status is no success.
    Head(Head),
    /// No whole reply.
    Broken(Why),
    /// The caller gave up.
    Cancelled,
}

/// What an exchange was waiting for when the deadline of the whole call passed.
pub(super) fn awaited(progress: &Progress) -> &'static str {
    match (progress.sent(), progress.status()) {
        (false, _) => "connection",
        (true, None) => "answer",
        (true, Some(_)) => "rest of the reply",
    }
}

/// The error of an attempt; its outcome is left to the caller.
pub(super) fn explain(
    end: End,
    outgoing: &Outgoing,
    progress: &Progress,
    body: &[u8],
    deadlines: Deadlines,
) -> ApiError {
    let error = match end {
        End::Cancelled if progress.sent() => {
            ApiError::new(Kind::Cancelled, "cancelled while the platform was at work on it")
        }
        End::Cancelled => ApiError::new(Kind::Cancelled, "cancelled before it was sent"),
        End::Head(head) => return of_status(&head, outgoing, body),
        // An error status says more than the way its body ended.
        End::Broken(_) if progress.status().is_some_and(|status| status >= 300) => {
            let head =
                Head { status: progress.status().unwrap_or_default(), headers: Default::default() };
            return of_status(&head, outgoing, body);
        }
        End::Broken(Why::NotReached(why)) => ApiError::new(
            Kind::NotReached,
            format!("no connection to the platform at `{}`: {why}", outgoing.origin),
        ),
        End::Broken(Why::TimedOut(what)) => {
            let limit = match what {
                "connection" => deadlines.connect,
                "answer" => deadlines.first_byte,
                _ => deadlines.whole,
            };
            ApiError::new(
                Kind::TimedOut,
                format!("no {what} from the platform within {} ms", limit.as_millis()),
            )
        }
        End::Broken(Why::Lost(why)) => {
            let when = match progress.status() {
                None => "before an answer came",
                Some(_) => "in the middle of the reply",
            };
            ApiError::new(Kind::Lost, format!("the connection to the platform broke {when}: {why}"))
        }
        End::Broken(Why::TooMuch) => ApiError::new(
            Kind::TooLarge,
            "the reply is larger than this client accepts; ask for less (a smaller `size`, a filter)",
        ),
    };
    ApiError { status: progress.status(), ..error }
}

fn of_status(head: &Head, outgoing: &Outgoing, body: &[u8]) -> ApiError {
    let status = head.status;
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    if (300..400).contains(&status) && status != 304 {
        let to = header("location").map_or_else(|| "nowhere".to_owned(), redacted);
        let text = format!(
            "the platform redirects ({status}) to {to}, usually to a login page; check \
             `HARNESS_BASE_URL` and the credential"
        );
        return ApiError { status: Some(status), ..ApiError::new(Kind::Redirected, text) };
    }
    let page = std::str::from_utf8(body).is_ok_and(|text| text.trim_start().starts_with('<'));
    let explained = message::explain(status, &outgoing.path, body);
    let wait = header("retry-after")
        .and_then(|value| retry::retry_after(value, header("date"), SystemTime::now()));
    let long = wait.is_some_and(|wait| wait > MAX_RETRY_AFTER);
    let kind = match status {
        _ if long => Kind::RateLimited,
        429 => Kind::RateLimited,
        _ if page => Kind::Html,
        _ => Kind::Status,
    };
    let mut text = format!("the platform answered {status}: {}", explained.text);
    if page && looks_like_markup(&String::from_utf8_lossy(body)) {
        text.push_str(" (it sent a web page)");
    }
    if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
        text.push_str(&format!("; it asks to wait {} s", wait.as_secs()));
    }
    ApiError {
        status: Some(status),
        code: explained.code,
        correlation_id: explained
            .correlation_id
            .or_else(|| header("x-correlation-id").map(str::to_owned)),
        retry_after: wait,
        ..ApiError::new(kind, text)
    }
}

/// A redirect's target, without what it carries.
fn redacted(location: &str) -> String {
    match Url::parse(location) {
        Ok(url) => format!("`{}`", RedactedUrl(&url)),
        Err(_) => "another path".to_owned(),
    }
}
