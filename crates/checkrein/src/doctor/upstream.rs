//! Starts the upstream, asks what it is and which tools it has, and ends it.

use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use checkrein_chaos::review::{Finding, Level};
use checkrein_chaos::stdio::Command;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::conversation::{Conversation, Trouble};

/// Servers in Python take many seconds on a busy machine; what is longer is a hang.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// What a server may take to leave once its input is closed.
const GRACE: Duration = Duration::from_secs(2);
/// From here on some clients run without the tools.
pub(super) const SLOW: Duration = Duration::from_millis(500);
/// The most pages of tools that are read, as in the proxy.
pub(super) const PAGE_LIMIT: usize = 200;
/// How much of its complaints is kept.
const COMPLAINT_BYTES: usize = 500;
pub(super) const HANDSHAKE: &str = "2025-11-25";
pub(super) const STATELESS: &str = "2026-07-28";

/// What an upstream said of itself.
pub(super) struct Visit {
    /// From its start to its first answer.
    pub(super) start: Duration,
    pub(super) server: String,
    pub(super) protocol: String,
    /// Its tools as it lists them.
    pub(super) tools: Vec<Value>,
    pub(super) strays: u32,
    /// It ran already: the time is from the question on.
    pub(super) is_running: bool,
}

/// Why there is nothing to say of it.
pub(super) struct NoVisit {
    pub(super) text: String,
    pub(super) mend: &'static str,
}

/// Visits it.
pub(super) async fn visit(command: &Command) -> Result<Visit, NoVisit> {
    let mut builder = tokio::process::Command::new(&command.program);
    builder.args(&command.arguments).envs(command.environment.iter().cloned());
    builder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that whatever it starts can be ended with it.
    builder.process_group(0).kill_on_drop(true);
    if let Some(directory) = &command.directory {
        builder.current_dir(directory);
    }
    let since = Instant::now();
    let mut child = builder.spawn().map_err(|error| NoVisit {
        text: format!("`{}` cannot be started: {error}", command.program.to_string_lossy()),
        mend: "name a program that is there: an absolute path works from every directory",
    })?;
    let (Some(input), Some(output), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        unreachable!("all three were asked for as pipes")
    };
    let complaints = tokio::spawn(last_words(stderr));
    let mut conversation = Conversation::new(input, output);
    let talked = talk(&mut conversation, since).await;
    // Its input closes with it, which is how a client takes leave.
    drop(conversation);
    let status = leave(&mut child).await;
    match talked {
        Ok(visit) => Ok(visit),
        Err(trouble) => Err(explain(trouble, status, complaints).await),
    }
}

async fn talk(conversation: &mut Conversation, since: Instant) -> Result<Visit, Trouble> {
    let client = json!({"name": "checkrein-doctor", "version": env!("CARGO_PKG_VERSION")});
    let hello = json!({"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": client});
    let greeted = conversation.request("initialize", hello, PATIENCE).await;
    let start = since.elapsed();
    let mut params = json!({});
    let (info, protocol) = match greeted {
        Ok(greeted) => {
            conversation.notify("notifications/initialized").await?;
            let protocol = greeted.get("protocolVersion").and_then(Value::as_str);
            let protocol = protocol.unwrap_or(HANDSHAKE).to_owned();
            (greeted.get("serverInfo").cloned(), protocol)
        }
        // A server of the stateless revision alone knows no handshake.
        Err(Trouble::Refused(_)) => {
            params = json!({"_meta": {
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": client,
                "io.modelcontextprotocol/clientCapabilities": {},
            }});
            (None, STATELESS.to_owned())
        }
        Err(trouble) => return Err(trouble),
    };
    let tools = tools(conversation, params).await?;
    Ok(Visit {
        start,
        server: name_of(info.as_ref()),
        protocol,
        tools,
        strays: conversation.strays,
        is_running: false,
    })
}

async fn tools(conversation: &mut Conversation, mut params: Value) -> Result<Vec<Value>, Trouble> {
    let mut tools = Vec::new();
    for _ in 0..PAGE_LIMIT {
        let mut page = conversation.request("tools/list", params.clone(), PATIENCE).await?;
        if let Some(Value::Array(listed)) = page.get_mut("tools").map(Value::take) {
            tools.extend(listed);
        }
        let Some(cursor) = page.get("nextCursor").and_then(Value::as_str) else { break };
        if let Some(params) = params.as_object_mut() {
            params.insert("cursor".to_owned(), json!(cursor));
        }
    }
    Ok(tools)
}

