//! What tests and demos may do to a sandbox from outside: faults, clock, reset.

use std::time::Duration;

use serde_json::{Value, json};

use crate::clock::rfc3339;
use crate::fault::Fault;
use crate::platform::Platform;
use crate::reply::Reply;
use crate::request::Request;

/// First segment of the admin paths.
pub(crate) const PREFIX: &str = "__sandbox";
/// The clock may be pushed no further than ten years at a time.
const LONGEST_PUSH_MS: u64 = 10 * 366 * 86_400_000;

/// Answers a request to an admin path.
pub(crate) fn answer(platform: &Platform, request: &Request) -> Reply {
    let path: Vec<&str> = request.segments.iter().skip(1).map(String::as_str).collect();
    match (request.method.as_str(), path.as_slice()) {
        ("GET", ["health"]) => {
            Reply::bare(&json!({"status": "up", "account": platform.world.account}))
        }
        ("GET", ["faults"]) => Reply::bare(&platform.faults.list()),
        ("POST", ["faults"]) => arm(platform, request),
        ("DELETE", ["faults"]) => {
            platform.faults.clear();
            Reply::no_content()
        }
        ("GET", ["clock"]) => clock(platform),
        ("POST", ["clock"]) => advance(platform, request),
        ("POST", ["reset"]) => match platform.reset() {
            Ok(()) => Reply::no_content(),
            Err(error) => error.into(),
        },
        _ => refusal(
            404,
            "unknown admin path; known are GET health, GET|POST|DELETE faults, GET|POST clock, \
             POST reset",
        ),
    }
}

fn arm(platform: &Platform, request: &Request) -> Reply {
    let said = match request.json() {
        Ok(Value::Array(several)) => several,
        Ok(one) => vec![one],
        Err(error) => return refusal(400, &error.to_string()),
    };
    let read: Result<Vec<Fault>, String> = said.iter().map(Fault::read).collect();
    let armed = read.and_then(|all| all.into_iter().try_for_each(|one| platform.faults.arm(one)));
    match armed {
        Ok(()) => Reply::bare(&platform.faults.list()).with_status(201),
        Err(fault) => refusal(400, &fault),
    }
}

fn clock(platform: &Platform) -> Reply {
    let now = platform.world.now_ms();
    Reply::bare(&json!({
        "now_ms": now, "now": rfc3339(now), "speed": platform.world.clock.speed(),
    }))
}

fn advance(platform: &Platform, request: &Request) -> Reply {
    let body = request.filter();
    let Some(by_ms) = body.get("advance_ms").and_then(Value::as_u64) else {
        return refusal(400, "`advance_ms` is missing: milliseconds to push the clock by");
    };
    if by_ms > LONGEST_PUSH_MS {
        return refusal(400, "`advance_ms` is more than ten years");
    }
    platform.world.clock.advance(Duration::from_millis(by_ms));
    clock(platform)
}

fn refusal(status: u16, message: &str) -> Reply {
    Reply::json_with(status, &json!({"error": message}))
}
