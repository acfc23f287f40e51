//! What is refused before anything is started.

use std::time::{SystemTime, UNIX_EPOCH};

use checkrein_chaos::{Plan, Probe, Scenario, Shape, Transport};

use super::arguments::{Arguments, pair};
use super::{lists, scenarios};
use crate::failure::Failure;

const RETRY_AFTER_RANGE: std::ops::RangeInclusive<u64> = 1..=86_400;
const MODES: [&str; 2] = ["deterministic", "chaos"];

/// Checks what belongs together, and gives what is to happen.
pub(crate) fn check(arguments: &Arguments) -> Result<Plan, Failure> {
    lists::check(arguments)?;
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
        return match (&arguments.retry_after, arguments.shape) {
            (Some(_), _) => Err(Failure::new("--retry-after goes with --scenario F2 only")),
            (None, Some(_)) => Err(Failure::new("--shape goes with --scenario only")),
            (None, None) => Ok(Plan::Watch),
        };
    };
    let mut scenario = scenarios::find(name)?;
    let transport = arguments.transport();
    let side = |transport| if transport == Transport::Http { "HTTP" } else { "stdio" };
    // What makes no sense is about the upstream's side; an agent on HTTP is no obstacle.
    let upstream =
        if arguments.upstream_url.is_some() { Transport::Http } else { Transport::Stdio };
    if let Some(why) = scenario.why_not_on(upstream) {
        let side = side(upstream);
        return Err(Failure::new(format!("{name} makes no sense on {side}: {why}")));
    }
    let known = scenario.shapes(transport);
    let is_known = |shape: &Shape| known.iter().any(|(known, _)| known == shape);
    if let Some(shape) =
        arguments.shape.filter(|shape| !is_known(shape) || !scenario.set_shape(*shape))
    {
        let known: Vec<_> = known.iter().map(|(shape, _)| format!("`{}`", shape.name())).collect();
        return Err(Failure::new(format!(
            "{name} has no shape `{}` on {}: it has {}",
            shape.name(),
            side(transport),
            known.join(", ")
        )));
    }
    if let Some(rule) = scenario.rules.iter().find(|rule| !rule.shape.is_on(transport)) {
        let (shape, side) = (rule.shape.name(), side(transport));
        return Err(Failure::new(format!("{name} has a shape `{shape}`, which {side} has not"))
            .hint("choose another by --shape, or set --listen for the shapes of HTTP"));
    }
    if let Some(text) = arguments.retry_after.as_deref() {
        set_retry_after(&mut scenario, text)?;
    }
    Ok(Plan::Scenario(scenario))
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

fn set_retry_after(scenario: &mut Scenario, text: &str) -> Result<(), Failure> {
    let seconds =
        text.parse().ok().filter(|seconds| RETRY_AFTER_RANGE.contains(seconds)).ok_or_else(
            || Failure::new(format!("`{text}` is no wait: it takes whole seconds from 1 to 86400")),
        )?;
    if scenario.set_retry_after(seconds) {
        return Ok(());
    }
    let known: Vec<_> = Scenario::built_in()
        .iter()
        .filter(|scenario| scenario.retry_after().is_some())
        .map(|scenario| scenario.name.clone())
        .collect();
    Err(Failure::new(format!("--retry-after goes with --scenario {} only", known.join(" or "))))
}

/// `TOOL {JSON}` as a read to make.
pub(crate) fn probes(arguments: &Arguments) -> Result<Vec<Probe>, Failure> {
    arguments.probe.iter().map(|declared| probe(declared)).collect()
}

fn probe(declared: &str) -> Result<Probe, Failure> {
    let declared = declared.trim();
    let (tool, json) = declared.split_once(char::is_whitespace).unwrap_or((declared, "{}"));
    if tool.starts_with('{') {
        return Err(Failure::new(format!(
            "`{declared}` names no tool: --probe takes TOOL {{JSON}}"
        )));
    }
    let arguments = serde_json::from_str(json.trim()).map_err(|error| {
        Failure::new(format!("the arguments of `{tool}` in --probe are no JSON object: {error}"))
    })?;
    Ok(Probe { tool: tool.to_owned(), arguments })
}