pub(super) fn name_of(info: Option<&Value>) -> String {
    let part = |key: &str| info?.get(key)?.as_str();
    match (part("name"), part("version")) {
        (Some(name), Some(version)) => format!("`{name}` {version}"),
        (Some(name), None) => format!("`{name}`"),
        (None, _) => "a server without a name".to_owned(),
    }
}

/// Waits a little for its end, and ends it with all it started.
async fn leave(child: &mut Child) -> Option<ExitStatus> {
    let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let status = timeout(GRACE, child.wait()).await.ok().and_then(Result::ok);
    if let Some(group) = group {
        // Gone already is what it should be.
        let _ = kill_process_group(group, Signal::KILL);
    }
    status
}

async fn explain(
    trouble: Trouble,
    status: Option<ExitStatus>,
    complaints: JoinHandle<String>,
) -> NoVisit {
    let said = timeout(GRACE, complaints).await.ok().and_then(Result::ok).unwrap_or_default();
    let said = if said.is_empty() { said } else { format!("; it said: {said}") };
    match trouble {
        Trouble::Silent => NoVisit {
            text: format!("it said nothing for {} s{said}", PATIENCE.as_secs()),
            mend: "check that it speaks MCP on its standard streams and needs no terminal",
        },
        Trouble::Left => NoVisit {
            text: match status {
                Some(status) => format!("it left before it had answered ({status}){said}"),
                None => format!("it left before it had answered{said}"),
            },
            mend: "start it by hand and see what it misses: often a variable or a working directory",
        },
        Trouble::Refused(why) => NoVisit {
            text: format!("it does not list its tools: {why}"),
            mend: "the proxy can only try out servers with tools",
        },
    }
}

/// The end of what it writes to standard error; it may write for ever, and without line ends.
async fn last_words(mut stderr: ChildStderr) -> String {
    let mut last = Vec::new();
    let mut piece = [0; 1024];
    while let Ok(size @ 1..) = stderr.read(&mut piece).await {
        last.extend(piece.iter().take(size));
        last.drain(..last.len().saturating_sub(COMPLAINT_BYTES));
    }
    String::from_utf8_lossy(&last).lines().collect::<Vec<_>>().join(" / ")
}

/// What there is to say of it.
pub(super) fn findings(visit: &Result<Visit, NoVisit>) -> Vec<Finding> {
    let visit = match visit {
        Ok(visit) => visit,
        Err(none) => {
            let problem = Finding::new(Level::Problem, "start", &none.text).mend(none.mend);
            return vec![problem];
        }
    };
    let mut findings = vec![
        Finding::new(
            Level::Ok,
            "protocol",
            format!("it is {} and speaks {}", visit.server, visit.protocol),
        ),
        if visit.is_running { answer(visit.start) } else { start(visit.start) },
    ];
    if visit.strays > 0 {
        let text = match visit.strays {
            1 => "it wrote a line to its output that is no message".to_owned(),
            strays => format!("it wrote {strays} lines to its output that are no messages"),
        };
        let mend = "let it log to standard error: some clients hang on such a line";
        findings.push(Finding::new(Level::Warning, "strays", text).mend(mend));
    }
    findings
}

fn answer(time: Duration) -> Finding {
    let text = format!("its first answer came {} ms after it was asked", time.as_millis());
    if time <= SLOW {
        return Finding::new(Level::Ok, "answer_time", text);
    }
    Finding::new(
        Level::Warning,
        "answer_time",
        format!("{text}: some clients do not wait that long"),
    )
    .mend("wake it up by a request beforehand; a run whose agent saw no tools is NOT_TESTED")
}

fn start(start: Duration) -> Finding {
    let text = format!("its first answer came {} ms after its start", start.as_millis());
    if start <= SLOW {
        return Finding::new(Level::Ok, "start_time", text);
    }
    Finding::new(
        Level::Warning,
        "start_time",
        format!("{text}: some clients do not wait that long"),
    )
    .mend(
        "start it once beforehand, or from an installed program instead of a package runner; a \
             run whose agent saw no tools is NOT_TESTED",
    )
}
