//! `checkrein demo`: the main job with nothing to set up.
//!
//! The sandbox is started, the platform server is put in front of it, and a scripted agent talks to
//! that server over the real protocol. At the end two agents lose the answer to a write behind the
//! chaos proxy, and each gets its verdict. Every step states what must come of it; the exit status
//! says whether all of it did.

mod agent;
mod chaos;
mod story;
mod transcript;

use std::sync::Arc;

use checkrein_mcp::{CancellationToken, Client, ToolSet, serve_streams};
use checkrein_sandbox::Running;
use checkrein_settings::{LogLevel, ServeSettings, Sources, Transport};
use clap::Args;
use serde_json::json;
use tokio::io::{DuplexStream, duplex};

use self::agent::Agent;
use self::transcript::Transcript;
use crate::failure::Failure;
use crate::terminal::{Style, say};
use crate::{logging, sandbox, serve, shipped, until};

/// Room for a few messages on their way; a longer one waits for its reader.
const PIPE: usize = 256 * 1024;

/// What `demo` is told.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Leave the sandbox up, and print how an agent of yours reaches it
    #[arg(long)]
    keep: bool,
}

/// Plays the story, and fails when any of it did not come true.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    logging::start(LogLevel::Error);
    let runtime = until::runtime()?;
    let played = runtime.block_on(play(arguments.keep));
    runtime.shutdown_background();
    played
}

async fn play(keep: bool) -> Result<(), Failure> {
    let style = Style::of_stdout();
    let running = sandbox::embedded(&checkrein_builtin::catalog()).await?;
    say(&style.bold("Checkrein demo: an agent drives a platform, with no account and no network"));
    say(&format!(
        "The sandbox is at {}, the agent talks to a server in front of it.",
        running.url()
    ));
    let mut transcript = Transcript::new(style);
    let told = async {
        let mut agent = connect(&running, false).await?;
        story::drive(&mut agent, &mut transcript).await?;
        let mut reader = connect(&running, true).await?;
        story::be_refused(&mut reader, &mut transcript).await?;
        chaos::compare(&running, &mut transcript).await
    }
    .await;
    transcript.sum_up();
    if told.is_ok() && keep {
        stay(&running).await?;
    }
    running.stop().await;
    told?;
    match transcript.broken() {
        0 => Ok(()),
        broken => Err(Failure::new(format!("{broken} expectations of the demo did not hold"))),
    }
}

/// An agent connected to a fresh server in front of the sandbox.
async fn connect(running: &Running, read_only: bool) -> Result<Agent, Failure> {
    let (agent_reads, server_writes) = duplex(PIPE);
    let (server_reads, agent_writes) = duplex(PIPE);
    let tools = tools(running, read_only)?;
    tokio::spawn(serve_streams(tools, server_reads, server_writes, CancellationToken::new()));
    let client: Client<DuplexStream, DuplexStream> =
        Client::open(agent_reads, agent_writes, "demo-agent").await.map_err(Failure::new)?;
    Ok(Agent::new(client))
}

fn tools(running: &Running, read_only: bool) -> Result<Arc<dyn ToolSet>, Failure> {
    // Nothing of the user's own environment may change the story.
    let settings = ServeSettings::read(&Sources::default(), Transport::Stdio, true).0;
    let mut settings = settings.map_err(Failure::new)?;
    sandbox::point_at(running, &mut settings)?;
    settings.read_only = read_only;
    let (catalog, _) = shipped::with_directories(&[]);
    Ok(Arc::new(serve::tools(&settings, catalog)?))
}

async fn stay(running: &Running) -> Result<(), Failure> {
    let program = std::env::current_exe().map_err(Failure::new)?;
    let server = json!({"mcpServers": {"checkrein-demo": {
        "command": program,
        "args": ["serve", "stdio"],
        "env": {
            "HARNESS_API_KEY": sandbox::key(),
            "HARNESS_BASE_URL": running.url(),
            "HARNESS_ALLOW_HTTP": "true",
            "HARNESS_ORG": sandbox::ORG,
            "HARNESS_PROJECT": sandbox::PROJECT,
        },
    }}});
    let server = serde_json::to_string_pretty(&server).map_err(Failure::new)?;
    say(&format!(
        "\nThe sandbox stays up until you press Ctrl-C. Let an agent of yours in:\n\n{server}"
    ));
    until::stopped().cancelled().await;
    Ok(())
}
