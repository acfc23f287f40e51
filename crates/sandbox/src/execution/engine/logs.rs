//! What a step writes to its log: pure, from its plan and what it has come to.

use serde_json::Value;

use super::habits;
use super::mishap::{self, Level};
use super::plan::{Node, Plan, Role, Wait, Work};
use super::simulation::{NodeState, States};
use super::status::Status;

/// Lines of a script that are echoed into a log, at most.
const MOST_SCRIPT_LINES: usize = 200;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// When it was written.
    pub(crate) at_ms: i64,
    /// Its level.
    pub(crate) level: Level,
    /// Its text, colours included.
    pub(crate) text: String,
}

/// One log: the unit of a step, or the whole step when it has no units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Log {
    /// The step.
    pub(crate) node: usize,
    /// The unit, if the step has any.
    pub(crate) unit: Option<&'static str>,
    /// What was written so far.
    pub(crate) lines: Vec<Line>,
}

/// The logs of a step at `now_ms`; none before it begins.
pub(crate) fn of_step(plan: &Plan, states: &States, at: usize, now_ms: i64) -> Vec<Log> {
    let Some((node, state)) = plan.node(at).zip(states.of(at)) else { return Vec::new() };
    let (Some(work), Some(start)) = (&node.work, state.start_ms) else { return Vec::new() };
    if state.status == Status::Skipped {
        return Vec::new();
    }
    let units = habits::units(&node.kind);
    let seen_until = state.end_ms.unwrap_or(now_ms).min(now_ms);
    let lines = told(node, work, state);
    let from = if state.attempts > 1 { state.attempt_ms } else { start };
    let span = (state.end_ms.unwrap_or(from + work.duration_ms) - from).max(1);
    let mut logs: Vec<Log> = Vec::new();
    let count = lines.len().max(1);
    for (index, (level, text)) in lines.into_iter().enumerate() {
        let place = i64::try_from(index * 1000 / count).unwrap_or_default();
        let at_ms = from + span * place / 1000;
        if at_ms > seen_until {
            break;
        }
        // A step that fails never comes to the last unit, so its lines end in the one before.
        let reached =
            if state.status.stops() { units.len().saturating_sub(1) } else { units.len() };
        let unit = units.get(index * reached.max(1) / count).copied();
        let line = Line { at_ms, level, text };
        match logs.last_mut().filter(|log| log.unit == unit) {
            Some(log) => log.lines.push(line),
            None => logs.push(Log { node: at, unit, lines: vec![line] }),
        }
    }
    logs
}

/// The progress of each unit: name, status, start and end.
pub(crate) fn unit_progress(
    node: &Node,
    state: &NodeState,
) -> Vec<(&'static str, &'static str, i64, Option<i64>)> {
    let (Some(work), Some(start)) = (&node.work, state.start_ms) else { return Vec::new() };
    let units = habits::units(&node.kind);
    let count = i64::try_from(units.len().max(1)).unwrap_or(1);
    let share = (state.end_ms.unwrap_or(start + work.duration_ms) - start).max(1) / count;
    let stops = state.status.stops();
    let mut progress = Vec::new();
    for (unit, index) in units.iter().zip(0_i64..) {
        let begins = start + share * index;
        let is_last = index + 1 == count;
        let status = match (state.end_ms, stops) {
            (Some(_), true) if index + 2 == count || count == 1 => "FAILURE",
            (Some(_), true) if is_last => continue,
            (Some(_), _) => "SUCCESS",
            (None, _) => "RUNNING",
        };
        progress.push((*unit, status, begins, state.end_ms.map(|_| begins + share)));
    }
    progress
}

type Told = Vec<(Level, String)>;

fn told(node: &Node, work: &Work, state: &NodeState) -> Told {
    let mut lines: Told = Vec::new();
    if state.attempts > 1 {
        lines.push((Level::Warn, format!("Attempt {} of `{}`", state.attempts, node.name)));
    }
    match work.wait {
        Wait::Work => lines.extend(working(node, work)),
        Wait::Timer => lines.push((Level::Info, format!("Waiting {}s", work.duration_ms / 1000))),
        Wait::People(_) | Wait::System => lines.extend(waiting(node, work, state)),
    }
    lines.extend(ending(node, work, state));
    lines
}

fn info(text: impl Into<String>) -> (Level, String) {
    (Level::Info, text.into())
}

