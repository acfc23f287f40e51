//! An upstream on pipes behind an agent on HTTP: one process for each session.

use std::collections::HashMap;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};

use super::MAX_BODY;
use super::client::Task;
use super::input::{Input, Inputs};
use crate::pending::Connection;
use crate::stdio::{self, ProxyError};

/// The processes that run.
#[derive(Debug)]
pub(super) struct Children {
    command: stdio::Command,
    inputs: Inputs,
    running: HashMap<Connection, Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    /// Bounded by the agent: each of its connections sends one body at a time.
    input: mpsc::UnboundedSender<Vec<u8>>,
    _reader: Task,
    _writer: Task,
}

impl Children {
    pub(super) fn new(command: stdio::Command, inputs: Inputs) -> Self {
        Self { command, inputs, running: HashMap::new() }
    }

    /// Sends a frame to the process of this connection, which is started if need be.
    pub(super) fn send(
        &mut self,
        connection: Connection,
        mut frame: Vec<u8>,
    ) -> Result<(), ProxyError> {
        if !self.running.contains_key(&connection) {
            let running = self.start(connection)?;
            self.running.insert(connection, running);
        }
        // Between values only: a line end in a string is written as two characters.
        frame.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        frame.push(b'\n');
        if let Some(running) = self.running.get(&connection) {
            let _ = running.input.send(frame);
        }
        Ok(())
    }

    fn start(&self, connection: Connection) -> Result<Running, ProxyError> {
        let name = self.command.program.to_string_lossy().into_owned();
        let mut command = Command::new(&self.command.program);
        command.args(&self.command.arguments).envs(self.command.environment.iter().cloned());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).kill_on_drop(true);
        if let Some(directory) = &self.command.directory {
            command.current_dir(directory);
        }
        let mut child =
            command.spawn().map_err(|source| ProxyError::Spawn { command: name, source })?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both were asked for as pipes")
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "each agent's connection sends one at a time"
        )]
        let (input, frames) = mpsc::unbounded_channel();
        let inputs = self.inputs.clone();
        Ok(Running {
            child,
            input,
            _reader: Task::spawn(read(connection, stdout, inputs)),
            _writer: Task::spawn(write(stdin, frames)),
        })
    }

    /// The process of this connection has ended, or is to.
    pub(super) fn end(&mut self, connection: Connection) -> Option<i32> {
        let mut running = self.running.remove(&connection)?;
        let code = running.child.try_wait().ok().flatten().and_then(|status| status.code());
        running.kill();
        code
    }

    pub(super) fn end_all(&mut self) {
        self.running.drain().for_each(|(_, running)| running.kill());
    }
}

impl Running {
    /// Ends it with whatever it has started.
    fn kill(&self) {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

async fn read(connection: Connection, stdout: ChildStdout, inputs: Inputs) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let most = MAX_BODY as u64;
        match (&mut stdout).take(most).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        let (left, gone) = oneshot::channel();
        let _ = inputs.send(Input::UpstreamLine(connection, line, left));
        let _ = gone.await;
    }
    let _ = inputs.send(Input::UpstreamEnded(connection));
}

async fn write(mut stdin: ChildStdin, mut frames: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(frame) = frames.recv().await {
        if stdin.write_all(&frame).await.is_err() {
            return;
        }
    }
}
