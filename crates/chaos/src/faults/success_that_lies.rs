//! A success that lies: nothing was done, and the agent is told that it was.

use super::with::TEXT;
use super::{Effect, Kind, Reply, Shape, Speech};

pub(super) static KIND: Kind = Kind {
    id: "success-that-lies",
    about: "the agent is told that the call was carried out, and the upstream never gets it",
    counts: "as not executed; only a look-up shows it, and the first repeat is the first execution",
    takes: &[TEXT],
    told: Speech::Instead(|_, _| reply()),
    shapes: &[(Shape::Soft, "a result that says it was done")],
    effect: |_| Effect::Withhold,
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};

fn reply() -> Reply {
    Reply { is_error: false, ..Reply::error(200, r#"{"status":"ok"}"#, "ok") }
}
