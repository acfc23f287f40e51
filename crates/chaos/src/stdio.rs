//! The proxy between two pipes: one thread, one `poll`, no frame copied twice.
//!
//! A single thread that waits for all pipes at once adds no hand-over between threads to a call,
//! and makes the order of events what the kernel says it was.

mod lines;
mod outbox;
mod relay;
mod upstream;

use std::io;
use std::path::PathBuf;

use checkrein_ledger::{Entry, LedgerError, Start, Tool};

use crate::book::Book;
use crate::engine::{Audit, Config};
use relay::Relay;
pub use upstream::Command;

/// Where the run's progress goes: the report file and the user.
pub trait Reporter {
    /// Takes in new entries and, when `is_due`, puts the report on disk. Called before the agent
    /// can see what the entries say.
    ///
    /// # Errors
    /// When the report cannot be written: then the agent must get no further answer.
    fn update(&mut self, entries: &[Entry], status: Status, is_due: bool) -> io::Result<()>;

    /// The text of an audit tool's answer, a JSON object.
    fn audit(&self, audit: Audit) -> String;

    /// Tells the user which tools there are; empty when the upstream would not say.
    fn announce(&mut self, tools: &[Tool]);
}

/// How far the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// No call was forwarded or answered yet.
    Starting,
    /// Calls are being made.
    Running,
    /// The run is over.
    Finished,
}

/// How a run is set up.
#[derive(Debug)]
pub struct Options {
    /// The upstream.
    pub command: Command,
    /// The directory of the run.
    pub run_dir: PathBuf,
    /// What is to happen to calls.
    pub config: Config,
    /// What the ledger says of the set-up.
    pub start: Start,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The agent closed its side.
    EndOfInput,
    /// A signal.
    Signal,
    /// The upstream went away.
    UpstreamGone,
    /// A fault closed the agent's connection.
    Closed,
}

/// What to do about a program that is not there.
fn where_to_look(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound => "; give its path, or see that it is on PATH",
        _ => "",
    }
}

/// Why a run could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// The upstream could not be started.
    #[error("failed to start the upstream `{command}`: {source}{}", where_to_look(source))]
    Spawn {
        /// The command.
        command: String,
        /// The cause.
        source: io::Error,
    },
    /// The address cannot be listened on.
    #[error("failed to listen on `{address}`: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// It went away before it had answered anything.
    #[error("the upstream `{command}` ended before it answered ({how}); its own output is above")]
    DeadOnArrival {
        /// The command.
        command: String,
        /// Its exit status.
        how: String,
    },
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The report.
    #[error("failed to write the report, so the agent gets no further answer: {0}")]
    Report(io::Error),
    /// The pipes.
    #[error("failed to relay: {0}")]
    Relay(#[from] io::Error),
}

/// Runs the proxy on this process's standard input and output until one side ends.
///
/// # Errors
/// When the upstream cannot be started, or what happens can no longer be written down.
pub fn run(options: Options, reporter: &mut dyn Reporter) -> Result<Ending, ProxyError> {
    let Options { command, run_dir, config, start } = options;
    let book = Book::open(&run_dir, start, config, reporter)?;
    let mut relay = Relay::new(book, command)?;
    relay.turn_until_the_end()
}
