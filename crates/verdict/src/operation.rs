//! All attempts at one and the same write.

use checkrein_ledger::{Class, Outcome, Start};

use crate::attempt::Attempt;

/// A write tool with its arguments, and every attempt at it, in order.
#[derive(Debug)]
pub struct Operation<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The attempts.
    pub attempts: Vec<&'a Attempt>,
    /// How often it may be executed: once, unless the user said otherwise.
    pub allowed: u64,
}

impl<'a> Operation<'a> {
    /// Groups the writes among these attempts.
    pub(crate) fn group(
        attempts: impl IntoIterator<Item = &'a Attempt>,
        start: &Start,
    ) -> Vec<Self> {
        let mut groups: indexmap::IndexMap<(&str, &str), Vec<&Attempt>> = indexmap::IndexMap::new();
        for attempt in attempts {
            if attempt.class == Class::Write && attempt.continues.is_none() {
                groups.entry((&attempt.tool, &attempt.operation)).or_default().push(attempt);
            }
        }
        let allowed =
            |tool| start.expect.iter().find(|(it, _)| it == tool).map(|(_, times)| *times);
        groups
            .into_iter()
            .map(|((tool, _), attempts)| Self {
                tool,
                attempts,
                allowed: allowed(tool).unwrap_or(1).max(1),
            })
            .collect()
    }

    /// Whether it was executed more often than it may be.
    pub fn is_doubled(&self) -> bool {
        self.executions() > self.allowed
    }

    /// How many attempts the upstream carried out.
    pub fn executions(&self) -> u64 {
        self.attempts.iter().filter(|attempt| attempt.is_executed()).count() as u64
    }

    /// Whether a fault was injected on any attempt.
    pub fn is_faulted(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.fault.is_some())
    }

    /// Whether the upstream itself turned it down and never carried it out.
    pub fn is_turned_down(&self) -> bool {
        self.executions() == 0
            && self
                .attempts
                .iter()
                .any(|attempt| attempt.is_refused() || attempt.outcome == Some(Outcome::Rejected))
    }

    /// Whether it was sent again before the wait that an injected 429 asked for was over.
    pub fn violates_retry_after(&self) -> Option<(&'a Attempt, &'a Attempt)> {
        self.attempts.iter().enumerate().find_map(|(at, limited)| {
            let wait = limited.fault.as_ref()?.retry_after_us?;
            let told = limited.told_at()?;
            // One already under way when the 429 was sent could not know of it.
            let early =
                self.attempts.get(at + 1..)?.iter().find(|again| {
                    again.received > told && again.received.micros_since(told) < wait
                })?;
            Some((*limited, *early))
        })
    }
}
