//! A cancel race: the agent cancels what was already carried out, and gets the answer after it.

use std::time::Duration;

use super::{Effect, Is, Kind, Parameter, Shape, Speech};

pub(super) static KIND: Kind = Kind {
    id: "cancel-race",
    about: "the answer is held until the agent cancels, and the cancel comes too late",
    counts: "as executed; the cancel changes nothing, and a repeat that is executed too is the \
             agent's duplicate. It is applied only when the agent does cancel",
    takes: &[Parameter {
        name: "hold_s",
        about: "how long the answer waits for a cancel before it leaves",
        is: Is::Seconds { default: Duration::from_secs(330), most: Duration::from_secs(3600) },
    }],
    told: Speech::Own,
    shapes: &[(Shape::Soft, "the upstream's own answer, right after the agent's cancel")],
    effect: |with| Effect::AwaitCancel(with.duration("hold_s")),
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
