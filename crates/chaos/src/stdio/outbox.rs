//! Frames waiting to be written to a pipe that may be full.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// What a pipe that polls writable takes without blocking (`PIPE_BUF`, POSIX `write`).
const SAFE_WRITE: usize = 4096;

/// Frames in order, each followed by a line end.
#[derive(Debug)]
pub(super) struct Outbox<P> {
    pipe: P,
    queue: VecDeque<Vec<u8>>,
    /// How much of the first frame is written.
    written: usize,
    bytes: usize,
}

impl<P: AsFd> Outbox<P> {
    pub(super) fn new(pipe: P) -> Self {
        Self { pipe, queue: VecDeque::new(), written: 0, bytes: 0 }
    }

    /// How many bytes wait.
    pub(super) fn queued(&self) -> usize {
        self.bytes
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Queues a frame, and writes at once what the pipe takes.
    pub(super) fn send(&mut self, mut frame: Vec<u8>) -> io::Result<()> {
        frame.push(b'\n');
        self.bytes += frame.len();
        self.queue.push_back(frame);
        self.flush_some()
    }

    /// Writes what the pipe takes without blocking.
    pub(super) fn flush_some(&mut self) -> io::Result<()> {
        while self.bytes > 0 && self.is_writable(Some(Timespec::default()))? {
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
        let Some(frame) = self.queue.front() else { return Ok(()) };
        let rest = frame.get(self.written..).unwrap_or_default();
        let piece = rest.get(..SAFE_WRITE).unwrap_or(rest);
        match rustix::io::write(&self.pipe, piece) {
            Ok(count) => {
                self.written += count;
                self.bytes -= count;
                if self.written == frame.len() {
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
