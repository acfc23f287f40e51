//! The upstream as a child process in a group of its own.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::ProxyError;
use super::lines::Lines;
use super::outbox::Outbox;

/// How to start the upstream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its working directory; ours when absent.
    pub directory: Option<PathBuf>,
    /// Variables added to ours.
    pub environment: Vec<(OsString, OsString)>,
}

/// A running upstream.
#[derive(Debug)]
pub(super) struct Upstream {
    name: String,
    child: Child,
    input: Option<Outbox<ChildStdin>>,
    output: ChildStdout,
    lines: Lines,
}

/// How often a leaving child is looked at.
const LOOK: Duration = Duration::from_millis(5);

impl Upstream {
    pub(super) fn start(command: &Command) -> Result<Self, ProxyError> {
        let name = command.program.to_string_lossy().into_owned();
        let spawn = |source| ProxyError::Spawn { command: name.clone(), source };
        let mut builder = std::process::Command::new(&command.program);
        builder.args(&command.arguments).envs(command.environment.iter().cloned());
        builder.stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own, so that whatever it starts can be ended with it.
        builder.process_group(0);
        if let Some(directory) = &command.directory {
            builder.current_dir(directory);
        }
        let mut child = builder.spawn().map_err(spawn)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both were asked for as pipes")
        };
        Ok(Self { name, child, input: Some(Outbox::new(input)), output, lines: Lines::default() })
    }

    pub(super) fn name(&self) -> String {
        self.name.clone()
    }

    pub(super) fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }

    /// Reads what it has written; `false` when it has closed its output.
    pub(super) fn fill(&mut self) -> io::Result<bool> {
        self.lines.fill(self.output.as_fd())
    }

    /// At most this many of the frames that were read.
    pub(super) fn take(&mut self, most: usize) -> Vec<Vec<u8>> {
        self.lines.take(most)
    }

    pub(super) fn input(&self) -> Option<BorrowedFd<'_>> {
        self.input.as_ref().map(Outbox::as_fd)
    }

    /// How many bytes wait to be written to it.
    pub(super) fn queued(&self) -> usize {
        self.input.as_ref().map_or(0, Outbox::queued)
    }

    pub(super) fn send(&mut self, frame: Vec<u8>) {
        if self.input.as_mut().is_some_and(|input| input.send(frame).is_err()) {
            self.close_input();
        }
    }

    pub(super) fn flush_some(&mut self) {
        if self.input.as_mut().is_some_and(|input| input.flush_some().is_err()) {
            self.close_input();
        }
    }

    /// It no longer listens. Its output may still hold answers and says when it is gone.
    fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for it to end, at most this long.
    pub(super) fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let since = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if since.elapsed() >= limit {
                return None;
            }
            #[expect(clippy::disallowed_methods, reason = "one thread, and nothing else to do")]
            thread::sleep(LOOK);
        }
    }

    /// Lets it go: its input ends, then it is asked, then it is made to.
    pub(super) fn leave(&mut self, limit: Duration) {
        if let Some(input) = &mut self.input {
            // What the agent sent before it left is still the upstream's to hear.
            let _ = input.flush_all();
        }
        self.close_input();
        if self.wait(limit).is_none() {
            self.signal(Signal::TERM);
            if self.wait(limit / 2).is_none() {
                self.kill();
                return;
            }
        }
        // What it started itself may have outlived it.
        self.signal(Signal::KILL);
    }

    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }

    fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // An empty group is what is wanted.
            let _ = kill_process_group(group, signal);
        }
    }
}
