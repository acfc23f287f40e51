//! Measures the limits that the design promises, on this machine and in proportion to it.

mod bare;
mod cpu;
mod program;
mod upstream;

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use self::program::Program;
use self::upstream::Upstream;
use crate::checks::BINARY_LIMIT;
use crate::house::House;
use crate::run;

/// Starts that are timed; the middle one counts.
const STARTS: usize = 31;
/// Calls before counting, so that connections are open and caches warm.
const WARM_UP: usize = 100;
/// Calls that are counted.
const CALLS: usize = 2000;
/// How long a server rests before its memory is read.
const REST: Duration = Duration::from_millis(500);

/// A row of the table.
struct Row {
    what: &'static str,
    measured: f64,
    limit: Option<f64>,
    unit: &'static str,
}

impl Row {
    fn limited(what: &'static str, measured: f64, limit: f64, unit: &'static str) -> Self {
        Self { what, measured, limit: Some(limit), unit }
    }

    fn is_kept(&self) -> bool {
        self.limit.is_none_or(|limit| self.measured <= limit)
    }
}

/// Builds the release binary, measures it, prints a table and says whether every limit is kept.
pub(crate) fn run(house: &House) -> Result<bool> {
    crate::checks::release(house)?;
    let upstream = Upstream::start()?;
    let mut rows = vec![size(house)?, start(house, &upstream)?];
    rows.extend(at_rest(house, &upstream)?);
    rows.extend(list(house, &upstream)?);
    let proxy = proxy(house);

    println!("\n{:<44} {:>10} {:>10}", "", "measured", "limit");
    for row in &rows {
        let limit = row.limit.map_or_else(String::new, |limit| format!("{limit:.1}"));
        let mark = if row.is_kept() { "" } else { "  OVER" };
        println!("{:<44} {:>10.1} {limit:>10} {}{mark}", row.what, row.measured, row.unit);
    }
    if let Err(error) = &proxy {
        println!("the proxy is over a limit: {error:#}");
    }
    Ok(rows.iter().all(Row::is_kept) && proxy.is_ok())
}

/// What the proxy adds to a call, pair by pair beside a direct connection, and its memory.
fn proxy(house: &House) -> Result<()> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["test", "--quiet", "-p", "checkrein-it", "--locked", "--test", "it", "--"]);
    command.args(["the_added_time_and_the_memory_are_small", "--ignored", "--nocapture"]);
    command.env("CHECKREIN_BIN", house.release_binary()).current_dir(&house.root);
    let lines = run::shown(&mut command)?;
    ensure!(lines.iter().any(|line| line.contains("1 passed")), "the measurement did not run");
    Ok(())
}

fn size(house: &House) -> Result<Row> {
    let bytes = std::fs::metadata(house.release_binary())?.len();
    Ok(Row::limited("release binary", bytes as f64 / 1e6, BINARY_LIMIT as f64 / 1e6, "MB"))
}

fn start(house: &House, upstream: &Upstream) -> Result<Row> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let (_, took) = Program::start(&house.release_binary(), upstream)?;
        times.push(took);
    }
    times.sort_unstable();
    let middle = times.get(STARTS / 2).context("no start was timed")?;
    Ok(Row::limited("start to first answer", middle.as_secs_f64() * 1e3, 10.0, "ms"))
}

fn at_rest(house: &House, upstream: &Upstream) -> Result<Vec<Row>> {
    let (mut program, _) = Program::start(&house.release_binary(), upstream)?;
    let tools = program.request("tools/list", &json!({}))?;
    let described = program.call("harness_describe", &json!({}))?;
    #[expect(clippy::disallowed_methods, reason = "there is no runtime here to block")]
    std::thread::sleep(REST);
    let kilobytes = |bytes: usize| bytes as f64 / 1e3;
    let text = described.pointer("/content/0/text").and_then(Value::as_str);
    let text = text.context("`harness_describe` gave no text")?;
    Ok(vec![
        Row::limited("memory at rest", program.resident_bytes()? as f64 / 1e6, 15.0, "MB"),
        Row::limited("tools/list", kilobytes(tools.to_string().len()), 7.0, "kB"),
        Row::limited("harness_describe, the text", kilobytes(text.len()), 12.0, "kB"),
        Row {
            what: "harness_describe, the whole result",
            measured: kilobytes(described.to_string().len()),
            limit: None,
            unit: "kB",
        },
    ])
}

fn list(house: &House, upstream: &Upstream) -> Result<Vec<Row>> {
    let (mut program, _) = Program::start(&house.release_binary(), upstream)?;
    let arguments = json!({ "resource_type": "pipeline" });
    let answer = program.call("harness_list", &arguments)?;
    let items = answer.pointer("/structuredContent/items").and_then(Value::as_array);
    ensure!(
        items.is_some_and(|items| items.len() == upstream::PIPELINES),
        "`harness_list` did not give the {} pipelines: {answer}",
        upstream::PIPELINES
    );
    for _ in 0..WARM_UP {
        program.call("harness_list", &arguments)?;
    }
    let before = cpu::of_process(program.id())?;
    for _ in 0..CALLS {
        program.call("harness_list", &arguments)?;
    }
    let ours = per_call(cpu::of_process(program.id())?.saturating_sub(before));
    let bare = per_call(bare::cpu(upstream.address(), WARM_UP, CALLS)?);
    Ok(vec![
        Row {
            what: "reply of 20 pipelines",
            measured: upstream.reply_bytes() as f64 / 1e3,
            limit: None,
            unit: "kB",
        },
        Row::limited("CPU per harness_list of it", ours, 400.0, "µs"),
        Row { what: "CPU of a bare HTTP client for it", measured: bare, limit: None, unit: "µs" },
        Row { what: "the one by the other", measured: ours / bare, limit: None, unit: "times" },
    ])
}

fn per_call(total: Duration) -> f64 {
    total.as_secs_f64() * 1e6 / CALLS as f64
}
