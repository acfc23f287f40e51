//! The official conformance suite against a server in front of which the proxy stands: it must
//! come to the same result as without, check for check.
//!
//! It needs the packages of `tests/clients`, which `cargo xtask setup` installs, so a plain
//! `cargo test` leaves it out and `cargo xtask test` runs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use checkrein_testkit::Place;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::proxy::http_bytes_proxy::listening;

/// How long a server, the proxy or the suite may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(40);

#[tokio::test]
#[ignore = "needs `cargo xtask setup`"]
async fn the_revision_with_sessions_conforms_alike_through_the_proxy() {
    conforms_alike("2025-11-25", &Least { scenarios: 33, checks: 84, calls: 10 }).await;
}

#[tokio::test]
#[ignore = "needs `cargo xtask setup`"]
async fn the_revision_without_sessions_conforms_alike_through_the_proxy() {
    conforms_alike("2026-07-28", &Least { scenarios: 40, checks: 164, calls: 40 }).await;
}

/// What has to pass without the proxy, for the comparison to mean something.
struct Least {
    scenarios: usize,
    checks: usize,
    /// Tool calls that the proxy has to have seen.
    calls: u64,
}

/// Scenario, check and which of its name, to how it went and what was said of it.
type Checks = BTreeMap<(String, String, usize), (String, String)>;

async fn conforms_alike(set: &str, least: &Least) {
    let direct = {
        let (_server, port) = fixture().await;
        judged(set, port).await
    };
    let place = Place::new();
    let through = {
        let (_server, port) = fixture().await;
        let url = format!("http://localhost:{port}/mcp");
        let (_proxy, port) = listening(&place, &["--upstream-url", &url]).await;
        judged(set, port).await
    };
    let (scenarios, checks) = passed(&direct);
    assert!(scenarios >= least.scenarios, "{scenarios} scenarios passed without the proxy");
    assert!(checks >= least.checks, "{checks} checks passed without the proxy");
    let differences = differences(&direct, &through);
    assert!(differences.is_empty(), "{set}, without and with the proxy:\n{differences}");
    let report: Value = serde_json::from_str(&place.read("report.json")).unwrap();
    let calls =
        report["calls"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>();
    assert!(calls >= least.calls, "the suite made {calls} calls through the proxy");
}

/// Each check that went another way, one a line.
fn differences(direct: &Checks, through: &Checks) -> String {
    let absent = ("ABSENT".to_owned(), String::new());
    let keys = direct.keys().chain(through.keys().filter(|key| !direct.contains_key(*key)));
    let lines = keys.filter_map(|key| {
        let (one, other) =
            (direct.get(key).unwrap_or(&absent), through.get(key).unwrap_or(&absent));
        let (scenario, check, nth) = key;
        (one != other).then(|| {
            format!("{scenario} / {check} #{nth}: {} {} | {} {}\n", one.0, one.1, other.0, other.1)
        })
    });
    lines.collect()
}

/// How many scenarios passed with all of their checks, and how many checks.
fn passed(checks: &Checks) -> (usize, usize) {
    let mut scenarios: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((scenario, ..), (status, _)) in checks {
        let (good, bad) = scenarios.entry(scenario).or_default();
        *good += usize::from(status == "SUCCESS");
        *bad += usize::from(status == "FAILURE");
    }
    let whole = scenarios.values().filter(|(good, bad)| *good > 0 && *bad == 0).count();
    (whole, scenarios.values().map(|(good, _)| good).sum())
}

/// Runs the suite against a server and reads what it wrote down.
async fn judged(set: &str, port: u16) -> Checks {
    let place = Place::new();
    let results = place.path().join("results");
    let url = format!("http://localhost:{port}/mcp");
    let mut suite = node("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    suite.args(["server", "--url", &url, "--requirements", set, "-o"]).arg(&results);
    // It tells by its exit code too; what counts here is each check.
    let output = tokio::time::timeout(PATIENCE, suite.output()).await.unwrap().unwrap();
    let mut checks = Checks::new();
    let Ok(folders) = std::fs::read_dir(&results) else {
        panic!("the suite wrote nothing: {}", String::from_utf8_lossy(&output.stderr));
    };
    for folder in folders {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        let scenario = scenario(&name);
        let text = std::fs::read_to_string(folder.path().join("checks.json")).unwrap();
        for check in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
            let told = |field: &str| check[field].as_str().unwrap_or_default().to_owned();
            let said = told("errorMessage").replace(&port.to_string(), "PORT");
            let nth =
                (0..).find(|nth| !checks.contains_key(&(scenario.to_owned(), told("id"), *nth)));
            checks.insert((scenario.to_owned(), told("id"), nth.unwrap()), (told("status"), said));
        }
    }
    checks
}

/// The scenario that a folder of results is named after: `server-ping-2026-12-01T02-26-02-123Z`.
fn scenario(folder: &str) -> &str {
    const TIME: usize = "-2026-12-01T02-26-02-123Z".len();
    let name = folder.strip_prefix("server-").unwrap_or(folder);
    &name[..name.len() - TIME]
}

/// A fresh server that has what the suite looks for; it says its port.
async fn fixture() -> (Child, u16) {
    let mut server = node("conformance_server.mjs");
    let mut child = server.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let port = tokio::time::timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap();
    (child, port.expect("the server ended at once").parse().unwrap())
}

/// A script of `tests/clients`, run by the Node.js there.
fn node(script: &str) -> Command {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("clients");
    let installed = |path: &str| -> PathBuf {
        let path = clients.join(path);
        assert!(path.exists(), "`{}` is missing: run `cargo xtask setup`", path.display());
        path
    };
    let mut command = Command::new(installed("node_modules/node/bin/node"));
    command.arg(installed(script)).current_dir(&clients).stdin(Stdio::null()).kill_on_drop(true);
    command
}
