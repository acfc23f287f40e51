//! The loop: waits for pipes and timers, asks the engine, writes down, and lets out.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::lines::Lines;
use super::outbox::{Outbox, Pace};
use super::upstream::Upstream;
use super::{Command, Ending, ProxyError};
use crate::alarms::Alarms;
use crate::book::{Book, audit_answer};
use crate::engine::{Action, Engine};
use crate::faults::Shape;

/// The agent's one connection on stdio.
const CONNECTION: u64 = 0;

/// Bytes that may wait for one side; beyond, the other side is not read from. One frame may be
/// larger than this, so it is a mark, not a cap.
const QUEUE_MARK: usize = 4 << 20;

/// How many frames are decided on before the ledger and the report are written once for all.
const BATCH: usize = 512;

/// How long an upstream may take to leave after its input ended.
const LEAVE_LIMIT: Duration = Duration::from_millis(1500);

/// How long answers are awaited that the harness itself has asked for when the agent left.
const SETTLE_LIMIT: Duration = Duration::from_millis(1500);

pub(super) struct Relay<'a> {
    book: Book<'a>,
    command: Command,
    upstream: Upstream,
    agent: Outbox<io::Stdout>,
    from_agent: Lines,
    alarms: Alarms,
    has_answered: bool,
    is_agent_closed: bool,
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

impl<'a> Relay<'a> {
    pub(super) fn new(book: Book<'a>, command: Command) -> Result<Self, ProxyError> {
        let upstream = Upstream::start(&command)?;
        Ok(Self {
            book,
            command,
            upstream,
            agent: Outbox::new(io::stdout()),
            from_agent: Lines::default(),
            alarms: Alarms::default(),
            has_answered: false,
            is_agent_closed: false,
        })
    }

    /// Relays until one side ends.
    pub(super) fn turn_until_the_end(&mut self) -> Result<Ending, ProxyError> {
        let ending = self.turn();
        if ending.is_err() {
            self.upstream.kill();
        }
        ending
    }

    fn turn(&mut self) -> Result<Ending, ProxyError> {
        let (mut signals, trigger) = UnixStream::pair()?;
        for signal in [SIGINT, SIGTERM] {
            signal_hook::low_level::pipe::register(signal, trigger.try_clone()?)?;
        }
        let stdin = io::stdin();
        loop {
            let ready = self.wait(Some(stdin.as_fd()), signals.as_fd(), None)?;
            if ready.signal {
                let mut one = [0; 1];
                let _ = signals.read(&mut one);
                return self.end(Ending::Signal, signals.as_fd());
            }
            self.write_what_waits(&ready)?;
            if ready.upstream_in && !self.upstream.fill()? {
                self.frames_from_upstream()?;
                return self.upstream_left();
            }
            if ready.agent_in && !self.from_agent.fill(stdin.as_fd())? {
                self.frames_from_agent()?;
                return self.end(Ending::EndOfInput, signals.as_fd());
            }
            self.frames_from_upstream()?;
            self.frames_from_agent()?;
            self.ring()?;
            if self.is_agent_closed {
                return self.end(Ending::Closed, signals.as_fd());
            }
        }
    }

    fn write_what_waits(&mut self, ready: &Ready) -> io::Result<()> {
        if ready.agent_out || self.agent.is_due() {
            self.agent.flush_some()?;
        }
        if ready.upstream_out {
            self.upstream.flush_some();
        }
        Ok(())
    }

