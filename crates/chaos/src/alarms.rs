//! The waits that the engine asked for, by when they are over.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

/// Tokens, the one that is due first on top.
#[derive(Debug, Default)]
pub(crate) struct Alarms(BinaryHeap<Reverse<(Instant, u64)>>);

impl Alarms {
    pub(crate) fn set(&mut self, token: u64, after: Duration) {
        // A wait too long for the clock is one that never ends.
        if let Some(at) = Instant::now().checked_add(after) {
            self.0.push(Reverse((at, token)));
        }
    }

    /// How long it is to the next one.
    pub(crate) fn next_in(&self) -> Option<Duration> {
        let Reverse((at, _)) = self.0.peek()?;
        Some(at.saturating_duration_since(Instant::now()))
    }

    /// One that is due.
    pub(crate) fn take_due(&mut self) -> Option<u64> {
        let Reverse((at, _)) = self.0.peek()?;
        if *at > Instant::now() {
            return None;
        }
        self.0.pop().map(|Reverse((_, token))| token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_is_due_first_rings_first() {
        let mut alarms = Alarms::default();
        alarms.set(1, Duration::from_secs(60));
        alarms.set(2, Duration::ZERO);
        assert_eq!(alarms.next_in(), Some(Duration::ZERO));
        assert_eq!(alarms.take_due(), Some(2));
        assert_eq!(alarms.take_due(), None);
        assert!(alarms.next_in().is_some_and(|left| left > Duration::from_secs(50)));
    }
}
