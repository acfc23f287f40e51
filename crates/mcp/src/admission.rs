//! How many calls run at once, and how many may wait for their turn.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Every running call may hold a connection and a reply of some megabytes.
pub(crate) const MOST_RUNNING: usize = 32;
/// A waiting call holds only its arguments, but a client that never stops must be told.
pub(crate) const MOST_WAITING: usize = 256;

/// Lets a bounded number of calls run.
pub(crate) struct Admission {
    turns: Semaphore,
    waiting: AtomicUsize,
}

impl Admission {
    pub(crate) fn new() -> Self {
        Self { turns: Semaphore::new(MOST_RUNNING), waiting: AtomicUsize::new(0) }
    }

    /// Waits for a turn; `None` when too many wait already.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        if let Ok(turn) = self.turns.try_acquire() {
            return Some(turn);
        }
        let _place = Place::take(&self.waiting)?;
        self.turns.acquire().await.ok()
    }
}

/// A place in the queue, given back when dropped.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Option<Self> {
        let before = waiting.fetch_add(1, Ordering::Relaxed);
        let place = Self(waiting);
        (before < MOST_WAITING).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_never_stops_is_told() {
        let admission = Admission::new();
        let mut running = Vec::new();
        for _ in 0..MOST_RUNNING {
            running.push(admission.turn().await.expect("a turn"));
        }
        let places: Vec<_> =
            (0..MOST_WAITING).map(|_| Place::take(&admission.waiting).expect("a place")).collect();
        assert!(admission.turn().await.is_none());
        drop(places);
        drop(running);
        assert!(admission.turn().await.is_some());
    }
}
