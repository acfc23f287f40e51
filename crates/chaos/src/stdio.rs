//! The proxy between two pipes: one thread, one `poll`, no frame copied twice.
//!
//! A single thread that waits for all pipes at once adds no hand-over between threads to a call,
//! and makes the order of events what the kernel says it was.

mod lines;
mod outbox;
mod upstream;

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use checkrein_ledger::{Entry, Event, Ledger, LedgerError, Start, Tool};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::engine::{Action, Audit, Config, Engine};
use lines::Lines;
use outbox::Outbox;
pub use upstream::Command;
use upstream::Upstream;

/// The agent's one connection on stdio.
const CONNECTION: u64 = 0;

/// How long the upstream may take to say which tools it has before calls go on without.
const LISTING_LIMIT: Duration = Duration::from_secs(15);

/// Bytes that may wait for one side; beyond, the other side is not read from. One frame may be
/// larger than this, so it is a mark, not a cap.
const QUEUE_MARK: usize = 4 << 20;

/// How many frames are decided on before the ledger and the report are written once for all.
const BATCH: usize = 512;

/// How long an upstream may take to leave after its input ended.
const LEAVE_LIMIT: Duration = Duration::from_millis(1500);

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
}

/// Why a run could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// The upstream could not be started.
    #[error("failed to start the upstream `{command}`: {source}")]
    Spawn {
        /// The command.
        command: String,
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
    let (mut ledger, before) = Ledger::open(&options.run_dir)?;
    let joined = ledger.append(|_| vec![Event::Started(options.start)])?;
    let member = joined.last().map_or(0, |entry| entry.seq);
    let mut engine = Engine::new(options.config, member);
    before.iter().for_each(|entry| engine.observe(entry));
    let earlier: Vec<Entry> = before.into_iter().chain(joined).collect();
    reporter.update(&earlier, Status::Starting, true).map_err(ProxyError::Report)?;

    let mut relay = Relay {
        engine,
        ledger,
        upstream: Upstream::start(options.command)?,
        agent: Outbox::new(io::stdout()),
        status: Status::Starting,
        has_answered: false,
        is_agent_closed: false,
        listing_since: None,
        reporter,
    };
    let ending = relay.turn_until_the_end();
    if let Err(error) = ending {
        relay.upstream.kill();
        return Err(error);
    }
    ending
}

struct Relay<'a> {
    engine: Engine,
    ledger: Ledger,
    upstream: Upstream,
    agent: Outbox<io::Stdout>,
    status: Status,
    has_answered: bool,
    is_agent_closed: bool,
    listing_since: Option<Instant>,
    reporter: &'a mut dyn Reporter,
}

/// What `poll` found.
#[derive(Default)]
struct Ready {
    agent_in: bool,
    agent_out: bool,
    upstream_in: bool,
    upstream_out: bool,
    signal: bool,
}

