//! What is refused before anything is started.

use std::time::{SystemTime, UNIX_EPOCH};

use checkrein_chaos::{Plan, Scenario, Shape};

use super::arguments::{Arguments, pair};
use crate::failure::Failure;

/// How long an injected 429 asks to wait unless told otherwise, in seconds.
const RETRY_AFTER_S: u64 = 60;
const RETRY_AFTER_RANGE: std::ops::RangeInclusive<u64> = 1..=86_400;
const MODES: [&str; 2] = ["deterministic", "chaos"];

/// Checks what belongs together, and gives what is to happen.
pub(super) fn check(arguments: &Arguments) -> Result<Plan, Failure> {
    for declared in &arguments.operation_key {
        let (_, fields) = pair(declared, "--operation-key", "TOOL=FIELD,FIELD")?;
        if fields.is_empty() {
            return Err(Failure::new(format!("`{declared}` names no field")));
        }
    }
    for declared in &arguments.expect {
        let (_, times) = pair(declared, "--expect", "TOOL=N")?;
        if !times.parse::<u64>().is_ok_and(|times| times > 0) {
            return Err(Failure::new(format!("`{times}` is no number of executions from 1 on")));
        }
    }
    let plan = plan(arguments)?;
    let is_harmless = matches!(plan, Plan::Watch | Plan::Chaos { rate: 0.0, .. });
    if !is_harmless && !arguments.allow_writes {
        return Err(Failure::new("faults on writes change what the upstream holds")
            .hint("add --allow-writes once the upstream is one that may be written to"));
    }
    Ok(plan)
}

fn plan(arguments: &Arguments) -> Result<Plan, Failure> {
    let mode = match arguments.mode.as_deref() {
        None => None,
        Some(mode) if MODES.contains(&mode) => Some(mode),
        Some(mode) => {
            return Err(Failure::new(format!(
                "`{mode}` is no mode: there are `deterministic` and `chaos`"
            )));
        }
    };
    if mode == Some("chaos") {
        return chaos(arguments);
    }
    for (flag, is_given) in
        [("--error-rate", arguments.error_rate.is_some()), ("--seed", arguments.seed.is_some())]
    {
        if is_given {
            return Err(Failure::new(format!("{flag} goes with --mode chaos only")));
        }
    }
    let Some(name) = arguments.scenario.as_deref() else {
        if arguments.retry_after.is_some() {
            return Err(Failure::new("--retry-after goes with --scenario F2 only"));
        }
        return Ok(Plan::Watch);
    };
    let scenario = scenario(name)?;
    let shape = arguments.shape.shape();
    if scenario.seen_as(shape).is_none() {
        let known: Vec<_> = Shape::STDIO
            .iter()
            .filter(|shape| scenario.seen_as(**shape).is_some())
            .map(|shape| format!("`{}`", shape.name()))
            .collect();
        return Err(Failure::new(format!(
            "{name} has no shape `{}`: it has {}",
            shape.name(),
            known.join(", ")
        )));
    }
    Ok(Plan::Scenario { scenario, shape, retry_after_s: retry_after(arguments, scenario)? })
}

fn chaos(arguments: &Arguments) -> Result<Plan, Failure> {
    if arguments.scenario.is_some() {
        return Err(Failure::new("--mode chaos does not go with --scenario"));
    }
    if arguments.retry_after.is_some() {
        return Err(Failure::new("--retry-after goes with --scenario F2 only"));
    }
    let rate = match arguments.error_rate.as_deref() {
        None => 0.0,
        Some(text) => text
            .parse::<f64>()
            .ok()
            .filter(|rate| (0.0..=1.0).contains(rate))
            .ok_or_else(|| Failure::new(format!("`{text}` is no probability from 0 to 1")))?,
    };
    Ok(Plan::Chaos { rate, seed: arguments.seed.unwrap_or_else(any_seed) })
}

/// A seed nobody chose; the report says which it was.
fn any_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed again.
    u64::from(since.subsec_nanos()) % 1_000_000
}

fn scenario(name: &str) -> Result<Scenario, Failure> {
    let found = Scenario::ALL.into_iter().find(|scenario| scenario.name() == name);
    found.ok_or_else(|| {
        let known: Vec<_> = Scenario::ALL.iter().map(|scenario| scenario.name()).collect();
        let upper = name.to_uppercase();
        let failure =
            Failure::new(format!("`{name}` is no scenario: there are {}", known.join(", ")));
        match known.contains(&upper.as_str()) {
            true => failure.hint(format!("did you mean {upper}?")),
            false => failure,
        }
    })
}

fn retry_after(arguments: &Arguments, scenario: Scenario) -> Result<u64, Failure> {
    let Some(text) = arguments.retry_after.as_deref() else { return Ok(RETRY_AFTER_S) };
    if scenario != Scenario::F2 {
        return Err(Failure::new("--retry-after goes with --scenario F2 only"));
    }
    text.parse().ok().filter(|seconds| RETRY_AFTER_RANGE.contains(seconds)).ok_or_else(|| {
        Failure::new(format!("`{text}` is no wait: it takes whole seconds from 1 to 86400"))
    })
}
