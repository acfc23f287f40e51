//! What a step does when it begins, ends, fails or is given up.

use super::{Next, Run};
use crate::execution::engine::duration::LONGEST_MS;
use crate::execution::engine::plan::{Action, Plan, Role, Trouble, Wait};
use crate::execution::engine::status::Status;

impl Run<'_> {
    /// Begins a step.
    pub(super) fn begin_work(&mut self, at: usize, now: i64) {
        let Some(work) = self.plan.node(at).and_then(|node| node.work.as_ref()) else { return };
        self.become_at(at, Status::Running, now);
        self.set(at, |state| {
            state.attempts += 1;
            state.attempt_ms = now;
            state.deadline_ms = work.timeout_ms.map(|timeout| now + timeout);
        });
        let due = match (&work.wait, work.timeout_ms) {
            (Wait::People(_), timeout) => (now + timeout.unwrap_or(LONGEST_MS), Next::GiveUp),
            (_, Some(timeout)) if timeout < work.duration_ms => (now + timeout, Next::GiveUp),
            _ => (now + work.duration_ms, Next::Finish),
        };
        let waits = match work.wait {
            Wait::Work => None,
            Wait::Timer => Some(Status::WaitStepRunning),
            Wait::People(_) | Wait::System => Some(Status::ApprovalWaiting),
        };
        if let Some(status) = waits {
            self.become_at(at, status, now);
        }
        self.set(at, |state| state.due = Some(due));
    }

    /// The work of a step is done: well, or with its fault.
    pub(super) fn finish(&mut self, at: usize, now: i64) {
        let fault = self.plan.node(at).and_then(|node| node.work.as_ref()?.fault.clone());
        let attempts = self.failed_before + self.states.of(at).map_or(0, |state| state.attempts);
        match fault.filter(|fault| fault.times.is_none_or(|times| attempts <= times)) {
            Some(fault) => self.fail(at, Trouble::Failure, fault.message, now),
            None => {
                // A step that failed before and works now carries no failure any more.
                self.set(at, |state| (state.failure, state.trouble) = (None, None));
                self.become_at(at, Status::Success, now);
            }
        }
    }

    pub(super) fn fail(&mut self, at: usize, trouble: Trouble, message: String, now: i64) {
        self.set(at, |state| {
            state.failure = Some(message);
            state.trouble = Some(trouble);
        });
        let remedies = self.plan.node(at).and_then(|node| Some(&node.work.as_ref()?.remedies));
        let action = remedies
            .and_then(|all| all.iter().find(|remedy| remedy.on.contains(&trouble)))
            .map_or(Action::Stop, |remedy| remedy.action.clone());
        self.remedy(at, &action, now);
    }

    pub(super) fn remedy(&mut self, at: usize, action: &Action, now: i64) {
        let attempts = self.states.of(at).map_or(0, |state| state.attempts);
        match action {
            Action::Ignore => self.become_at(at, Status::IgnoreFailed, now),
            Action::Succeed => self.become_at(at, Status::Success, now),
            Action::Ask { timeout_ms, then } => {
                self.become_at(at, Status::InterventionWaiting, now);
                let due = Some((now + timeout_ms, Next::Apply((**then).clone())));
                self.set(at, |state| {
                    state.due = due;
                    state.deadline_ms = Some(now + timeout_ms);
                });
            }
            Action::Retry { count, interval_ms, .. } if attempts <= *count => {
                let work = self.plan.node(at).and_then(|node| node.work.as_ref());
                let again = now + interval_ms + work.map_or(0, |work| work.duration_ms);
                self.set(at, |state| {
                    state.attempts += 1;
                    state.attempt_ms = now + interval_ms;
                    state.due = Some((again, Next::Finish));
                });
            }
            Action::Retry { then, .. } => self.remedy(at, then, now),
            Action::Fail | Action::Stop | Action::RollBack => {
                let stage = self.plan.enclosing(at, Role::Stage);
                let by_default = stage
                    .and_then(|stage| self.plan.node(stage))
                    .is_some_and(|stage| stage.rolls_back);
                self.set(at, |state| {
                    state.halts = *action != Action::Fail;
                    state.rolls_back = *action == Action::RollBack || by_default;
                });
                let status = match self.states.of(at).and_then(|state| state.trouble) {
                    Some(Trouble::Timeout) => Status::Expired,
                    Some(Trouble::Rejection) => Status::ApprovalRejected,
                    _ => Status::Failed,
                };
                self.become_at(at, status, now);
            }
        }
    }
}

/// Why a step was given up.
pub(super) fn gave_up(plan: &Plan, at: usize) -> String {
    let Some(node) = plan.node(at) else { return String::new() };
    let timeout = node.work.as_ref().and_then(|work| work.timeout_ms).unwrap_or_default() / 1000;
    match node.work.as_ref().map(|work| &work.wait) {
        Some(Wait::People(_)) => {
            format!("nobody decided on `{}` within {timeout}s", node.identifier)
        }
        _ => format!("step `{}` timed out after {timeout}s", node.identifier),
    }
}
