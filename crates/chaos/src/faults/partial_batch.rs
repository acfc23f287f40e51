//! A partial batch: the first items of a list are done, and the agent hears of an error.

use super::shape::REFUSAL;
use super::with::TEXT;
use super::{Effect, Is, Kind, Parameter, Reply, Speech};

pub(super) static KIND: Kind = Kind {
    id: "partial-batch",
    about: "the upstream gets only the first items of a list, and the agent hears of an error",
    counts: "as executed, because its first items were; sending the whole list again does those \
             twice, sending the rest is another operation",
    takes: &[
        Parameter {
            name: "items",
            about: "how many items are done; half of them unless it says so",
            is: Is::Whole { default: None, range: 1..=10_000 },
        },
        TEXT,
    ],
    told: Speech::Instead(|_, _| reply()),
    shapes: REFUSAL,
    effect: |with| Effect::Split(with.whole("items")),
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};

fn reply() -> Reply {
    let text = "Error: the batch was not completed, an item failed with an internal error";
    Reply::error(500, text, "Batch not completed")
}
