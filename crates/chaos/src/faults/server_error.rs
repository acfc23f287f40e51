//! A 500 that is gone at the next try (RFC 9110 section 15.6.1).

use super::shape::{CLOSE, ERROR, SILENCE, SOFT, STATUS};
use super::with::TEXT;
use super::{Effect, Kind, Reply, Speech};

pub(super) static KIND: Kind = Kind {
    id: "server-error",
    about: "the call gets a 500 and is not executed",
    counts: "as not executed; the first repeat is the first execution",
    takes: &[TEXT],
    told: Speech::Instead(|_, _| reply()),
    shapes: &[SOFT, ERROR, SILENCE, CLOSE, STATUS],
    effect: |_| Effect::Withhold,
    is_ghost: false,
    asks_to_wait: |_, _| None,
    not_on: &[],
};

fn reply() -> Reply {
    let text = r#"HTTP 500 Internal Server Error: {"status":500,"error":"internal_server_error"}"#;
    Reply::error(500, text, "500 Internal Server Error")
}
