//! The agent's side on pipes, in front of an upstream on HTTP.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::MAX_BODY;
use super::input::{Input, Inputs};

/// How long the agent may take to read what is left when the run ends.
const LEAVE_LIMIT: Duration = Duration::from_secs(1);

/// A line and who waits for it to leave.
#[derive(Debug)]
struct Line {
    bytes: Vec<u8>,
    _left: Option<oneshot::Sender<()>>,
    /// How many bytes leave at a time, and how long it is from one piece to the next.
    pace: Option<(usize, Duration)>,
}

/// Frames on their way to the agent's pipe.
#[derive(Debug)]
pub(super) struct Pipe {
    // Each answer is one that the agent has asked for, and each stream waits for its last event.
    lines: mpsc::UnboundedSender<Line>,
    writer: JoinHandle<()>,
}

impl Pipe {
    pub(super) fn open(inputs: Inputs) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "each line answers one or waits for the last"
        )]
        let (lines, mut waiting) = mpsc::unbounded_channel::<Line>();
        let writer = tokio::task::spawn_local(async move {
            let mut stdout = tokio::io::stdout();
            while let Some(line) = waiting.recv().await {
                let (size, every) = line.pace.unwrap_or((usize::MAX, Duration::ZERO));
                for piece in line.bytes.chunks(size.max(1)) {
                    if stdout.write_all(piece).await.is_err() || stdout.flush().await.is_err() {
                        return;
                    }
                    if line.pace.is_some() {
                        tokio::time::sleep(every).await;
                    }
                }
            }
        });
        tokio::task::spawn_local(read(inputs));
        Self { lines, writer }
    }

    pub(super) fn send(&self, frame: Vec<u8>, left: Option<oneshot::Sender<()>>) {
        self.enqueue(frame, left, None);
    }

    /// Sends a line in pieces; what comes after it waits until it is through.
    pub(super) fn drip(
        &self,
        frame: Vec<u8>,
        left: Option<oneshot::Sender<()>>,
        bytes: usize,
        every: Duration,
    ) {
        self.enqueue(frame, left, Some((bytes, every)));
    }

    fn enqueue(
        &self,
        mut frame: Vec<u8>,
        left: Option<oneshot::Sender<()>>,
        pace: Option<(usize, Duration)>,
    ) {
        // Between values only: a line end in a string is written as two characters.
        frame.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        frame.push(b'\n');
        let _ = self.lines.send(Line { bytes: frame, _left: left, pace });
    }

    pub(super) async fn close(self) {
        drop(self.lines);
        let _ = tokio::time::timeout(LEAVE_LIMIT, self.writer).await;
    }
}

async fn read(inputs: Inputs) {
    let mut stdin = BufReader::new(tokio::io::stdin());
    loop {
        let mut line = Vec::new();
        match (&mut stdin).take(MAX_BODY as u64).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        let (left, gone) = oneshot::channel();
        let _ = inputs.send(Input::AgentLine(line, left));
        let _ = gone.await;
    }
    let _ = inputs.send(Input::AgentEnded);
}
