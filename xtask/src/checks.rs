//! The checks that a change must pass, in the order in which they run.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail, ensure};

use crate::house::House;
use crate::summary::{Ended, Summary};
use crate::{docs, golden, run, tidy, verdicts};

/// One check: what it is called and what it does. It gives a few words for the summary.
pub(crate) struct Check {
    /// Its name in headings and in the summary.
    pub(crate) name: &'static str,
    /// Runs it.
    pub(crate) run: fn(&House) -> Result<String>,
}

/// A release binary past this many bytes is too large to hand out.
pub(crate) const BINARY_LIMIT: u64 = 20_000_000;

/// What is quick to say no comes first.
pub(crate) const ALL: &[Check] = &[
    Check { name: "format", run: format },
    Check { name: "tidy", run: tidy::check },
    Check { name: "dependencies", run: deny },
    Check { name: "lint", run: lint },
    Check { name: "build", run: build },
    Check { name: "tests", run: tests },
    Check { name: "doc tests", run: doc_tests },
    Check { name: "doc comments", run: doc_comments },
    Check { name: "reference", run: docs::check },
    Check { name: "release build", run: release },
    Check { name: "demo", run: demo },
    Check { name: "real clients", run: clients },
    Check { name: "real upstreams", run: upstreams },
    Check { name: "conformance", run: conformance },
    Check { name: "chaos suite", run: verdicts::replay },
    Check { name: "golden requests", run: golden::requests },
    Check { name: "golden results", run: golden::results },
    Check { name: "golden tools", run: golden::tools },
];

/// Runs all of them, whatever fails, and says whether none did.
pub(crate) fn run(house: &House, parts: &[&[Check]]) -> bool {
    run_each(house, parts.iter().copied().flatten())
}

/// Runs those whose names hold this word.
pub(crate) fn run_named(house: &House, word: &str) -> Result<bool> {
    let named: Vec<_> = ALL.iter().filter(|check| check.name.contains(word)).collect();
    if named.is_empty() {
        let names: Vec<_> = ALL.iter().map(|check| check.name).collect();
        bail!("no check is named `{word}`; there are: {}", names.join(", "));
    }
    Ok(run_each(house, named))
}

fn run_each<'a>(house: &House, checks: impl IntoIterator<Item = &'a Check>) -> bool {
    let mut summary = Summary::default();
    for check in checks {
        println!("\n== {}", check.name);
        let start = Instant::now();
        let found = (check.run)(house).map_err(|error| format!("{error:#}"));
        if let Err(reason) = &found {
            println!("{} failed: {reason}", check.name);
        }
        summary.add(Ended { name: check.name, took: start.elapsed(), found });
    }
    println!("\n{summary}");
    summary.is_clean()
}

fn format(house: &House) -> Result<String> {
    cargo(house, ["fmt", "--all", "--check"]).map(|_| String::new())
}

fn deny(house: &House) -> Result<String> {
    // Advisories are missing on purpose: their database is a Git repository that a machine without
    // the internet cannot fetch. CONTRIBUTING.md says how to run them.
    let lines =
        cargo(house, ["deny", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"])?;
    Ok(last(&lines))
}

fn lint(house: &House) -> Result<String> {
    cargo(
        house,
        [
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--keep-going",
            "--",
            "-D",
            "warnings",
        ],
    )
    .map(|_| String::new())
}

fn build(house: &House) -> Result<String> {
    cargo(house, ["build", "--locked", "--package", "checkrein"]).map(|_| String::new())
}

fn tests(house: &House) -> Result<String> {
    let mut command = if has_nextest() {
        command(house, ["nextest", "run", "--workspace", "--locked", "--no-fail-fast"])
    } else {
        command(house, ["test", "--workspace", "--all-targets", "--locked", "--no-fail-fast"])
    };
    let lines = run::shown(command.env("CHECKREIN_BIN", house.debug_binary()))?;
    Ok(counted(&lines))
}

fn doc_tests(house: &House) -> Result<String> {
    cargo(house, ["test", "--workspace", "--doc", "--locked"]).map(|_| String::new())
}

fn doc_comments(house: &House) -> Result<String> {
    let mut command = command(house, ["doc", "--workspace", "--no-deps", "--locked"]);
    run::shown(command.env("RUSTDOCFLAGS", "-D warnings")).map(|_| String::new())
}

/// Builds the program as users get it, and says how large it is.
pub(crate) fn release(house: &House) -> Result<String> {
    cargo(house, ["build", "--release", "--locked", "--package", "checkrein"])?;
    let bytes = std::fs::metadata(house.release_binary())?.len();
    ensure!(bytes < BINARY_LIMIT, "the binary has {bytes} bytes, {BINARY_LIMIT} is the limit");
    Ok(format!("{:.1} MB", bytes as f64 / 1e6))
}

fn demo(house: &House) -> Result<String> {
    let lines =
        run::shown(Command::new(house.release_binary()).arg("demo").current_dir(&house.root))?;
    Ok(last(&lines))
}

fn clients(house: &House) -> Result<String> {
    with_packages(house, "clients")
}

fn upstreams(house: &House) -> Result<String> {
    with_packages(house, "real_upstreams")
}

fn conformance(house: &House) -> Result<String> {
    with_packages(house, "conformance")
}

/// Runs one module of the end-to-end tests against the release binary, those too that a plain
/// `cargo test` ignores because they need Node.js and Python packages.
fn with_packages(house: &House, module: &str) -> Result<String> {
    let mut command = if has_nextest() {
        let mut nextest = command(house, ["nextest", "run", "-p", "checkrein-it", "--locked"]);
        nextest.args(["--no-fail-fast", "--run-ignored", "all", "-E"]);
        nextest.arg(format!("test(/^{module}::/)"));
        nextest
    } else {
        let mut test = command(house, ["test", "-p", "checkrein-it", "--locked", "--test", "it"]);
        test.args(["--no-fail-fast", "--", &format!("{module}::"), "--include-ignored"]);
        test
    };
    let lines = run::shown(command.env("CHECKREIN_BIN", house.release_binary()))?;
    let counted = counted(&lines);
    ensure!(!counted.contains(" 0 passed"), "no test of `{module}` ran");
    Ok(counted)
}

fn has_nextest() -> bool {
    run::answers("cargo-nextest")
}

fn cargo<const N: usize>(house: &House, arguments: [&str; N]) -> Result<Vec<String>> {
    run::shown(&mut command(house, arguments))
}

fn command<const N: usize>(house: &House, arguments: [&str; N]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(&house.root);
    command
}

/// The line in which the test runner counts, in its own words.
fn counted(lines: &[String]) -> String {
    let counts = |line: &&String| line.contains(" tests run: ") || line.contains("test result: ");
    let line = lines.iter().rev().find(counts).map_or("", String::as_str);
    line.rsplit_once(']').map_or(line, |(_, counts)| counts).trim().to_owned()
}

fn last(lines: &[String]) -> String {
    let said = lines.iter().rev().find(|line| !line.trim().is_empty());
    said.map_or_else(String::new, |line| line.trim().to_owned())
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_count_of_nextest_is_shown_without_its_clock() {
        let lines = ["     Summary [   0.100s] 12 tests run: 12 passed, 3 skipped".to_owned()];
        assert_eq!(counted(&lines), "12 tests run: 12 passed, 3 skipped");
    }

    #[test]
    fn no_two_checks_have_the_same_name() {
        let mut names: Vec<_> = ALL.iter().map(|check| check.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
