//! What begins and what ends when something below it has.

use super::{NodeState, Run};
use crate::execution::engine::plan::{Role, RunsAfter};
use crate::execution::engine::status::{Status, of_active, of_ended};

impl Run<'_> {
    /// True when `at` or something above it says so.
    fn any_above(&self, at: usize, says: impl Fn(&NodeState) -> bool) -> bool {
        let mut here = Some(at);
        while let Some(index) = here {
            if self.states.of(index).is_some_and(&says) {
                return true;
            }
            here = self.plan.node(index).and_then(|node| node.parent);
        }
        false
    }

    /// Starts what may start below `at` and ends what has ended.
    pub(super) fn advance(&mut self, at: usize, now: i64) {
        let plan = self.plan;
        let Some(node) = plan.node(at) else { return };
        let status = self.states.status(at);
        if node.work.is_some() || !status.is_active() {
            return;
        }
        let is_stopping = self.any_above(at, |state| state.stopping.is_some());
        let is_paused = self.any_above(at, |state| state.paused);
        let is_queued =
            status == Status::Queued && self.states.of(at).is_some_and(|s| s.due.is_some());
        if !is_stopping && is_queued {
            if is_paused {
                self.become_at(at, Status::Paused, now);
            }
            return;
        }
        let mut waits = false;
        let (mut broke, mut halted) = (false, false);
        for &child in &node.children {
            if self.states.status(child) == Status::NotStarted && !is_stopping {
                match self.gate(child, broke, halted) {
                    Gate::Leave => continue,
                    Gate::Open if is_paused => waits = true,
                    Gate::Open => self.begin(child, now),
                    Gate::Skip => self.become_at(child, Status::Skipped, now),
                }
            }
            self.advance(child, now);
            let child_status = self.states.status(child);
            waits |= child_status.is_active();
            if node.role == Role::Fork {
                continue;
            }
            if waits {
                break;
            }
            broke |= child_status.stops();
            halted |= child_status.stops() && self.states.of(child).is_some_and(|s| s.halts);
        }
        let children = node.children.iter().map(|child| self.states.status(*child));
        if waits {
            let of_children = of_active(children.clone());
            let shown = match of_children {
                _ if is_stopping => Status::Discontinuing,
                _ if !children.clone().any(Status::is_active) => Status::Paused,
                Status::Running if is_paused => Status::Pausing,
                other => other,
            };
            self.become_at(at, shown, now);
            return;
        }
        let mut ended = of_ended(children.clone());
        if is_stopping && ended.is_positive() {
            ended = self.stopping_status(at);
        }
        let halts =
            node.children.iter().any(|child| self.states.of(*child).is_some_and(|s| s.halts));
        let rolls =
            node.children.iter().any(|child| self.states.of(*child).is_some_and(|s| s.rolls_back));
        self.set(at, |state| (state.halts, state.rolls_back) = (halts, rolls));
        self.become_at(at, ended, now);
    }

    fn stopping_status(&self, at: usize) -> Status {
        let mut here = Some(at);
        while let Some(index) = here {
            if let Some(status) = self.states.of(index).and_then(|state| state.stopping) {
                return status;
            }
            here = self.plan.node(index).and_then(|node| node.parent);
        }
        Status::Aborted
    }

    fn begin(&mut self, at: usize, now: i64) {
        let plan = self.plan;
        let Some(node) = plan.node(at) else { return };
        if node.work.is_some() {
            return self.begin_work(at, now);
        }
        self.become_at(at, Status::Running, now);
        if let Some(window) = &node.frozen_by {
            let reason = format!("the stage is frozen by the deployment freeze `{window}`");
            self.set(at, |state| (state.failure, state.halts) = (Some(reason), true));
            self.become_at(at, Status::AbortedByFreeze, now);
        }
    }

    fn gate(&self, at: usize, broke: bool, halted: bool) -> Gate {
        let Some(node) = self.plan.node(at) else { return Gate::Leave };
        if node.role == Role::Rollback {
            let stage = node.parent.unwrap_or_default();
            let siblings = self.plan.node(stage).map(|stage| stage.children.clone());
            let asked = siblings.unwrap_or_default().iter().any(|sibling| {
                let state = self.states.of(*sibling);
                state.is_some_and(|s| s.rolls_back && s.status.is_broken())
            });
            return if asked { Gate::Open } else { Gate::Leave };
        }
        let runs = match node.runs_after {
            RunsAfter::Success => !broke,
            RunsAfter::Failure => broke,
            RunsAfter::All => true,
        };
        match runs {
            true if node.unmet.is_some() => Gate::Skip,
            true => Gate::Open,
            // After a failure that stops the run, what would have followed simply never begins.
            false if halted && node.runs_after == RunsAfter::Success => Gate::Leave,
            false => Gate::Skip,
        }
    }
}

/// Whether a node may begin.
enum Gate {
    Open,
    Skip,
    Leave,
}
