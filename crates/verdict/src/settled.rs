//! What is over and can change a judgement no more, except by its number.
//!
//! A report is written before each answer, so a judgement must not cost more the longer a run goes
//! on. A call that was executed once, without a fault, and that the agent was told of, is counted
//! and not looked at again, until something else happens to it or the same write comes again.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use checkrein_ledger::{Class, Told};

use crate::attempt::Attempt;

/// What is settled, in numbers.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// All calls.
    pub(crate) calls: u64,
    /// Write operations, each sent once and executed once.
    pub(crate) operations: u64,
    /// Executions by tool.
    pub(crate) executed: HashMap<String, u64>,
}

/// Which attempts are settled and which are not.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    open: BTreeSet<usize>,
    settled: Settled,
    writes: HashMap<u64, Same>,
    is_faulted: bool,
}

/// Writes that are the same but for their spelling.
#[derive(Debug)]
struct Same {
    first: usize,
    count: u64,
}

impl Desk {
    /// What is settled.
    pub(crate) fn settled(&self) -> &Settled {
        &self.settled
    }

    /// The places of the attempts that are not, in order.
    pub(crate) fn open(&self) -> impl Iterator<Item = usize> {
        self.open.iter().copied()
    }

    /// Something was injected; `true` the first time, when every attempt must be looked at again.
    pub(crate) fn note_fault(&mut self) -> bool {
        !std::mem::replace(&mut self.is_faulted, true)
    }

    /// A new attempt, at this place. Gives the place of another one that must be looked at again.
    pub(crate) fn received(&mut self, place: usize, attempt: &Attempt) -> Option<usize> {
        self.open.insert(place);
        if !is_own_write(attempt) {
            return None;
        }
        let same = self.writes.entry(likeness(attempt)).or_insert(Same { first: place, count: 0 });
        same.count += 1;
        (same.count == 2).then_some(same.first)
    }

    /// Something happened to an attempt.
    pub(crate) fn look_again(&mut self, place: usize, attempt: &Attempt) {
        let is_over = self.is_over(attempt);
        if is_over && self.open.remove(&place) {
            self.count(attempt, true);
        } else if !is_over && self.open.insert(place) {
            self.count(attempt, false);
        }
    }

    fn is_over(&self, attempt: &Attempt) -> bool {
        let is_plain = attempt.fault.is_none()
            && attempt.redelivered == 0
            && attempt.repeats_part.is_none()
            && matches!(attempt.told, Some((Told::Upstream, _)));
        is_plain
            && match attempt.class {
                Class::Write => {
                    let is_only =
                        || self.writes.get(&likeness(attempt)).is_some_and(|same| same.count == 1);
                    attempt.is_executed() && attempt.continues.is_none() && is_only()
                }
                // A read counts as a look after a fault, but none that came before it.
                Class::Read => attempt.outcome.is_some() && !self.is_faulted,
                Class::Unclassified | Class::NotOffered => attempt.outcome.is_some(),
            }
    }

    fn count(&mut self, attempt: &Attempt, is_in: bool) {
        let step = |number: &mut u64| {
            *number = if is_in { *number + 1 } else { number.saturating_sub(1) };
        };
        step(&mut self.settled.calls);
        if is_own_write(attempt) {
            step(&mut self.settled.operations);
            if !self.settled.executed.contains_key(&attempt.tool) {
                self.settled.executed.insert(attempt.tool.clone(), 0);
            }
            self.settled.executed.get_mut(&attempt.tool).into_iter().for_each(step);
        }
    }
}

fn is_own_write(attempt: &Attempt) -> bool {
    attempt.class == Class::Write && attempt.continues.is_none()
}

/// Equal for equal writes; two others that share it are only looked at longer than they need be.
fn likeness(attempt: &Attempt) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&attempt.tool, &attempt.loose).hash(&mut hasher);
    hasher.finish()
}
