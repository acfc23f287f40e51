//! What steps of a kind do by habit: how long they take, what they wait for, their units.

use serde_json::Value;

use super::duration;
use super::plan::Approval;
use super::plan::Wait;

/// Approvals without a timeout of their own wait this long.
pub(crate) const APPROVAL_TIMEOUT_MS: i64 = 24 * 3_600_000;

/// At most this much of a script is looked at for `sleep` and `exit`.
const MOST_SCRIPT_LINES: usize = 2_000;

/// What a step of a kind waits for.
pub(crate) fn wait_of(kind: &str, spec: &Value) -> Wait {
    match kind {
        "Wait" => Wait::Timer,
        "HarnessApproval" => Wait::People(Approval { minimum: minimum(spec) }),
        "JiraApproval" | "ServiceNowApproval" | "CustomApproval" => Wait::System,
        _ => Wait::Work,
    }
}

fn minimum(spec: &Value) -> usize {
    let count = spec.pointer("/approvers/minimumCount");
    let count = count.and_then(|n| n.as_u64().or_else(|| n.as_str()?.parse().ok()));
    usize::try_from(count.unwrap_or(1)).unwrap_or(1).max(1)
}

/// How long a step takes when nothing else says so; alike for the same step every time.
pub(crate) fn duration_of(kind: &str, identifier: &str, spec: &Value) -> i64 {
    if kind == "Wait" {
        let text = spec.get("duration").and_then(Value::as_str).unwrap_or_default();
        return duration::parse(text).unwrap_or(10_000);
    }
    let base = match kind {
        k if k.starts_with("K8s") || k.starts_with("Helm") => 9_000,
        k if k.starts_with("Terra") || k.starts_with("BuildAndPush") => 12_000,
        k if k.ends_with("Approval") => 30_000,
        "Run" | "RunTests" | "Test" | "Security" => 6_000,
        "Http" | "Email" | "Policy" => 1_500,
        _ => 3_000,
    };
    let spread: u32 =
        identifier.bytes().fold(7, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    base + i64::from(spread % 20) * 100 + slept_ms(spec)
}

/// What the `sleep` lines of a script add up to.
fn slept_ms(spec: &Value) -> i64 {
    let seconds = script_lines(spec).filter_map(|line| line.strip_prefix("sleep ")).map(|rest| {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let word = word.trim_end_matches(';');
        duration::parse(word).unwrap_or_default()
    });
    seconds.fold(0, i64::saturating_add).min(duration::LONGEST_MS)
}

/// The status a script ends with by an `exit` of its own that is not inside a block.
pub(crate) fn exit_status(spec: &Value) -> Option<i64> {
    let line = script_lines(spec).find(|line| line.starts_with("exit "))?;
    line.strip_prefix("exit ")?.trim().trim_end_matches(';').parse().ok().filter(|code| *code != 0)
}

/// The script of a step.
pub(crate) fn script(spec: &Value) -> Option<&str> {
    let text = spec.get("command").or_else(|| spec.pointer("/source/spec/script"))?;
    text.as_str()
}

fn script_lines(spec: &Value) -> impl Iterator<Item = &str> {
    // An indented line belongs to a condition or loop that may not be taken.
    script(spec).unwrap_or_default().lines().take(MOST_SCRIPT_LINES)
}

/// The units that the progress and the log of a step are split into.
pub(crate) fn units(kind: &str) -> &'static [&'static str] {
    match kind {
        "K8sRollingDeploy" | "K8sCanaryDeploy" | "K8sBlueGreenDeploy" | "K8sApply" => {
            &["Fetch Files", "Initialize", "Prepare", "Apply", "Wait for Steady State", "Wrap Up"]
        }
        k if k.starts_with("K8s") => &["Initialize", "Apply", "Wrap Up"],
        "HelmDeploy" => &[
            "Fetch Files",
            "Initialize",
            "Prepare",
            "Install / Upgrade",
            "Wait for Steady State",
            "Wrap Up",
        ],
        k if k.starts_with("Helm") => &["Initialize", "Rollback", "Wait for Steady State"],
        "ShellScript" => &["Execute"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{duration_of, exit_status};

    #[test]
    fn a_script_sleeps_and_exits_as_written() {
        let spec =
            json!({"source": {"spec": {"script": "echo a\nsleep 30\n  exit 3\nsleep 1m\nexit 2"}}});
        let still = json!({"source": {"spec": {"script": "echo a"}}});
        assert_eq!(
            duration_of("ShellScript", "s", &spec) - duration_of("ShellScript", "s", &still),
            90_000
        );
        assert_eq!(exit_status(&spec), Some(2));
        assert_eq!(exit_status(&json!({"command": "exit 0"})), None);
    }
}
