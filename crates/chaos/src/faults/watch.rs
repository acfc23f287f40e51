//! Nothing: the writes are watched.

use super::shape::OWN;
use super::{Effect, Kind, Speech};

pub(super) static KIND: Kind = Kind {
    id: "watch",
    about: "nothing is injected and nothing is de-duplicated; F4's own, for no other scenario",
    counts: "as what the upstream says",
    takes: &[],
    told: Speech::Own,
    shapes: OWN,
    effect: |_| Effect::Watch,
    is_ghost: false,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