fn working(node: &Node, work: &Work) -> Told {
    if let Some(script) = habits::script(&work.spec) {
        return scripted(script);
    }
    let text =
        |pointer: &str| work.spec.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    match node.kind.as_str() {
        "liteEngineTask" => vec![
            info("Starting job to create the build pod"),
            info("Pod \u{1b}[36mharnessci-sandbox-1\u{1b}[0m is running on node pool-a-7"),
            info("All containers are ready"),
        ],
        "Http" => vec![info(format!("{} {}", or(text("/method"), "GET"), text("/url")))],
        "HelmDeploy" => vec![
            info("Fetched chart storefront 3.2.0"),
            info("Helm binary version v3.17.2"),
            info("Rendered 7 manifests"),
            info("helm upgrade --install storefront ./chart"),
            info("Release \"storefront\" has been upgraded. STATUS: \u{1b}[32mdeployed\u{1b}[0m"),
            info("All pods of the release are ready"),
        ],
        kind if kind.starts_with("K8s") => vec![
            info("Fetched 4 manifest files"),
            info("Initialised kubectl 1.33 against the cluster"),
            info("namespace/shop unchanged"),
            info("service/storefront configured"),
            info("\u{1b}[32mdeployment.apps/storefront configured\u{1b}[0m"),
            info("deployment \"storefront\" successfully rolled out"),
        ],
        kind if kind.starts_with("Terra") || kind.starts_with("IACM") => vec![
            info("Initializing the backend..."),
            info("\u{1b}[1mPlan:\u{1b}[0m 2 to add, 1 to change, 0 to destroy."),
            info("aws_security_group.web: Modifying... [id=sg-0a4f]"),
            info("Apply complete! Resources: 2 added, 1 changed, 0 destroyed."),
        ],
        kind if kind.starts_with("BuildAndPush") => vec![
            info("#1 [internal] load build definition from Dockerfile"),
            info("#5 [build 2/4] COPY . ."),
            info("#9 [build 4/4] RUN make release"),
            info("#12 pushing manifest"),
        ],
        _ => vec![info(format!("Running step `{}` of type {}", node.name, node.kind))],
    }
}

fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

/// A script as its shell would trace it: `echo` prints, everything else is shown with a `+`.
fn scripted(script: &str) -> Told {
    let mut lines = vec![info("Executing command ...")];
    for line in script.lines().map(str::trim).take(MOST_SCRIPT_LINES) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.strip_prefix("echo ") {
            Some(said) => lines.push(info(said.trim_matches(['"', '\'']))),
            None => lines.push(info(format!("\u{1b}[90m+ {line}\u{1b}[0m"))),
        }
    }
    lines
}

fn waiting(node: &Node, work: &Work, state: &NodeState) -> Told {
    let message = work.spec.get("approvalMessage").and_then(Value::as_str).unwrap_or_default();
    let mut lines = vec![info(format!("Approval `{}` waits for a decision", node.name))];
    lines.extend((!message.is_empty()).then(|| info(message)));
    lines.extend(state.agreed.iter().map(|user| info(format!("{user} approved"))));
    lines
}

fn ending(node: &Node, work: &Work, state: &NodeState) -> Told {
    let failed = |message: &str| (Level::Error, format!("\u{1b}[31mError:\u{1b}[0m {message}"));
    match state.status {
        Status::Success => vec![info(format!("\u{1b}[32mStep `{}` succeeded\u{1b}[0m", node.name))],
        Status::Failed | Status::IgnoreFailed | Status::InterventionWaiting => {
            let story = mishap::of(&node.kind, &work.spec);
            let message = state.failure.as_deref().unwrap_or_default();
            // Only the step's own story is told; a given message stands for itself.
            let own = message == story.message;
            let mut lines: Told =
                story.lines.iter().filter(|_| own).map(|(l, t)| (*l, (*t).to_owned())).collect();
            lines.push(failed(message));
            lines
        }
        status if status.stops() => {
            vec![failed(state.failure.as_deref().unwrap_or("the step was aborted"))]
        }
        _ => Vec::new(),
    }
}

/// `build/tests/unit`: the way from the run to a node, through stages and groups.
pub(crate) fn key_path(plan: &Plan, at: usize) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut here = plan.node(at);
    while let Some(node) = here.filter(|node| node.role != Role::Pipeline) {
        if matches!(node.role, Role::Stage | Role::Group | Role::Step | Role::Rollback) {
            names.push(&node.identifier);
        }
        here = node.parent.and_then(|parent| plan.node(parent));
    }
    names.reverse();
    names.join("/")
}

/// The log key of a node below the key of its run.
pub(crate) fn key(base: &str, plan: &Plan, at: usize, unit: Option<&str>) -> String {
    let path = key_path(plan, at);
    let key = if path.is_empty() { base.to_owned() } else { format!("{base}/{path}") };
    match unit {
        Some(unit) => format!("{key}-commandUnit:{unit}"),
        None => key,
    }
}

/// True when a log lies at or below a key prefix.
pub(crate) fn is_below(key: &str, prefix: &str) -> bool {
    let Some(rest) = key.strip_prefix(prefix.trim_end_matches('/')) else { return false };
    rest.is_empty() || rest.starts_with('/') || rest.starts_with("-commandUnit:")
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn a_prefix_ends_at_a_segment() {
        assert!(is_below("a/b/test", "a/b"));
        assert!(is_below("a/b/test-commandUnit:Apply", "a/b/test"));
        assert!(is_below("a/b/test", "a/b/test/"));
        assert!(!is_below("a/b/test2", "a/b/test"));
    }
}
