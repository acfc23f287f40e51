//! Spreads requests over time, so that one agent does not use up a credential's allowance.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

/// The longest a request waits for its turn; past it, the queue is the problem.
pub(crate) const MAX_TURN_WAIT: Duration = Duration::from_secs(30);

/// Grants turns at a steady rate, with one second's worth at once (a generic cell rate algorithm:
/// the only state is the time at which the bucket would be full again).
#[derive(Debug)]
pub(crate) struct RateLimit {
    interval: Duration,
    burst: Duration,
    full_at: Mutex<Option<Instant>>,
}

impl RateLimit {
    /// A limit of so many turns each second; zero grants every turn at once.
    pub(crate) fn per_second(rate: u32) -> Self {
        let interval = Duration::from_secs(1).checked_div(rate).unwrap_or_default();
        Self { interval, burst: interval * rate, full_at: Mutex::new(None) }
    }

    /// Takes the next turn and tells how long to wait for it; `None` when that would be too long,
    /// and then no turn is taken.
    pub(crate) fn take(&self, now: Instant) -> Option<Duration> {
        let mut full_at = self.full_at.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let next = full_at.map_or(now, |at| at.max(now)) + self.interval;
        let wait = (next - now).saturating_sub(self.burst);
        if wait > MAX_TURN_WAIT {
            return None;
        }
        *full_at = Some(next);
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_goes_at_once_and_the_rest_is_spread() {
        let limit = RateLimit::per_second(4);
        let now = Instant::now();
        let waits: Vec<_> = (0..7).map(|_| limit.take(now).unwrap().as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 250, 500, 750]);
        assert_eq!(limit.take(now + Duration::from_secs(10)), Some(Duration::ZERO));
    }

    #[test]
    fn zero_means_no_limit() {
        let limit = RateLimit::per_second(0);
        let now = Instant::now();
        assert!((0..1000).all(|_| limit.take(now) == Some(Duration::ZERO)));
    }

    #[test]
    fn an_endless_queue_is_refused_and_takes_no_turn() {
        let limit = RateLimit::per_second(1);
        let now = Instant::now();
        let granted = std::iter::from_fn(|| limit.take(now)).count();
        assert_eq!(granted, 31);
        assert_eq!(limit.take(now + Duration::from_secs(1)), Some(MAX_TURN_WAIT));
    }
}
