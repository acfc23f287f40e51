//! F2, backpressure: a 429 that says how long to wait (RFC 6585 section 4).

use serde_json::json;

use super::Reply;

pub(super) fn reply(retry_after_s: u64) -> Reply {
    let body = json!({
        "status": 429,
        "error": "too_many_requests",
        "message": format!("Rate limit exceeded. Retry after {retry_after_s} seconds."),
        "retry_after": retry_after_s,
    });
    Reply {
        text: format!("HTTP 429 Too Many Requests: {body}"),
        is_error: true,
        code: -32603,
        message: format!("429 Too Many Requests, retry_after: {retry_after_s}"),
        data: Some(json!({"status": 429, "retry_after": retry_after_s})),
    }
}
