//! A doubled answer: the same frame twice.

use super::{Effect, Kind, Shape, Speech};

pub(super) static KIND: Kind = Kind {
    id: "duplicate-response",
    about: "the answer leaves twice, with the same id",
    counts: "as executed and answered; a control, known clients drop the second",
    takes: &[],
    told: Speech::Own,
    shapes: &[(Shape::Soft, "the upstream's own answer, twice")],
    effect: |_| Effect::Double,
    is_ghost: false,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
