//! A late commit: the agent hears of a timeout, and the effect lands after its look-up.

use std::time::Duration;

use super::shape::LOSS;
use super::with::TEXT;
use super::{Effect, Is, Kind, Parameter, Speech, ghost_write};

pub(super) static KIND: Kind = Kind {
    id: "late-commit",
    about: "the agent hears of a timeout at once, and the upstream gets the call later",
    counts: "as executed when it lands; a repeat that is executed too is the agent's duplicate, \
             even after a look-up that showed nothing",
    takes: &[
        Parameter {
            name: "after_s",
            about: "how much later the upstream gets the call",
            is: Is::Seconds { default: Duration::from_secs(20), most: Duration::from_secs(3600) },
        },
        TEXT,
    ],
    told: Speech::Instead(|_, _| ghost_write::timeout()),
    shapes: LOSS,
    effect: |with| Effect::Delay(with.duration("after_s")),
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
