//! What a plan has come to by a moment: pure, from its start, what people did, and the time.

mod deeds;
mod flow;
mod work;

use serde::{Deserialize, Serialize};

use super::plan::{Action, Plan, Trouble};
use super::status::Status;

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
                Next::GiveUp => self.fail(at, Trouble::Timeout, work::gave_up(self.plan, at), now),
                Next::End(status) => self.become_at(at, status, now),
                Next::Apply(action) => self.remedy(at, &action, now),
            }
        }
    }
}

#[cfg(test)]
mod tests;
