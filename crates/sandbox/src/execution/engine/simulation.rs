//! What a plan has come to by a moment: pure, from its start, what people did, and the time.

use serde::{Deserialize, Serialize};

use super::duration::LONGEST_MS;
use super::plan::{Action, Plan, Role, RunsAfter, Trouble, Wait};
use super::status::{Status, of_active, of_ended};

/// How long a pipeline stays queued.
pub(crate) const QUEUED_MS: i64 = 400;

/// How long stopping takes.
pub(crate) const STOPPING_MS: i64 = 800;

/// How long a step takes to go on after a person decided.
const DECIDED_MS: i64 = 300;

/// A guard against a plan that would never come to rest; real ones need a few changes per node.
const MOST_CHANGES: usize = 100_000;

/// Something people did to a running plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Event {
    /// When, in epoch milliseconds.
    pub(crate) at_ms: i64,
    /// The node it was done to; 0 is the whole plan.
    pub(crate) node: usize,
    /// What was done.
    pub(crate) deed: Deed,
}

/// What people can do to a running plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Deed {
    /// Stop everything below the node.
    Abort,
    /// Let everything below the node expire.
    Expire,
    /// Start nothing more below the node.
    Pause,
    /// Go on after a pause.
    Resume,
    /// End the active steps with this status.
    Mark(Mark),
    /// Run the waiting steps again.
    Retry,
    /// Fail the active steps and undo their stage.
    RollBack,
    /// Somebody agreed.
    Approve {
        /// Who, so that nobody counts twice.
        user: String,
    },
    /// Somebody said no.
    Reject,
}

/// How people may end a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mark {
    /// As if it had worked.
    Success,
    /// As failed and ignored.
    Ignored,
    /// As failed.
    Failed,
}

/// What one node has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeState {
    /// Its status.
    pub(crate) status: Status,
    /// When it began.
    pub(crate) start_ms: Option<i64>,
    /// When it ended; none while it runs.
    pub(crate) end_ms: Option<i64>,
    /// Why it failed.
    pub(crate) failure: Option<String>,
    /// What kind of trouble that was.
    pub(crate) trouble: Option<Trouble>,
    /// How often the work was begun.
    pub(crate) attempts: u32,
    /// When the running attempt was begun.
    pub(crate) attempt_ms: i64,
    /// When what it waits for is given up.
    pub(crate) deadline_ms: Option<i64>,
    /// Who agreed so far.
    pub(crate) agreed: Vec<String>,
    /// Nothing that comes after may start, whatever its `when` says.
    halts: bool,
    /// Undo the stage.
    rolls_back: bool,
    paused: bool,
    stopping: Option<Status>,
    due: Option<(i64, Next)>,
}

/// What happens to a step when its time has come.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Next {
    LeaveQueue,
    Finish,
    GiveUp,
    End(Status),
    Apply(Action),
}

/// One change of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// When.
    pub(crate) at_ms: i64,
    /// Which node.
    pub(crate) node: usize,
    /// What it was.
    pub(crate) from: Status,
    /// What it became.
    pub(crate) to: Status,
}

/// What every node of a plan has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct States {
    /// One state per node of the plan.
    pub(crate) nodes: Vec<NodeState>,
    /// Every change, in order.
    pub(crate) changes: Vec<Change>,
}

impl States {
    /// The state of a node.
    pub(crate) fn of(&self, at: usize) -> Option<&NodeState> {
        self.nodes.get(at)
    }

    /// The status of a node.
    pub(crate) fn status(&self, at: usize) -> Status {
        self.of(at).map_or(Status::NotStarted, |state| state.status)
    }

    /// The first step at or below `top` that failed, with what it said.
    pub(crate) fn failure<'a>(&'a self, plan: &Plan, top: usize) -> Option<(usize, &'a str)> {
        plan.below(top).into_iter().find_map(|at| {
            let state = self.of(at)?;
            let ended_badly = state.status.stops() || state.status == Status::InterventionWaiting;
            ended_badly.then_some((at, state.failure.as_deref()?))
        })
    }
}

