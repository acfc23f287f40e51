//! Waiting for what an operation has started.
//!
//! The run has begun when the waiting does, so nothing that happens here is an error of the call:
//! however the waiting ends, the result says what is known.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

use crate::failure::Failure;
use crate::hooks::{HookCall, Wait};

/// How long to wait when the caller does not say.
const USUAL_TIMEOUT: Duration = Duration::from_secs(600);
/// The time before the first look when the caller does not say.
const USUAL_INTERVAL: Duration = Duration::from_secs(5);
/// Each pause is this much longer than the one before …
const GROWTH: f64 = 1.5;
/// … but no longer than this.
const MAX_INTERVAL: Duration = Duration::from_secs(30);
/// So many looks in a row may fail; a platform that is away longer is not waited for.
const MAX_FAILURES: u32 = 5;

/// Where a run's identifier stands in the replies that start one.
const IDENTIFIERS: [&str; 6] = [
    "/planExecutionId",
    "/planExecution/uuid",
    "/planExecution/metadata/executionUuid",
    "/executionId",
    "/execution_details/execution_id",
    "/execution_id",
];
const GOOD_ENDS: [&str; 4] = ["Success", "IgnoreFailed", "Skipped", "Suspended"];
const BAD_ENDS: [&str; 6] =
    ["Failed", "Errored", "Aborted", "AbortedByFreeze", "Expired", "ApprovalRejected"];
const FOR_PEOPLE: [&str; 3] = ["ApprovalWaiting", "InputWaiting", "InterventionWaiting"];

/// Adds to the result how the started run ended, when the caller wants to stay until then.
pub(crate) async fn stay(call: &HookCall<'_>, result: Value) -> Result<Value, Failure> {
    let (Some(wait), Value::Object(mut result)) = (call.wait, result.clone()) else {
        return Ok(result);
    };
    match IDENTIFIERS.iter().find_map(|at| at_text(&result, at)) {
        Some(execution) => Watch::new(call, wait, execution).watch(&mut result).await,
        None => {
            let error = "the reply names no run to wait for; list type `execution` to find it";
            result.insert("_wait".to_owned(), json!({ "error": error }));
        }
    }
    Ok(Value::Object(result))
}

fn at_text(result: &Map<String, Value>, pointer: &str) -> Option<String> {
    let mut parts = pointer.split('/').skip(1);
    let first = result.get(parts.next()?)?;
    let found = parts.try_fold(first, |value, key| value.get(key))?;
    found.as_str().filter(|id| !id.is_empty()).map(str::to_owned)
}

/// How the waiting ended.
enum End {
    /// The run has ended.
    Ended,
    /// It has not, and the time is up.
    TimedOut,
    /// Nobody can tell.
    Lost(String),
}

struct Watch<'a> {
    call: &'a HookCall<'a>,
    execution: String,
    timeout: Duration,
    interval: Duration,
    started: Instant,
    looks: u32,
    /// What the platform said last.
    seen: Map<String, Value>,
    /// Why the last look failed, when it did.
    trouble: Option<String>,
    link: Option<Value>,
}

impl<'a> Watch<'a> {
    fn new(call: &'a HookCall<'a>, wait: Wait, execution: String) -> Self {
        Self {
            call,
            execution,
            timeout: wait.timeout.unwrap_or(USUAL_TIMEOUT),
            interval: wait.interval.unwrap_or(USUAL_INTERVAL),
            started: Instant::now(),
            looks: 0,
            seen: Map::new(),
            trouble: None,
            link: None,
        }
    }

