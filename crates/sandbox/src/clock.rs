//! Virtual time: what the platform believes the time is.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time of a sandbox; it starts at a moment, runs at a speed and can be pushed forward.
#[derive(Debug)]
pub struct Clock {
    start_ms: i64,
    started: Instant,
    speed: f64,
    pushed_ms: AtomicI64,
}

impl Clock {
    /// A clock that starts now and runs `speed` times as fast as the real one.
    pub fn running(speed: f64) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(millis(now), speed)
    }

    /// A clock that stands at `start_ms` until it is pushed.
    pub fn fixed(start_ms: i64) -> Self {
        Self::starting_at(start_ms, 0.0)
    }

    /// A clock that starts at `start_ms` and runs at `speed`.
    pub fn starting_at(start_ms: i64, speed: f64) -> Self {
        Self { start_ms, started: Instant::now(), speed, pushed_ms: AtomicI64::new(0) }
    }

    /// Epoch milliseconds of the virtual clock.
    pub fn now_ms(&self) -> i64 {
        let passed = self.started.elapsed().as_secs_f64() * self.speed * 1000.0;
        #[expect(clippy::cast_possible_truncation, reason = "a float cast saturates")]
        let passed = passed as i64;
        self.start_ms.saturating_add(passed).saturating_add(self.pushed_ms.load(Ordering::Relaxed))
    }

    /// Pushes the clock forward.
    pub fn advance(&self, by: Duration) {
        self.pushed_ms.fetch_add(millis(by), Ordering::Relaxed);
    }

    /// Sets the clock to a moment; only while a world is planted, as time never goes back later.
    pub(crate) fn travel_to(&self, to_ms: i64) {
        self.pushed_ms.fetch_add(to_ms.saturating_sub(self.now_ms()), Ordering::Relaxed);
    }

    /// How many virtual seconds pass in a real one.
    pub fn speed(&self) -> f64 {
        self.speed
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 4)
}

/// `2026-11-30T10:00:00.123Z` of epoch milliseconds.
pub fn rfc3339(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map(|at| format!("{at:.3}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Clock, rfc3339};

    #[test]
    fn a_fixed_clock_moves_only_when_pushed() {
        let clock = Clock::fixed(1_000);
        assert_eq!(clock.now_ms(), 1_000);
        clock.advance(Duration::from_secs(2));
        assert_eq!(clock.now_ms(), 3_000);
    }

    #[test]
    fn a_moment_is_written_with_milliseconds() {
        assert_eq!(rfc3339(1_796_032_800_123), "2026-11-30T10:00:00.123Z");
    }
}
