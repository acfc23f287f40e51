//! Telling the caller how far a call has come.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

/// Clients show progress to people; more than a few a second only costs.
const SHORTEST_PAUSE: Duration = Duration::from_millis(400);
/// Updates not sent yet; a slow client loses some, never the call.
const MOST_WAITING: usize = 4;

/// One progress report.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// How far, in the tool's own unit; grows with every report.
    pub done: f64,
    /// How far it will go, when that is known.
    pub total: Option<f64>,
    /// What is going on, for a person.
    pub message: String,
}

/// Reports progress of one call.
pub struct Progress {
    updates: mpsc::Sender<Update>,
    last: Mutex<Option<(f64, Instant)>>,
}

impl Progress {
    /// A reporter, and where its reports arrive.
    pub fn channel() -> (Self, mpsc::Receiver<Update>) {
        let (updates, reports) = mpsc::channel(MOST_WAITING);
        (Self { updates, last: Mutex::new(None) }, reports)
    }

    /// Reports how far the call has come.
    ///
    /// The protocol wants values that grow and few of them, so a report that is not further than
    /// the last one, or comes too soon after it, is dropped: report something that always grows,
    /// such as seconds waited.
    pub fn report(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some((before, at)) = *last
            && (done <= before || now.duration_since(at) < SHORTEST_PAUSE)
        {
            return;
        }
        let update = Update { done, total, message: message.into() };
        if done.is_finite() && self.updates.try_send(update).is_ok() {
            *last = Some((done, now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn reports_grow_and_come_at_most_a_few_times_a_second() {
        let (progress, mut reports) = Progress::channel();
        progress.report(1.0, None, "one");
        progress.report(2.0, None, "too soon");
        tokio::time::advance(SHORTEST_PAUSE).await;
        progress.report(1.0, None, "not further");
        progress.report(3.0, Some(9.0), "three");
        drop(progress);
        let mut seen = Vec::new();
        while let Some(update) = reports.recv().await {
            seen.push((update.done, update.message));
        }
        assert_eq!(seen, [(1.0, "one".to_owned()), (3.0, "three".to_owned())]);
    }
}
