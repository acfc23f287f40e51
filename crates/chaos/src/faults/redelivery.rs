//! A redelivery: something between agent and upstream sends the call a second time.

use super::shape::OWN;
use super::{Effect, Kind, Speech};

pub(super) static KIND: Kind = Kind {
    id: "redelivery",
    about: "the upstream gets the call twice, and the agent the answer to the second delivery",
    counts: "as executed once by the agent, however often the upstream carried it out: the second \
             delivery is never the agent's duplicate",
    takes: &[],
    told: Speech::Own,
    shapes: OWN,
    effect: |_| Effect::Redeliver,
    is_ghost: false,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
