//! A cut answer to a call that was carried out.

use super::{Effect, Kind, Shape, Speech, cut_answer};

pub(super) static KIND: Kind = Kind {
    id: "cut-result",
    about: "the call is executed, and the agent gets JSON that ends in the middle",
    counts: "as executed; a repeat that is executed too is the agent's duplicate",
    takes: &[],
    told: Speech::Instead(|_, _| cut_answer::reply()),
    shapes: &[
        (Shape::Soft, "a result whose text is cut JSON"),
        (Shape::CutFrame, "a line that is no JSON; most clients hang"),
        (Shape::CutBody, "200 with JSON that ends in the middle; one client re-sends by itself"),
    ],
    effect: |_| Effect::Replace,
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
