//! Writes whose outcome hides behind a task handle.

use super::{Finding, Level, Reviewed, names};

pub(super) fn check(tools: &[Reviewed<'_>]) -> Vec<Finding> {
    let hidden = names(tools, |tool| tool.is_write() && tool.definition.can_be_task);
    if hidden.is_empty() {
        return Vec::new();
    }
    // The tasks extension lets the server make up the handle, and lists none (SEP-2663).
    let text =
        "it may run as a task, whose handle is lost with a lost answer and is listed nowhere";
    let mend = "let a read tool find the running work by the write's own fields; the scenario \
                `lost-task-handle` tries it out";
    vec![Finding::new(Level::Note, "task_handle", text).about(hidden).mend(mend)]
}
