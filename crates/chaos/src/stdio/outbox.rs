//! Frames waiting to be written to a pipe that may be full.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// What a pipe that polls writable takes without blocking (`PIPE_BUF`, POSIX `write`).
const SAFE_WRITE: usize = 4096;

/// How fast a frame leaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// The bytes of a piece.
    pub(super) bytes: usize,
    /// Between two pieces.
    pub(super) every: Duration,
}

#[derive(Debug)]
struct Parcel {
    frame: Vec<u8>,
    pace: Option<Pace>,
}

/// Frames in order, each followed by a line end.
#[derive(Debug)]
pub(super) struct Outbox<P> {
    pipe: P,
    queue: VecDeque<Parcel>,
    /// Until then nothing leaves.
    rests_until: Option<Instant>,
    /// How much of the first frame is written.
    written: usize,
    bytes: usize,
}

impl<P: AsFd> Outbox<P> {
    pub(super) fn new(pipe: P) -> Self {
        Self { pipe, queue: VecDeque::new(), rests_until: None, written: 0, bytes: 0 }
    }

    /// How many bytes wait.
    pub(super) fn queued(&self) -> usize {
        self.bytes
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Queues a frame, and writes at once what the pipe takes.
    pub(super) fn send(&mut self, frame: Vec<u8>) -> io::Result<()> {
        self.queue_up(frame, None)
    }

    /// Queues a frame that leaves piece by piece; what follows waits for it.
    pub(super) fn send_slowly(&mut self, frame: Vec<u8>, pace: Pace) -> io::Result<()> {
        self.queue_up(frame, Some(pace))
    }

    fn queue_up(&mut self, mut frame: Vec<u8>, pace: Option<Pace>) -> io::Result<()> {
        frame.push(b'\n');
        self.bytes += frame.len();
        self.queue.push_back(Parcel { frame, pace });
        self.flush_some()
    }

    /// How long it rests between two pieces, if it does.
    pub(super) fn rests_for(&self) -> Option<Duration> {
        let until = self.rests_until.filter(|_| self.bytes > 0)?;
        Some(until.saturating_duration_since(Instant::now()))
    }

    /// Whether there is something to write and no rest to keep.
    pub(super) fn is_ready_to_write(&self) -> bool {
        self.bytes > 0 && self.rests_for().is_none_or(|left| left.is_zero())
    }

    /// Whether a rest is over.
    pub(super) fn is_due(&self) -> bool {
        self.rests_for().is_some_and(|left| left.is_zero())
    }

    /// Writes what the pipe takes without blocking.
    pub(super) fn flush_some(&mut self) -> io::Result<()> {
        while self.is_ready_to_write() && self.is_writable(Some(Timespec::default()))? {
            self.write_once()?;
        }
        Ok(())
    }

    /// Writes everything, waiting for the reader.
    pub(super) fn flush_all(&mut self) -> io::Result<()> {
        while self.bytes > 0 {
            let second = Timespec { tv_sec: 1, tv_nsec: 0 };
            if !self.is_writable(Some(second))? {
                // A reader that takes nothing for a second has gone to sleep or away.
                return Ok(());
            }
            self.write_once()?;
        }
        Ok(())
    }

    fn is_writable(&self, limit: Option<Timespec>) -> io::Result<bool> {
        let mut polled = [PollFd::new(&self.pipe, PollFlags::OUT)];
        match poll(&mut polled, limit.as_ref()) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn write_once(&mut self) -> io::Result<()> {
        let Some(Parcel { frame, pace }) = self.queue.front() else { return Ok(()) };
        let rest = frame.get(self.written..).unwrap_or_default();
        let most = pace.map_or(SAFE_WRITE, |pace| pace.bytes.clamp(1, SAFE_WRITE));
        let piece = rest.get(..most).unwrap_or(rest);
        self.rests_until = pace.and_then(|pace| Instant::now().checked_add(pace.every));
        match rustix::io::write(&self.pipe, piece) {
            Ok(count) => {
                self.written += count;
                self.bytes -= count;
                if self.written == frame.len() {
                    self.rests_until = None;
                    self.queue.pop_front();
                    self.written = 0;
                }
                Ok(())
            }
            Err(Errno::INTR | Errno::AGAIN) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