    async fn watch(mut self, result: &mut Map<String, Value>) {
        let end = self.until_ended().await;
        let status = self.status().map(str::to_owned);
        let known = status.clone().map_or(Value::Null, Value::from);
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        result.insert("execution_id".to_owned(), self.execution.as_str().into());
        result.insert("execution_status".to_owned(), known);
        result.insert("execution_terminal".to_owned(), matches!(end, End::Ended).into());
        result.insert("execution_timed_out".to_owned(), matches!(end, End::TimedOut).into());
        result.insert("execution_elapsed_ms".to_owned(), elapsed.into());
        result.insert("execution_poll_count".to_owned(), self.looks.into());
        for (key, from) in [("started_at", "startTs"), ("ended_at", "endTs")] {
            if let Some(time) = self.seen.get(from).and_then(time_of) {
                result.insert(key.to_owned(), time.into());
            }
        }
        if let Some(link) = self.link.take() {
            result.insert("openInHarness".to_owned(), link);
        }
        let id = &self.execution;
        let again = format!("harness_get with resource_type `execution` and resource_id `{id}`");
        match end {
            End::Ended if status.as_deref().is_some_and(|status| is_one_of(&BAD_ENDS, status)) => {
                let hint = format!(
                    "To see why: harness_get with resource_type `execution_log` and resource_id \
                     `{id}`; {again} shows its stages."
                );
                result.insert("_diagnose_hint".to_owned(), hint.into());
            }
            End::Ended => {}
            End::TimedOut => {
                let waits = status.is_some_and(|status| is_one_of(&FOR_PEOPLE, &status));
                let hint = match waits {
                    true => format!("it waits for a person; {again} tells when it goes on"),
                    false => format!("it goes on without this call; {again} tells how it stands"),
                };
                let mut wait = json!({ "hint": hint });
                if let (Some(error), Some(wait)) = (self.trouble.take(), wait.as_object_mut()) {
                    wait.insert(
                        "error".to_owned(),
                        format!("the last look failed: {error}").into(),
                    );
                }
                result.insert("_wait".to_owned(), wait);
            }
            End::Lost(error) => {
                let hint =
                    format!("the run was started and may go on; {again} tells how it stands");
                result.insert("_wait".to_owned(), json!({ "error": error, "hint": hint }));
            }
        }
    }

    async fn until_ended(&mut self) -> End {
        let mut interval = self.interval;
        let mut failures = 0;
        loop {
            let left = self.timeout.saturating_sub(self.started.elapsed());
            if left.is_zero() {
                return End::TimedOut;
            }
            tokio::select! {
                () = self.call.cancel.cancelled() => {
                    return End::Lost("the caller gave up waiting".to_owned());
                }
                () = sleep(interval.min(left)) => {}
            }
            interval = interval.mul_f64(GROWTH).min(MAX_INTERVAL.max(self.interval));
            self.looks += 1;
            match self.look().await {
                Ok(()) => {
                    failures = 0;
                    self.trouble = None;
                }
                Err(_) if self.call.cancel.is_cancelled() => {
                    return End::Lost("the caller gave up waiting".to_owned());
                }
                Err(error) => {
                    failures += 1;
                    if failures >= MAX_FAILURES {
                        let text = format!("{failures} looks at the run failed in a row: {error}");
                        return End::Lost(text);
                    }
                    self.trouble = Some(error.to_string());
                }
            }
            self.report();
            if self.status().is_some_and(has_ended) {
                return End::Ended;
            }
        }
    }

    async fn look(&mut self) -> Result<(), Failure> {
        let mut inputs = Map::new();
        inputs.insert("execution_id".to_owned(), self.execution.as_str().into());
        inputs.insert("render_full_graph".to_owned(), false.into());
        let mut reply = self.call.ask.operation("execution", "get", &inputs).await?;
        self.link = reply.get_mut("openInHarness").map(Value::take).or(self.link.take());
        match reply.get_mut("pipelineExecutionSummary").map(Value::take) {
            Some(Value::Object(summary)) => self.seen = summary,
            _ => {
                return Err(Failure::said("the reply has no `pipelineExecutionSummary`"));
            }
        }
        Ok(())
    }

    fn report(&self) {
        let Some(progress) = self.call.progress else { return };
        let message =
            format!("`{}` is {}", self.execution, self.status().unwrap_or("not seen yet"));
        let waited = self.started.elapsed().as_secs_f64();
        progress.report(waited, Some(self.timeout.as_secs_f64()), message);
    }

    fn status(&self) -> Option<&str> {
        self.seen.get("status").and_then(Value::as_str)
    }
}

fn has_ended(status: &str) -> bool {
    is_one_of(&GOOD_ENDS, status) || is_one_of(&BAD_ENDS, status)
}

fn is_one_of(known: &[&str], status: &str) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(status))
}

/// A platform time as text: `2023-11-14T22:13:20.000Z`.
fn time_of(milliseconds: &Value) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(milliseconds.as_i64()?).ok()?;
    Some(time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}

#[cfg(test)]
mod tests;
