//! A changed list: after a write the tool is gone from the list, and comes back.

use std::time::Duration;

use super::{Effect, Is, Kind, Parameter, Shape, Speech};

pub(super) static KIND: Kind = Kind {
    id: "list-change",
    about: "after the call the tool is gone from the list and refused for a while, then it is back",
    counts: "the call as executed and answered; a call of the missing tool as not executed",
    takes: &[Parameter {
        name: "for_s",
        about: "how long the tool is gone",
        is: Is::Seconds { default: Duration::from_secs(15), most: Duration::from_secs(3600) },
    }],
    told: Speech::Own,
    shapes: &[(Shape::Soft, "the upstream's own answer, and in sessions a change notification")],
    effect: |with| Effect::HideTool(with.duration("for_s")),
    is_ghost: false,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
