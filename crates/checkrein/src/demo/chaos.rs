//! The end of the demo: the answer to a write is lost, for a careless agent and a careful one.
//!
//! Both talk through the real proxy, a process of its own in front of a server of its own; both
//! really run a pipeline on the sandbox. What tells them apart is what they do when they hear of a
//! time-out, and the proxy's report has to say it.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use checkrein_mcp::Client;
use checkrein_sandbox::Running;
use serde_json::{Value, json};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::agent::Agent;
use super::transcript::Transcript;
use crate::failure::Failure;
use crate::sandbox;

/// What the proxy may take to leave once its agent has gone.
const GRACE: Duration = Duration::from_secs(10);
/// A pipeline of the seeded world that needs no inputs.
const PIPELINE: &str = "build_and_test";

type Proxied = Agent<ChildStdout, ChildStdin>;

/// Plays both agents, and reads both verdicts.
pub(super) async fn compare(running: &Running, told: &mut Transcript) -> Result<(), Failure> {
    told.step("Lose the answer to a write (scenario F1), with a careless agent in front");
    let (runs, report) = careless(running, told).await?;
    told.expect("the pipeline ran twice", runs == 2);
    judged(told, &report, "FAIL");
    told.expect("the report says why", reason(&report) == "DUPLICATE_EXECUTION");

    told.step("The same with a careful agent: it looks before it writes again");
    let (runs, report) = careful(running, told).await?;
    told.expect("the pipeline ran once", runs == 1);
    judged(told, &report, "PASS");
    Ok(())
}

/// Runs the pipeline, hears of a time-out, and simply runs it again.
async fn careless(running: &Running, told: &Transcript) -> Result<(usize, Value), Failure> {
    let mut stage = Stage::open(running).await?;
    let before = stage.runs(told).await?;
    stage.run(told).await?;
    stage.run(told).await?;
    let after = stage.runs(told).await?;
    Ok((new(&before, &after), stage.close().await?))
}

/// Runs the pipeline, hears of a time-out, and looks which runs there are now.
async fn careful(running: &Running, told: &Transcript) -> Result<(usize, Value), Failure> {
    let mut stage = Stage::open(running).await?;
    let before = stage.runs(told).await?;
    stage.run(told).await?;
    let after = stage.runs(told).await?;
    if new(&before, &after) > 0 {
        told.hears("it did start: nothing is left to do");
    } else {
        stage.run(told).await?;
    }
    let after = stage.runs(told).await?;
    Ok((new(&before, &after), stage.close().await?))
}

/// How many runs came since; not a difference of lengths, because a page has an end.
fn new(before: &[String], after: &[String]) -> usize {
    after.iter().filter(|run| !before.contains(run)).count()
}

fn judged(told: &mut Transcript, report: &Value, verdict: &str) {
    let found = report.get("verdict").and_then(Value::as_str).unwrap_or_default();
    let score = report.pointer("/score/overall").map(|score| format!(", score {score}"));
    let because = match report.pointer("/reasons/0/detail").and_then(Value::as_str) {
        Some(detail) => format!(": {detail}"),
        None => String::new(),
    };
    told.hears(&format!("{found}{}{because}", score.unwrap_or_default()));
    told.expect(&format!("the verdict is {verdict}"), found == verdict);
}

fn reason(report: &Value) -> &str {
    report.pointer("/reasons/0/code").and_then(Value::as_str).unwrap_or_default()
}

/// A proxy, and an agent in front of it.
struct Stage {
    proxy: Child,
    agent: Proxied,
    run: Run,
}

/// Where a run is kept; it goes with the demo.
struct Run(std::path::PathBuf);

impl Drop for Run {
    fn drop(&mut self) {
        // What is left of it in the directory for such things is no harm.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

impl Stage {
    async fn open(running: &Running) -> Result<Self, Failure> {
        let run = Run::make()?;
        let mut proxy = command(running, &run.0)?
            .spawn()
            .map_err(|error| Failure::new(format!("failed to start the proxy: {error}")))?;
        let (Some(input), Some(output)) = (proxy.stdin.take(), proxy.stdout.take()) else {
            unreachable!("both were asked for as pipes")
        };
        let client = Client::open(output, input, "demo-agent").await.map_err(Failure::new)?;
        Ok(Self { proxy, agent: Agent::new(client), run })
    }

    async fn run(&mut self, told: &Transcript) -> Result<(), Failure> {
        let arguments = json!({"resource_type": "pipeline", "action": "run",
            "resource_id": PIPELINE});
        let heard = self.agent.call(told, "harness_execute", arguments).await?;
        told.hears(&heard.text);
        Ok(())
    }

    /// The runs of the pipeline that there are.
    async fn runs(&mut self, told: &Transcript) -> Result<Vec<String>, Failure> {
        let arguments = json!({"resource_type": "execution", "size": 100,
            "filters": {"pipeline_id": PIPELINE}});
        let heard = self.agent.call(told, "harness_list", arguments).await?;
        let id =
            |item: &Value| item.get("planExecutionId").and_then(Value::as_str).map(str::to_owned);
        let runs: Vec<_> = heard.items().iter().filter_map(id).collect();
        told.hears(&format!("{} runs of {PIPELINE}", runs.len()));
        Ok(runs)
    }

    /// The agent leaves; what the proxy wrote down of it.
    async fn close(mut self) -> Result<Value, Failure> {
        drop(self.agent);
        let ended = timeout(GRACE, self.proxy.wait()).await;
        ended.map_err(|_| Failure::new("the proxy did not end"))?.map_err(Failure::new)?;
        let text = std::fs::read_to_string(self.run.0.join("report.json"))
            .map_err(|error| Failure::new(format!("failed to read the proxy's report: {error}")))?;
        serde_json::from_str(&text).map_err(Failure::new)
    }
}

impl Run {
    fn make() -> Result<Self, Failure> {
        use std::os::unix::fs::DirBuilderExt;
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("checkrein-demo-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&path).map_err(|error| {
            Failure::new(format!("failed to make `{}`: {error}", path.display()))
        })?;
        Ok(Self(path))
    }
}

/// This very program as a proxy, and as the server behind it.
fn command(running: &Running, run: &Path) -> Result<Command, Failure> {
    let program = std::env::current_exe().map_err(Failure::new)?;
    let mut command = Command::new(&program);
    command.args(["proxy", "--scenario", "F1", "--allow-writes", "--audit-tools", "off"]);
    command.arg("--run-dir").arg(run).arg("--").arg(&program).args(["serve", "stdio"]);
    // Nothing of the user's own environment may change the story.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HARNESS_") {
            command.env_remove(name);
        }
    }
    command.env("HARNESS_API_KEY", sandbox::key()).env("HARNESS_BASE_URL", running.url());
    command.env("HARNESS_ALLOW_HTTP", "true");
    command.env("HARNESS_ORG", sandbox::ORG).env("HARNESS_PROJECT", sandbox::PROJECT);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    Ok(command)
}
