//! The recorded requests and results, replayed against the release binary.
//!
//! The suite is not part of this repository. Where it lies beside it, every case of the toolsets
//! that are here must pass, but for those in `tests/golden-not-yet.txt`, which says why.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::house::House;
use crate::run;

/// The toolsets whose resource types are here.
const TOOLSETS: &[&str] = &[
    "platform",
    "pipelines",
    "services",
    "environments",
    "infrastructure",
    "connectors",
    "secrets",
    "delegates",
    "templates",
    "logs",
    "audit",
    "overrides",
    "freeze",
    "settings",
    "access_control",
    "file_store",
    "repositories",
    "pull-requests",
];

/// The groups of cases about the tools that are here.
const GROUPS: &[&str] = &[
    "url_get",
    "url_list",
    "url_precedence",
    "compact",
    "args",
    "http_error",
    "retry",
    "list_scope",
    "pipeline_run",
    "read_only",
    "elicitation_answer",
    "elicitation_matrix",
    "config",
];

/// Cases about what is not here yet: one a line, its id, then the reason.
const NOT_YET: &str = "tests/golden-not-yet.txt";

/// What goes over the wire.
pub(crate) fn requests(house: &House) -> Result<String> {
    replay(house, "requests", TOOLSETS)
}

/// What the caller gets back.
pub(crate) fn results(house: &House) -> Result<String> {
    replay(house, "results", TOOLSETS)
}

/// Everything around them.
pub(crate) fn tools(house: &House) -> Result<String> {
    replay(house, "tools", GROUPS)
}

fn replay(house: &House, kind: &str, parts: &[&str]) -> Result<String> {
    let Some(script) = house.golden() else {
        return Ok("no suite beside the repository: nothing to replay".to_owned());
    };
    let mut passed = 0;
    let mut failures = BTreeMap::new();
    for part in parts {
        println!("-- {kind} of {part}");
        let (count, failed) = replay_part(house, &script, kind, part)?;
        passed += count;
        failures.extend(failed);
    }
    ensure!(passed > 0, "no case of `{kind}` passed");
    let not_yet = not_yet(&std::fs::read_to_string(house.root.join(NOT_YET)).unwrap_or_default())?;
    let expected = |id: &str| id.starts_with(&format!("{kind}:"));
    let (known, new): (Vec<_>, Vec<_>) =
        failures.into_iter().partition(|(id, _)| not_yet.contains_key(id));
    for (id, reason) in &new {
        println!("{id}: {reason}");
    }
    let stale: Vec<_> = not_yet
        .keys()
        .filter(|id| expected(id) && !known.iter().any(|(failed, _)| failed == *id))
        .collect();
    ensure!(stale.is_empty(), "cases of `{NOT_YET}` pass and must be taken off: {stale:?}");
    ensure!(new.is_empty(), "{passed} cases passed, {} failed", new.len());
    Ok(format!("{passed} cases passed, {} not yet", known.len()))
}

/// How many cases passed, and which failed why.
fn replay_part(
    house: &House,
    script: &Path,
    kind: &str,
    part: &str,
) -> Result<(usize, BTreeMap<String, String>)> {
    let list = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("python3");
    command.arg(script).args([kind, "--set", "given", "--quiet", "--toolset", part]);
    command.arg("--list-failures").arg(list.path()).current_dir(&house.root);
    command.env("SERVE_CMD", format!("{} serve stdio", house.release_binary().display()));
    let ended = run::shown(&mut command);
    let failures = failures(&std::fs::read_to_string(list.path())?);
    match ended {
        Ok(lines) => Ok((passed(&lines)?, failures)),
        // The script fails when a case does, and then the list says which.
        Err(error) if failures.is_empty() => Err(error),
        Err(error) => Ok((passed(&[format!("{error:#}")])?, failures)),
    }
}

/// The number before ` passed, ` in the last line.
pub(crate) fn passed(lines: &[String]) -> Result<usize> {
    let line = lines.iter().rev().find(|line| line.contains(" passed, "));
    let line = line.context("the suite did not say how many cases passed")?;
    let count = line.split(" passed, ").next().and_then(|head| head.split_whitespace().next_back());
    count.and_then(|count| count.parse().ok()).with_context(|| format!("no number in `{line}`"))
}

fn failures(list: &str) -> BTreeMap<String, String> {
    let row = |line: &str| {
        let (id, reason) = line.split_once('\t').unwrap_or((line, ""));
        (id.to_owned(), reason.to_owned())
    };
    list.lines().filter(|line| !line.trim().is_empty()).map(row).collect()
}

/// Reads the list of what is not here yet; a line without a reason is an error.
fn not_yet(list: &str) -> Result<BTreeMap<String, String>> {
    let mut cases = BTreeMap::new();
    for line in list.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with('#') {
            continue;
        }
        let Some((id, reason)) = line.split_once(char::is_whitespace) else {
            bail!("`{NOT_YET}` gives no reason for `{line}`");
        };
        cases.insert(id.to_owned(), reason.trim().to_owned());
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_the_last_line() {
        let lines = ["12 of 13".to_owned(), "340 passed, 2 failed".to_owned()];
        assert_eq!(passed(&lines).unwrap(), 340);
        assert!(passed(&["nothing ran".to_owned()]).is_err());
    }

    #[test]
    fn the_count_is_read_from_the_error_of_a_failing_run_too() {
        let line = "`python3` exit status: 1: 7 passed, 1 failed".to_owned();
        assert_eq!(passed(&[line]).unwrap(), 7);
    }

    #[test]
    fn a_case_that_is_not_here_yet_needs_a_reason() {
        let cases = not_yet("# why\n\ntools:args/search  the tool is not here yet\n").unwrap();
        assert_eq!(cases.get("tools:args/search").unwrap(), "the tool is not here yet");
        assert!(not_yet("tools:args/search").is_err());
    }
}
