//! A lost task handle: the task runs, and the agent never learns its name.

use super::shape::LOSS;
use super::with::TEXT;
use super::{Effect, Kind, Speech, ghost_write};

pub(super) static KIND: Kind = Kind {
    id: "lost-task-handle",
    about: "the upstream answers by a task, and the agent hears of a timeout instead",
    counts: "as what becomes of the task, which the harness follows; a repeat whose task is done \
             too is the agent's duplicate",
    takes: &[TEXT],
    told: Speech::Instead(|_, _| ghost_write::timeout()),
    shapes: LOSS,
    effect: |_| Effect::LoseHandle,
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};
