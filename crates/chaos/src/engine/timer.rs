//! What is to happen later. The loop keeps the time, the engine knows what for.

use std::collections::HashMap;
use std::time::Duration;

use super::{Action, Engine};
use crate::pending::{Connection, WaitingCall};

/// What a wait is for.
#[derive(Debug)]
pub(super) enum Timer {
    /// The upstream should have said which tools it has.
    Listing(u64),
    /// A late commit lands.
    Commit(Box<Delayed>),
    /// An answer has waited for a cancel long enough.
    Crossing(Connection, String),
    /// Reads are stale no longer.
    Stale,
    /// The missing tool is back.
    Hidden,
    /// A read of ours, a second delivery or a session should have been answered.
    Overdue(Connection, String),
    /// A look at a task whose handle was lost.
    Task {
        /// Where.
        connection: Connection,
        /// The call that it is for.
        attempt: u64,
        /// Its name.
        task: String,
    },
}

/// A call that the upstream gets later.
#[derive(Debug)]
pub(super) struct Delayed {
    pub(super) connection: Connection,
    /// Our own id: the agent may use its own for another call by then.
    pub(super) id: String,
    pub(super) frame: Vec<u8>,
    pub(super) call: WaitingCall,
}

/// Every wait.
#[derive(Debug, Default)]
pub(super) struct Timers {
    last: u64,
    running: HashMap<u64, Timer>,
}

impl Timers {
    fn start(&mut self, timer: Timer) -> u64 {
        self.last += 1;
        self.running.insert(self.last, timer);
        self.last
    }

    pub(super) fn take(&mut self, token: u64) -> Option<Timer> {
        self.running.remove(&token)
    }

    /// Takes out every call that was to be sent later.
    pub(super) fn take_commits(&mut self) -> Vec<Delayed> {
        let is_commit = |_: &u64, timer: &mut Timer| matches!(timer, Timer::Commit(_));
        let mut commits: Vec<_> = self.running.extract_if(is_commit).collect();
        commits.sort_by_key(|(token, _)| *token);
        let delayed = commits.into_iter().filter_map(|(_, timer)| match timer {
            Timer::Commit(delayed) => Some(*delayed),
            _ => None,
        });
        delayed.collect()
    }
}

impl Engine {
    pub(super) fn wait(&mut self, after: Duration, timer: Timer) {
        let token = self.timers.start(timer);
        self.act(Action::Wait { token, after });
    }

    /// The time asked for by [`Action::Wait`] has passed.
    pub fn timer(&mut self, token: u64) -> Vec<Action> {
        match self.timers.take(token) {
            None => {}
            Some(Timer::Listing(look)) => self.listing_is_due(look),
            Some(Timer::Commit(delayed)) => self.commit(*delayed),
            Some(Timer::Crossing(connection, id)) => self.nobody_cancelled(connection, &id),
            Some(Timer::Stale) => self.look_ups.close(),
            Some(Timer::Hidden) => self.bring_back(),
            Some(Timer::Overdue(connection, id)) => self.overdue(connection, &id),
            Some(Timer::Task { connection, attempt, task }) => {
                self.look_at_task(connection, attempt, task);
            }
        }
        self.done()
    }
}
