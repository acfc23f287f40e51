//! Decides whether a failed request is tried again, and when.

use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use crate::error::{ApiError, Kind};

/// The pause after the first failure; each further one doubles it.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// No pause of our own choosing is longer.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The longest `Retry-After` that is waited out; an agent can decide about more.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// Whether the same request may do better a moment later.
pub(crate) fn may_pass(error: &ApiError) -> bool {
    match (error.kind, error.status) {
        (_, Some(429 | 500 | 502 | 503 | 504)) => error.kind != Kind::Cancelled,
        (Kind::TimedOut | Kind::Lost, Some(0..=299) | None) => true,
        _ => false,
    }
}

/// The pause before try `attempt + 1`: the first, doubled each time, and shortened by up to half, so that
/// clients that failed together do not come back together. `luck` is between 0 and 1.
pub(crate) fn pause(first: Duration, attempt: u32, luck: f64) -> Duration {
    let doubled = first.saturating_mul(2u32.saturating_pow(attempt.saturating_sub(1)));
    doubled.min(MAX_PAUSE).mul_f64(0.5 + luck.clamp(0.0, 1.0) / 2.0)
}

/// A number between 0 and 1 that differs each time.
pub(crate) fn luck() -> f64 {
    let random = RandomState::new().hash_one(SystemTime::now());
    f64::from(u32::try_from(random >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}

/// Reads `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date that is compared with the
/// reply's own `Date`, so that a wrong clock here does not matter.
pub(crate) fn retry_after(value: &str, date: Option<&str>, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let now = date.and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(now);
    Some(until.duration_since(now).unwrap_or_default())
}

/// Retries must stay a small share of all requests, or they keep a struggling platform down.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    tenths: Mutex<u32>,
}

impl RetryBudget {
    /// What may be saved up, in tenths of a retry.
    const CAPACITY: u32 = 200;
    /// What each first attempt earns.
    const EARNED: u32 = 2;
    /// What a retry costs.
    const COST: u32 = 10;

    /// A full budget.
    pub(crate) fn full() -> Self {
        Self { tenths: Mutex::new(Self::CAPACITY) }
    }

    /// Counts a first attempt.
    pub(crate) fn earn(&self) {
        let mut tenths = self.tenths.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *tenths = (*tenths + Self::EARNED).min(Self::CAPACITY);
    }

    /// Takes a retry, when there is one left.
    pub(crate) fn spend(&self) -> bool {
        let mut tenths = self.tenths.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match tenths.checked_sub(Self::COST) {
            Some(rest) => {
                *tenths = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests;
