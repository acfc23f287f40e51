//! What people do to a run.

use super::{DECIDED_MS, Deed, Event, Mark, Next, Run, STOPPING_MS};
use crate::execution::engine::plan::{Action, Trouble, Wait};
use crate::execution::engine::status::Status;

impl Run<'_> {
    /// Steps at or below `top` that have begun and not ended.
    fn active_steps(&self, top: usize) -> Vec<usize> {
        let is_step = |at: &usize| self.plan.node(*at).is_some_and(|node| node.work.is_some());
        let below = self.plan.below(top).into_iter();
        below.filter(|at| is_step(at) && self.states.status(*at).is_active()).collect()
    }

    /// The steps a decision is about: those that wait for it, else all that are active.
    fn decided_steps(&self, top: usize) -> Vec<usize> {
        let active = self.active_steps(top);
        let waits = |at: &usize| self.states.status(*at) == Status::InterventionWaiting;
        let waiting: Vec<usize> = active.iter().copied().filter(waits).collect();
        if waiting.is_empty() { active } else { waiting }
    }

    pub(super) fn apply(&mut self, event: &Event, now: i64) {
        let top = event.node;
        if !self.states.status(top).is_active() {
            return;
        }
        match &event.deed {
            Deed::Pause => self.set(top, |state| state.paused = true),
            Deed::Resume => self.set(top, |state| state.paused = false),
            Deed::Abort => {
                self.set(top, |state| state.stopping = Some(Status::Aborted));
                for at in self.active_steps(top) {
                    self.become_at(at, Status::Discontinuing, now);
                    let due = Some((now + STOPPING_MS, Next::End(Status::Aborted)));
                    self.set(at, |state| (state.due, state.halts) = (due, true));
                }
            }
            Deed::Expire => {
                self.set(top, |state| state.stopping = Some(Status::Expired));
                for at in self.active_steps(top) {
                    self.set(at, |state| {
                        state.failure = Some("expired at a user's request".to_owned());
                        state.halts = true;
                    });
                    self.become_at(at, Status::Expired, now);
                }
            }
            Deed::Mark(mark) => {
                for at in self.decided_steps(top) {
                    self.mark(at, *mark, now);
                }
            }
            Deed::RollBack => {
                for at in self.decided_steps(top) {
                    self.set(at, |state| state.trouble = Some(Trouble::Failure));
                    self.remedy(at, &Action::RollBack, now);
                }
            }
            Deed::Retry => {
                for at in self.decided_steps(top) {
                    if self.states.status(at) == Status::InterventionWaiting {
                        self.begin_work(at, now);
                    }
                }
            }
            Deed::Approve { user } => self.approve(top, user, now),
            Deed::Reject => {
                let is_asked = self.plan.node(top).and_then(|node| node.work.as_ref());
                let is_asked = is_asked.is_some_and(|work| matches!(work.wait, Wait::People(_)));
                if is_asked && self.states.status(top) == Status::ApprovalWaiting {
                    self.fail(top, Trouble::Rejection, "the approval was rejected".to_owned(), now);
                }
            }
        }
    }

    fn mark(&mut self, at: usize, mark: Mark, now: i64) {
        match mark {
            Mark::Success => {
                self.set(at, |state| (state.failure, state.trouble) = (None, None));
                self.become_at(at, Status::Success, now);
            }
            Mark::Ignored => self.become_at(at, Status::IgnoreFailed, now),
            Mark::Failed => {
                self.set(at, |state| {
                    let reason = || "marked as failed by a user".to_owned();
                    state.failure.get_or_insert_with(reason);
                    state.trouble.get_or_insert(Trouble::Failure);
                });
                self.remedy(at, &Action::Stop, now);
            }
        }
    }

    fn approve(&mut self, at: usize, user: &str, now: i64) {
        let Some(work) = self.plan.node(at).and_then(|node| node.work.as_ref()) else { return };
        let Wait::People(approval) = &work.wait else { return };
        if self.states.status(at) != Status::ApprovalWaiting {
            return;
        }
        self.set(at, |state| {
            if !state.agreed.iter().any(|who| who == user) {
                state.agreed.push(user.to_owned());
            }
        });
        if self.states.of(at).is_some_and(|state| state.agreed.len() >= approval.minimum) {
            self.become_at(at, Status::Running, now);
            self.set(at, |state| state.due = Some((now + DECIDED_MS, Next::Finish)));
        }
    }
}
