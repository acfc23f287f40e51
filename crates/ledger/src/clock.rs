//! Time that several processes of one machine agree on.

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// A moment on the machine's monotonic clock, in microseconds.
///
/// `std::time::Instant` cannot leave its process, and the wall clock can be set back; a
/// `retry_after` must hold across both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Instant(pub u64);

impl Instant {
    /// Now.
    pub fn now() -> Self {
        let time = clock_gettime(ClockId::Monotonic);
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or(0);
        Self(seconds.saturating_mul(1_000_000).saturating_add(nanoseconds / 1_000))
    }

    /// Microseconds since `earlier`, or zero when that is not earlier.
    pub fn micros_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
