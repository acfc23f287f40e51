//! Tries a request until it has a reply or there is no sense in trying again.

use std::future::Future;
use std::time::Duration;

use checkrein_catalog::model::Retry;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::collect::{Sorted, is_success};
use super::failed::{self, End};
use super::{Inner, Outgoing};
use crate::deadlines::Deadlines;
use crate::error::{ApiError, Kind};
use crate::outcome::{self, Outcome};
use crate::rate::MAX_TURN_WAIT;
use crate::retry::{self, MAX_RETRY_AFTER};
use crate::transport::{Age, Head, Progress, Sink, Why};

/// How a request is to be treated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task {
    /// It changes something.
    pub(crate) write: bool,
    /// Whether it may be repeated.
    pub(crate) retry: Retry,
    /// The deadlines of one attempt.
    pub(crate) deadlines: Deadlines,
}

/// A reply with a success status.
#[derive(Debug)]
pub(crate) struct Done<S> {
    pub(crate) head: Head,
    pub(crate) sink: S,
    pub(crate) attempts: u32,
    /// How the attempts before the last one ended.
    pub(crate) earlier: Option<Outcome>,
}

impl Inner {
    /// Sends a request as often as its task allows; every attempt pours into a fresh sink.
    pub(crate) async fn attempts<S: Sink>(
        &self,
        outgoing: &Outgoing,
        task: Task,
        cancel: &CancellationToken,
        mut sink: impl FnMut() -> S,
    ) -> Result<Done<S>, ApiError> {
        self.budget.earn();
        let mut earlier = None;
        for attempt in 1.. {
            let mut error = match self.attempt(outgoing, task, cancel, sink()).await {
                Ok((head, sink)) => return Ok(Done { head, sink, attempts: attempt, earlier }),
                Err(error) => error,
            };
            error.attempts = attempt;
            earlier = error.outcome.map(|outcome| outcome.after(earlier));
            error.outcome = earlier;
            let Some(pause) = self.next_pause(&error, task, attempt) else { return Err(error) };
            tracing::debug!("Trying {outgoing} again in {pause:?}: {}", error.message);
            if or_cancelled(cancel, sleep(pause)).await.is_none() {
                return Err(ApiError {
                    kind: Kind::Cancelled,
                    message: format!("cancelled while waiting to try again: {}", error.message),
                    ..error
                });
            }
        }
        unreachable!("the loop above only ends by returning")
    }

    /// How long to wait before another attempt, if there is to be one.
    fn next_pause(&self, error: &ApiError, task: Task, attempt: u32) -> Option<Duration> {
        let allowed = task.retry == Retry::Safe && attempt <= self.max_retries;
        if !allowed || !retry::may_pass(error) {
            return None;
        }
        let asked = error.retry_after.unwrap_or_default();
        if asked > MAX_RETRY_AFTER || !self.budget.spend() {
            return None;
        }
        Some(retry::pause(self.first_pause, attempt, retry::luck()).max(asked))
    }

    async fn attempt<S: Sink>(
        &self,
        outgoing: &Outgoing,
        task: Task,
        cancel: &CancellationToken,
        sink: S,
    ) -> Result<(Head, S), ApiError> {
        let not_sent = |error: ApiError| ApiError {
            outcome: task.write.then_some(Outcome::NotApplied),
            ..error
        };
        let Some(wait) = self.rate.take(Instant::now()) else {
            let text = format!(
                "more than {} s of requests are waiting for their turn here; ask for less at once",
                MAX_TURN_WAIT.as_secs()
            );
            return Err(not_sent(ApiError::new(Kind::RateLimited, text)));
        };
        if or_cancelled(cancel, sleep(wait)).await.is_none() {
            return Err(not_sent(ApiError::new(Kind::Cancelled, "cancelled before it was sent")));
        }
        let request = outgoing.request().map_err(not_sent)?;
        let age = if task.retry == Retry::Safe { Age::Any } else { Age::Young };
        let progress = Progress::default();
        let mut sink = Sorted::new(sink);
        let started = Instant::now();
        let exchange = self.transport.exchange(
            &outgoing.origin,
            request,
            task.deadlines,
            age,
            &progress,
            &mut sink,
        );
        let end = match or_cancelled(cancel, timeout(task.deadlines.whole, exchange)).await {
            None => End::Cancelled,
            Some(Err(_)) => End::Broken(Why::TimedOut(failed::awaited(&progress))),
            Some(Ok(Err(why))) => End::Broken(why),
            Some(Ok(Ok(head))) => End::Head(head),
        };
        tracing::debug!(
            elapsed_ms = started.elapsed().as_millis(),
            status = progress.status(),
            "Sent {outgoing}"
        );
        if self.log_bodies {
            tracing::debug!("Body of {outgoing}: {}", outgoing.body_text());
        }
        let end = match end {
            End::Head(head) if is_success(head.status) => return Ok((head, sink.wanted)),
            other => other,
        };
        let mut error = failed::explain(end, outgoing, &progress, &sink.error, task.deadlines);
        if task.write {
            error.outcome = Some(outcome::of_failure(error.kind, error.status, progress.sent()));
        }
        Err(error)
    }
}

/// Waits for a future, but no longer than until the caller gives up.
async fn or_cancelled<F: Future>(cancel: &CancellationToken, future: F) -> Option<F::Output> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        done = future => Some(done),
    }
}
