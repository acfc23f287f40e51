//! The proxy over Streamable HTTP: on the agent's side, on the upstream's, or on both.
//!
//! `switch` is the loop: it alone holds the engine, and everything else is a task that tells it
//! what happened and is told what to let out. What no fault touches passes as it came: method,
//! target, fields, status and body, and streams event by event.

mod added;
mod address;
mod asked;
mod children;
mod client;
mod exchange;
mod headers;
mod hearing;
mod in_flight;
mod input;
mod listener;
mod origin;
mod own;
mod parameters;
mod pipe;
mod reply;
mod resume;
mod route;
mod shapes;
mod sse;
mod switch;
mod tags;
mod tls;
mod visitor;
mod wire;

use std::cell::Cell;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;

use checkrein_ledger::Start;
use tokio::sync::mpsc;
use tokio::task::LocalSet;

pub use address::Address;
pub use visitor::{NoAnswer, Visitor};

use crate::book::Book;
use crate::engine::Config;
use crate::stdio::{Command, Ending, ProxyError, Reporter};
use children::Children;
use pipe::Pipe;
use switch::{Switch, Upstream};

/// The most bytes of one message.
const MAX_BODY: usize = 64 << 20;

/// How a run over HTTP is set up.
#[derive(Debug)]
pub struct Options {
    /// Where agents connect; the process's own pipes when absent.
    pub listen: Option<SocketAddr>,
    /// The upstream.
    pub upstream: To,
    /// The directory of the run.
    pub run_dir: PathBuf,
    /// What is to happen to calls.
    pub config: Config,
    /// What the ledger says of the set-up.
    pub start: Start,
}

/// Where the upstream is.
#[derive(Debug, Clone)]
pub enum To {
    /// Behind a URL.
    Url(Address),
    /// On the pipes of a process, one for each session.
    Command(Command),
}

/// Relays until `stop` is over or one side ends. `ready` is told where agents connect.
///
/// # Errors
/// When the address cannot be bound, or what happens can no longer be written down.
pub fn run(
    options: Options,
    reporter: &mut dyn Reporter,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<Ending, ProxyError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = LocalSet::new();
    let ending = local.block_on(&runtime, relay(options, reporter, ready, stop));
    drop(local);
    // A read of standard input that is underway cannot be taken back.
    runtime.shutdown_background();
    ending
}

async fn relay(
    options: Options,
    reporter: &mut dyn Reporter,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<Ending, ProxyError> {
    let Options { listen, upstream, run_dir, config, start } = options;
    // Before the ledger and the report: an address that is taken is a refusal to start.
    let bound = match listen {
        Some(address) => Some(
            listener::bind(address)
                .await
                .map_err(|source| ProxyError::Listen { address, source })?,
        ),
        None => None,
    };
    let holds_heads = switch::may_send_status(&config);
    let book = Book::open(&run_dir, start, config, reporter)?;
    #[expect(clippy::disallowed_methods, reason = "each sender waits for its last input")]
    let (inputs, arriving) = mpsc::unbounded_channel();
    let numbers = Rc::new(Cell::new(0));
    let upstream = match upstream {
        To::Url(address) => Upstream::Url(address),
        To::Command(command) => Upstream::Children(Children::new(command, inputs.clone())),
    };
    let agent = match bound {
        Some((listener, address)) => {
            let numbers = Rc::clone(&numbers);
            tokio::task::spawn_local(listener::listen(listener, inputs.clone(), numbers));
            ready(address);
            None
        }
        None => Some(Pipe::open(inputs.clone())),
    };
    let switch = Switch::new(book, upstream, agent, inputs, numbers, holds_heads);
    switch.turn(arriving, stop).await
}
