//! Calls that wait for the upstream's answer, by connection and id, in order of arrival.

use std::collections::{HashMap, VecDeque};

use checkrein_ledger::Class;

use crate::call::List;
use crate::request_id::by_value;

/// A connection, numbered by the process.
pub type Connection = u64;

/// Which of the agent's requests a frame came in or answers, where the transport tells them apart:
/// over HTTP each has a reply of its own, whatever its id.
pub type Lane = u64;

/// A request that was passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// A tool call.
    Call(WaitingCall),
    /// The agent's own look at the tools.
    List {
        /// It asked for the first page.
        is_first_page: bool,
    },
    /// The agent's own look at a task.
    Task {
        /// The call that the task is for.
        attempt: u64,
        /// It asked for the call's answer rather than for the task's state.
        is_result: bool,
    },
    /// Anything else, whose answer is passed on as it comes.
    Other,
}

/// A tool call that was passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WaitingCall {
    pub(crate) attempt: u64,
    pub(crate) class: Class,
    pub(crate) tool: String,
    pub(crate) operation: String,
    pub(crate) is_modern: bool,
    pub(crate) is_cancelled: bool,
    pub(crate) is_in_batch: bool,
    /// The rules that it may be struck by, as bits.
    pub(crate) rules: u32,
    /// The rule that has shortened its list.
    pub(crate) split_by: Option<usize>,
    /// The lists that it had then.
    pub(crate) part: Vec<List>,
    /// The frame itself, when it may have to be sent again.
    pub(crate) frame: Option<Vec<u8>>,
}

#[derive(Debug)]
struct Entry {
    id: String,
    lane: Option<Lane>,
    waiting: Waiting,
}

/// Everything that waits.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    // Clients are seen to use one id for two calls in flight; answers then match in order. Each
    // keeps its id as the agent wrote it, because an answer of ours must carry that.
    waiting: HashMap<(Connection, String), VecDeque<Entry>>,
}

impl Pending {
    pub(crate) fn push(
        &mut self,
        connection: Connection,
        id: &str,
        lane: Option<Lane>,
        waiting: Waiting,
    ) {
        let queue = self.waiting.entry((connection, by_value(id).into_owned())).or_default();
        queue.push_back(Entry { id: id.to_owned(), lane, waiting });
    }

    /// Takes out the request that is answered: the one of this lane, or one that has none. Where no
    /// lane is known, as on a stream of the session's own, it is the one that came first.
    pub(crate) fn pop(
        &mut self,
        connection: Connection,
        id: &str,
        lane: Option<Lane>,
    ) -> Option<Waiting> {
        let key = (connection, by_value(id).into_owned());
        let queue = self.waiting.get_mut(&key)?;
        let at = match lane {
            None => Some(0),
            Some(_) => {
                let own = queue.iter().position(|entry| entry.lane == lane);
                own.or_else(|| queue.iter().position(|entry| entry.lane.is_none()))
            }
        };
        let answered = queue.remove(at?);
        if queue.is_empty() {
            self.waiting.remove(&key);
        }
        answered.map(|entry| entry.waiting)
    }

    /// Marks the call of this lane, or else the latest of this id, as cancelled, and gives its
    /// attempt.
    pub(crate) fn cancel(
        &mut self,
        connection: Connection,
        id: &str,
        lane: Option<Lane>,
    ) -> Option<u64> {
        let queue = self.waiting.get_mut(&(connection, by_value(id).into_owned()))?;
        let is_own = lane.is_some() && queue.iter().any(|entry| entry.lane == lane);
        let of_this = |entry: &&mut Entry| !is_own || entry.lane == lane;
        queue.iter_mut().rev().filter(of_this).find_map(|entry| match &mut entry.waiting {
            Waiting::Call(call) if !call.is_cancelled => {
                call.is_cancelled = true;
                Some(call.attempt)
            }
            _ => None,
        })
    }

    /// Whether an earlier call that this rule is about still waits: it may have been carried out
    /// first.
    pub(crate) fn has_earlier(&self, attempt: u64, rule: usize) -> bool {
        self.waiting.values().flatten().any(|entry| match &entry.waiting {
            Waiting::Call(call) => {
                call.rules & (1 << rule) != 0 && !call.is_cancelled && call.attempt < attempt
            }
            _ => false,
        })
    }

    /// Whether a write is underway that may have been carried out by now.
    pub(crate) fn has_write(&self) -> bool {
        self.waiting.values().flatten().any(
            |entry| matches!(&entry.waiting, Waiting::Call(call) if call.class == Class::Write),
        )
    }

    /// Takes out every request with its id, and the call that it is if it is one.
    pub(crate) fn drain(&mut self) -> Vec<(Connection, String, Option<WaitingCall>)> {
        let mut requests: Vec<_> = self
            .waiting
            .drain()
            .flat_map(|((connection, _), queue)| {
                queue.into_iter().map(move |entry| match entry.waiting {
                    Waiting::Call(call) => (connection, entry.id, Some(call)),
                    _ => (connection, entry.id, None),
                })
            })
            .collect();
        requests.sort_by_key(|(_, _, call)| call.as_ref().map(|call| call.attempt));
        requests
    }
}
