//! A stale read: for a while after a write, a read shows what it showed before.

use std::time::Duration;

use super::{Effect, Is, Kind, Parameter, Shape, Speech};

pub(super) static KIND: Kind = Kind {
    id: "stale-read",
    about: "for a while after a write, a read that was made before it shows the same as then",
    counts: "the read as a look-up; a write that it led the agent to repeat is the agent's duplicate",
    takes: &[Parameter {
        name: "for_s",
        about: "how long after the write a read is stale",
        is: Is::Seconds { default: Duration::from_secs(30), most: Duration::from_secs(3600) },
    }],
    told: Speech::Own,
    shapes: &[(Shape::Soft, "the answer that the same read had before the write")],
    effect: |with| Effect::Stale(with.duration("for_s")),
    is_ghost: false,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
