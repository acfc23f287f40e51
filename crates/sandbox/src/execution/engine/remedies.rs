//! Failure strategies, from the step's own to those of what encloses it.

use serde_json::Value;

use super::duration;
use super::plan::{Action, Remedy, Trouble};

/// Retries beyond this are not believed.
const MOST_RETRIES: u32 = 10;

/// Nobody waits longer for an intervention unless told so.
const INTERVENTION_MS: i64 = 24 * 3_600_000;

/// The strategies of a step, nearest first.
pub(crate) fn remedies_of<'a>(owners: impl Iterator<Item = &'a Value>) -> Vec<Remedy> {
    let lists = owners.filter_map(|owner| owner.get("failureStrategies")?.as_array());
    lists.flatten().filter_map(|strategy| remedy(strategy.get("onFailure")?)).collect()
}

fn remedy(on_failure: &Value) -> Option<Remedy> {
    let mut on: Vec<Trouble> = Vec::new();
    for error in on_failure.get("errors").and_then(Value::as_array).into_iter().flatten() {
        match error.as_str().unwrap_or_default() {
            "AllErrors" | "AnyOther" => {
                on.extend([Trouble::Failure, Trouble::Timeout, Trouble::Rejection]);
            }
            "Timeout" => on.push(Trouble::Timeout),
            "ApprovalRejection" => on.push(Trouble::Rejection),
            _ => on.push(Trouble::Failure),
        }
    }
    Some(Remedy { on, action: action(on_failure.get("action")?, 0)? })
}

fn action(of: &Value, depth: u8) -> Option<Action> {
    let kind = of.get("type").and_then(Value::as_str)?;
    let then = |pointer: &str| {
        let nested = of.pointer(pointer).filter(|_| depth < 4);
        let nested = nested.and_then(|nested| action(nested, depth + 1));
        Box::new(nested.unwrap_or(Action::Stop))
    };
    let span =
        |pointer: &str| of.pointer(pointer).and_then(Value::as_str).and_then(duration::parse);
    Some(match kind {
        "Ignore" => Action::Ignore,
        "MarkAsSuccess" => Action::Succeed,
        "MarkAsFailure" => Action::Fail,
        "StageRollback" | "StepGroupRollback" | "PipelineRollback" => Action::RollBack,
        "ManualIntervention" => Action::Ask {
            timeout_ms: span("/spec/timeout").unwrap_or(INTERVENTION_MS),
            then: then("/spec/onTimeout/action"),
        },
        "Retry" => Action::Retry {
            count: of
                .pointer("/spec/retryCount")
                .and_then(|n| n.as_u64().or_else(|| n.as_str()?.parse().ok()))
                .map_or(1, |n| u32::try_from(n).unwrap_or(MOST_RETRIES).min(MOST_RETRIES)),
            interval_ms: span("/spec/retryIntervals/0").unwrap_or(1_000),
            then: then("/spec/onRetryFailure/action"),
        },
        _ => Action::Stop,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Action, remedies_of};

    #[test]
    fn the_nearest_strategy_stands_first() {
        let step = json!({"failureStrategies": [{"onFailure": {"errors": ["AllErrors"], "action": {
            "type": "Retry", "spec": {"retryCount": 2, "retryIntervals": ["10s"],
                "onRetryFailure": {"action": {"type": "Ignore"}}}}}}]});
        let stage = json!({"failureStrategies": [
            {"onFailure": {"errors": ["AllErrors"], "action": {"type": "StageRollback"}}}]});
        let actions: Vec<Action> =
            remedies_of([&step, &stage].into_iter()).into_iter().map(|r| r.action).collect();
        let retry = Action::Retry { count: 2, interval_ms: 10_000, then: Box::new(Action::Ignore) };
        assert_eq!(actions, [retry, Action::RollBack]);
    }
}