    fn wait(
        &self,
        stdin: Option<BorrowedFd<'_>>,
        signals: BorrowedFd<'_>,
        limit: Option<Duration>,
    ) -> io::Result<Ready> {
        let reads_agent =
            self.upstream.queued() < QUEUE_MARK && self.book.engine.held_bytes() < QUEUE_MARK;
        let reads_upstream = self.agent.queued() < QUEUE_MARK;
        let mut polled = vec![PollFd::from_borrowed_fd(signals, PollFlags::IN)];
        let mut which: Vec<fn(&mut Ready)> = vec![|ready| ready.signal = true];
        if let Some(stdin) = stdin.filter(|_| reads_agent) {
            polled.push(PollFd::from_borrowed_fd(stdin, PollFlags::IN));
            which.push(|ready| ready.agent_in = true);
        }
        if reads_upstream {
            polled.push(PollFd::from_borrowed_fd(self.upstream.output(), PollFlags::IN));
            which.push(|ready| ready.upstream_in = true);
        }
        if self.agent.is_ready_to_write() {
            polled.push(PollFd::from_borrowed_fd(self.agent.as_fd(), PollFlags::OUT));
            which.push(|ready| ready.agent_out = true);
        }
        if let Some(input) = self.upstream.input().filter(|_| self.upstream.queued() > 0) {
            polled.push(PollFd::from_borrowed_fd(input, PollFlags::OUT));
            which.push(|ready| ready.upstream_out = true);
        }
        let limits = [limit, self.alarms.next_in(), self.agent.rests_for()];
        let limit = limits.into_iter().flatten().min();
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

    fn frames_from_agent(&mut self) -> Result<(), ProxyError> {
        loop {
            let batch = self.from_agent.take(BATCH);
            if batch.is_empty() {
                return Ok(());
            }
            self.carry_out(|engine| {
                batch.iter().flat_map(|frame| engine.from_agent(CONNECTION, frame)).collect()
            })?;
        }
    }

    fn frames_from_upstream(&mut self) -> Result<(), ProxyError> {
        loop {
            let batch = self.upstream.take(BATCH);
            if batch.is_empty() {
                return Ok(());
            }
            self.carry_out(|engine| {
                batch.iter().flat_map(|frame| engine.from_upstream(CONNECTION, frame)).collect()
            })?;
        }
    }

    /// Tells the engine which waits are over.
    fn ring(&mut self) -> Result<(), ProxyError> {
        while let Some(token) = self.alarms.take_due() {
            self.carry_out(|engine| engine.timer(token))?;
        }
        Ok(())
    }

    fn carry_out(
        &mut self,
        decide: impl FnOnce(&mut Engine) -> Vec<Action>,
    ) -> Result<(), ProxyError> {
        let effects = self.book.decide(decide)?;
        effects.into_iter().try_for_each(|effect| self.let_out(effect))
    }

    fn let_out(&mut self, effect: Action) -> Result<(), ProxyError> {
        match effect {
            Action::ToAgent(_, frame) => {
                self.has_answered = true;
                self.agent.send(frame)?;
            }
            Action::Drip { frame, bytes, every, .. } => {
                self.agent.send_slowly(frame, Pace { bytes, every })?;
            }
            Action::ToUpstream(_, frame) => self.upstream.send(frame),
            Action::Audit { id, audit, is_modern, .. } => {
                let frame = audit_answer(&id, &self.book.reporter.audit(audit), is_modern);
                self.agent.send(frame)?;
            }
            Action::Announce(tools) => self.book.reporter.announce(&tools),
            // The other shapes are those of another transport.
            Action::Break { shape, .. } => self.is_agent_closed |= shape == Shape::Close,
            Action::RestartUpstream => {
                self.upstream.kill();
                self.upstream = Upstream::start(&self.command)?;
                self.carry_out(Engine::upstream_started)?;
            }
            Action::Wait { token, after } => self.alarms.set(token, after),
            Action::Record(_) => unreachable!("records were taken out before"),
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

    fn end(&mut self, ending: Ending, signals: BorrowedFd<'_>) -> Result<Ending, ProxyError> {
        self.carry_out(Engine::closing)?;
        self.settle(signals)?;
        // The report first: what follows is only about leaving, and may take its time.
        self.finish(ending)
    }

    /// Hears the answers to what the harness itself has asked; an impatient signal ends it.
    fn settle(&mut self, signals: BorrowedFd<'_>) -> Result<(), ProxyError> {
        let until = Instant::now() + SETTLE_LIMIT;
        while self.book.engine.is_settling() && Instant::now() < until {
            let ready = self.wait(None, signals, Some(Duration::from_millis(50)))?;
            self.write_what_waits(&ready)?;
            let is_over = ready.signal || ready.upstream_in && !self.upstream.fill()?;
            self.frames_from_upstream()?;
            self.ring()?;
            if is_over {
                break;
            }
        }
        Ok(())
    }

    fn finish(&mut self, ending: Ending) -> Result<Ending, ProxyError> {
        let why = match ending {
            Ending::EndOfInput => "end_of_input",
            Ending::Signal => "signal",
            Ending::UpstreamGone => "upstream_gone",
            Ending::Closed => "closed",
        };
        self.book.close(why)?;
        self.agent.flush_all()?;
        self.upstream.leave(LEAVE_LIMIT);
        Ok(ending)
    }
}