/// What a plan that began at `start_ms` has come to at `now_ms`; `failed_before` counts earlier
/// runs of the same thing, for faults that go away.
pub(crate) fn state_at(
    plan: &Plan,
    start_ms: i64,
    events: &[Event],
    failed_before: u32,
    now_ms: i64,
) -> States {
    let mut run = Run::new(plan, start_ms, failed_before);
    let mut events: Vec<&Event> = events.iter().collect();
    events.sort_by_key(|event| event.at_ms);
    let mut events = events.into_iter().peekable();
    for _ in 0..MOST_CHANGES {
        let due = run.next_due();
        let event = events.peek().map(|event| event.at_ms.max(start_ms));
        let Some(at) = [due, event].into_iter().flatten().min().filter(|at| *at <= now_ms) else {
            break;
        };
        run.settle_due(at);
        while let Some(event) = events.next_if(|event| event.at_ms <= at) {
            run.advance(0, at);
            run.apply(event, at);
        }
        run.advance(0, at);
    }
    run.states
}

struct Run<'a> {
    plan: &'a Plan,
    failed_before: u32,
    states: States,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, start_ms: i64, failed_before: u32) -> Self {
        let fresh = NodeState {
            status: Status::NotStarted,
            start_ms: None,
            end_ms: None,
            failure: None,
            trouble: None,
            attempts: 0,
            attempt_ms: start_ms,
            deadline_ms: None,
            agreed: Vec::new(),
            halts: false,
            rolls_back: false,
            paused: false,
            stopping: None,
            due: None,
        };
        let states = States { nodes: vec![fresh; plan.nodes.len()], changes: Vec::new() };
        let mut run = Self { plan, failed_before, states };
        run.become_at(0, Status::Queued, start_ms);
        run.set(0, |root| root.due = Some((start_ms + QUEUED_MS, Next::LeaveQueue)));
        run
    }

    fn next_due(&self) -> Option<i64> {
        self.states.nodes.iter().filter_map(|state| Some(state.due.as_ref()?.0)).min()
    }

    fn set(&mut self, at: usize, change: impl FnOnce(&mut NodeState)) {
        if let Some(state) = self.states.nodes.get_mut(at) {
            change(state);
        }
    }

    /// Changes a status along the table, over `Running` where the table has no direct way.
    fn become_at(&mut self, at: usize, to: Status, now: i64) {
        let from = self.states.status(at);
        if from == to {
            return;
        }
        if !from.may_become(to) {
            if !(from.may_become(Status::Running) && Status::Running.may_become(to)) {
                return;
            }
            self.record(at, from, Status::Running, now);
            self.record(at, Status::Running, to, now);
        } else {
            self.record(at, from, to, now);
        }
        self.set(at, |state| {
            state.status = to;
            state.start_ms = state.start_ms.or(Some(now));
            if to.is_final() {
                state.end_ms = Some(now);
                state.due = None;
            }
        });
    }

    fn record(&mut self, node: usize, from: Status, to: Status, at_ms: i64) {
        self.states.changes.push(Change { at_ms, node, from, to });
    }

    fn settle_due(&mut self, now: i64) {
        for at in 0..self.plan.nodes.len() {
            let due = self.states.of(at).and_then(|state| state.due.clone());
            let Some((_, next)) = due.filter(|(when, _)| *when <= now) else { continue };
            self.set(at, |state| state.due = None);
            match next {
                Next::LeaveQueue if self.states.status(at) == Status::Queued => {
                    self.become_at(at, Status::Running, now);
                }
                Next::LeaveQueue => {}
                Next::Finish => self.finish(at, now),
                Next::GiveUp => self.fail(at, Trouble::Timeout, gave_up(self.plan, at), now),
                Next::End(status) => self.become_at(at, status, now),
                Next::Apply(action) => self.remedy(at, &action, now),
            }
        }
    }

    /// Begins a step.
    fn begin_work(&mut self, at: usize, now: i64) {
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
    fn finish(&mut self, at: usize, now: i64) {
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

    fn fail(&mut self, at: usize, trouble: Trouble, message: String, now: i64) {
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

    fn remedy(&mut self, at: usize, action: &Action, now: i64) {
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

    fn apply(&mut self, event: &Event, now: i64) {
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
    fn advance(&mut self, at: usize, now: i64) {
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

enum Gate {
    Open,
    Skip,
    Leave,
}

fn gave_up(plan: &Plan, at: usize) -> String {
    let Some(node) = plan.node(at) else { return String::new() };
    let timeout = node.work.as_ref().and_then(|work| work.timeout_ms).unwrap_or_default() / 1000;
    match node.work.as_ref().map(|work| &work.wait) {
        Some(Wait::People(_)) => {
            format!("nobody decided on `{}` within {timeout}s", node.identifier)
        }
        _ => format!("step `{}` timed out after {timeout}s", node.identifier),
    }
}

#[cfg(test)]
mod tests;
