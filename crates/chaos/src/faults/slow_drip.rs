//! A slow drip: the whole answer comes, a few bytes at a time.

use std::time::Duration;

use super::{Effect, Is, Kind, Parameter, Shape, Speech};

pub(super) static KIND: Kind = Kind {
    id: "slow-drip",
    about: "the answer comes whole, a few bytes at a time",
    counts: "as executed and answered; a control, no agent should notice",
    takes: &[
        Parameter {
            name: "bytes",
            about: "the bytes of a piece; more when the whole would take over a minute",
            is: Is::Whole { default: Some(16), range: 1..=65_536 },
        },
        Parameter {
            name: "every_s",
            about: "the time between two pieces",
            is: Is::Seconds { default: Duration::from_millis(500), most: Duration::from_secs(60) },
        },
    ],
    told: Speech::Own,
    shapes: &[(Shape::Soft, "the upstream's own answer, slowly")],
    effect: |with| Effect::Drip {
        bytes: with.whole("bytes").unwrap_or(1),
        every: with.duration("every_s"),
    },
    is_ghost: false,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