impl Relay<'_> {
    fn turn_until_the_end(&mut self) -> Result<Ending, ProxyError> {
        let (mut signals, trigger) = UnixStream::pair()?;
        for signal in [SIGINT, SIGTERM] {
            signal_hook::low_level::pipe::register(signal, trigger.try_clone()?)?;
        }
        let stdin = io::stdin();
        let mut from_agent = Lines::default();
        let mut from_upstream = Lines::default();
        loop {
            let ready = self.wait(stdin.as_fd(), signals.as_fd())?;
            if ready.signal {
                let mut one = [0; 1];
                let _ = signals.read(&mut one);
                return self.end(Ending::Signal);
            }
            if ready.agent_out {
                self.agent.flush_some()?;
            }
            if ready.upstream_out {
                self.upstream.flush_some();
            }
            if ready.upstream_in && !from_upstream.fill(self.upstream.output())? {
                self.frames_from_upstream(&mut from_upstream)?;
                return self.upstream_left();
            }
            if ready.agent_in && !from_agent.fill(stdin.as_fd())? {
                self.frames_from_agent(&mut from_agent)?;
                return self.end(Ending::EndOfInput);
            }
            self.frames_from_upstream(&mut from_upstream)?;
            self.frames_from_agent(&mut from_agent)?;
            self.check_listing()?;
        }
    }

    fn wait(&self, stdin: BorrowedFd<'_>, signals: BorrowedFd<'_>) -> io::Result<Ready> {
        let reads_agent =
            self.upstream.queued() < QUEUE_MARK && self.engine.held_bytes() < QUEUE_MARK;
        let reads_upstream = self.agent.queued() < QUEUE_MARK;
        let mut polled = vec![PollFd::from_borrowed_fd(signals, PollFlags::IN)];
        let mut which: Vec<fn(&mut Ready)> = vec![|ready| ready.signal = true];
        if reads_agent && !self.is_agent_closed {
            polled.push(PollFd::from_borrowed_fd(stdin, PollFlags::IN));
            which.push(|ready| ready.agent_in = true);
        }
        if reads_upstream {
            polled.push(PollFd::from_borrowed_fd(self.upstream.output(), PollFlags::IN));
            which.push(|ready| ready.upstream_in = true);
        }
        if self.agent.queued() > 0 {
            polled.push(PollFd::from_borrowed_fd(self.agent.as_fd(), PollFlags::OUT));
            which.push(|ready| ready.agent_out = true);
        }
        if let Some(input) = self.upstream.input().filter(|_| self.upstream.queued() > 0) {
            polled.push(PollFd::from_borrowed_fd(input, PollFlags::OUT));
            which.push(|ready| ready.upstream_out = true);
        }
        let limit = self.listing_since.map(|since| LISTING_LIMIT.saturating_sub(since.elapsed()));
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        match poll(&mut polled, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut ready = Ready::default();
        for (fd, mark) in polled.iter().zip(which) {
            if !fd.revents().is_empty() {
                mark(&mut ready);
            }
        }
        Ok(ready)
    }

    fn frames_from_agent(&mut self, lines: &mut Lines) -> Result<(), ProxyError> {
        self.frames(lines, |engine, frame| engine.from_agent(CONNECTION, frame))
    }

    fn frames_from_upstream(&mut self, lines: &mut Lines) -> Result<(), ProxyError> {
        self.frames(lines, |engine, frame| engine.from_upstream(CONNECTION, frame))
    }

    fn frames(
        &mut self,
        lines: &mut Lines,
        decide: impl Fn(&mut Engine, &[u8]) -> Vec<Action>,
    ) -> Result<(), ProxyError> {
        loop {
            let batch = lines.take(BATCH);
            if batch.is_empty() {
                return Ok(());
            }
            self.carry_out(|engine| {
                batch.iter().flat_map(|frame| decide(engine, frame)).collect()
            })?;
        }
    }

    /// Decides under the ledger's lock, so that what other processes did is known; writes down;
    /// and only then lets anything out.
    fn carry_out(
        &mut self,
        decide: impl FnOnce(&mut Engine) -> Vec<Action>,
    ) -> Result<(), ProxyError> {
        let engine = &mut self.engine;
        let mut effects = Vec::new();
        let entries = self.ledger.append(|others| {
            others.iter().for_each(|entry| engine.observe(entry));
            let mut events = Vec::new();
            for action in decide(engine) {
                match action {
                    Action::Record(event) => events.push(event),
                    effect => effects.push(effect),
                }
            }
            events
        })?;
        let is_call =
            |entry: &Entry| matches!(entry.event, Event::Forwarded { .. } | Event::Injected { .. });
        if self.status == Status::Starting && entries.iter().any(is_call) {
            self.status = Status::Running;
        }
        if !entries.is_empty() {
            let is_due = entries.iter().any(changes_the_report);
            self.reporter.update(&entries, self.status, is_due).map_err(ProxyError::Report)?;
        }
        effects.into_iter().try_for_each(|effect| self.let_out(effect))?;
        self.track_listing();
        Ok(())
    }

    fn let_out(&mut self, effect: Action) -> io::Result<()> {
        match effect {
            Action::ToAgent(frame) => {
                self.has_answered = true;
                self.agent.send(frame)
            }
            Action::ToUpstream(frame) => {
                self.upstream.send(frame);
                Ok(())
            }
            Action::Audit { id, audit, is_modern } => {
                let frame = audit_answer(&id, &self.reporter.audit(audit), is_modern);
                self.agent.send(frame)
            }
            Action::Announce(tools) => {
                self.reporter.announce(&tools);
                Ok(())
            }
            Action::CloseAgent => {
                self.is_agent_closed = true;
                Ok(())
            }
            Action::Record(_) => unreachable!("records were taken out before"),
        }
    }

    fn track_listing(&mut self) {
        let is_holding = self.engine.is_holding();
        if is_holding != self.listing_since.is_some() {
            self.listing_since = is_holding.then(Instant::now);
        }
    }

    fn check_listing(&mut self) -> Result<(), ProxyError> {
        if self.listing_since.is_some_and(|since| since.elapsed() >= LISTING_LIMIT) {
            self.carry_out(Engine::listing_timed_out)?;
        }
        Ok(())
    }

    fn upstream_left(&mut self) -> Result<Ending, ProxyError> {
        let status = self.upstream.wait(LEAVE_LIMIT);
        if !self.has_answered {
            let how = status.map_or("it still runs".to_owned(), |status| status.to_string());
            return Err(ProxyError::DeadOnArrival { command: self.upstream.name(), how });
        }
        let code = status.and_then(|status| status.code());
        self.carry_out(|engine| engine.upstream_gone(code))?;
        self.finish(Ending::UpstreamGone)
    }

    fn end(&mut self, ending: Ending) -> Result<Ending, ProxyError> {
        // The report first: what follows is only about leaving, and may take its time.
        self.finish(ending)
    }

    fn finish(&mut self, ending: Ending) -> Result<Ending, ProxyError> {
        let why = match ending {
            Ending::EndOfInput => "end_of_input",
            Ending::Signal => "signal",
            Ending::UpstreamGone => "upstream_gone",
        };
        let entries = self.ledger.append(|_| vec![Event::Finished { why: why.to_owned() }])?;
        self.reporter.update(&entries, Status::Finished, true).map_err(ProxyError::Report)?;
        self.agent.flush_all()?;
        self.upstream.leave(LEAVE_LIMIT);
        Ok(ending)
    }
}

/// Whether a report on disk would say something else after this entry.
fn changes_the_report(entry: &Entry) -> bool {
    matches!(
        entry.event,
        Event::Concluded { .. } | Event::Injected { .. } | Event::UpstreamGone { .. }
    )
}

fn audit_answer(id: &str, text: &str, is_modern: bool) -> Vec<u8> {
    let quoted = serde_json::Value::from(text);
    let kind = if is_modern { r#","resultType":"complete""# } else { "" };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{quoted}}}],"structuredContent":{text}{kind}}}}}"#
    )
    .into_bytes()
}
