//! The byte streams as the protocol library sees them.

use std::io;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::frame::{self, Frame};
use crate::lines::{LONGEST_LINE, Line, Lines};

/// Answers that wait to be written; while it is full nothing more is read.
const MOST_UNWRITTEN: usize = 64;

/// One peer on a pair of byte streams.
pub(crate) struct Wire<R> {
    lines: Lines<R>,
    out: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    /// An answer of our own that found no room yet.
    own_answer: Option<Vec<u8>>,
    /// Whether a request has chosen an era; before that, stray messages would end the session.
    opened: bool,
    ended: CancellationToken,
    shutdown: CancellationToken,
}

impl<R: AsyncRead + Unpin + Send> Wire<R> {
    /// `ended` fires when nothing more will be read, be it the end of input or `shutdown`.
    pub(crate) fn new<W>(
        input: R,
        output: W,
        ended: CancellationToken,
        shutdown: CancellationToken,
    ) -> Self
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (out, unwritten) = mpsc::channel(MOST_UNWRITTEN);
        Self {
            lines: Lines::new(input, LONGEST_LINE),
            out: Some(out),
            writer: Some(tokio::spawn(write(output, unwritten))),
            own_answer: None,
            opened: false,
            ended,
            shutdown,
        }
    }

    async fn next_message(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Both a wait for room and a place to put an answer of our own.
            let room = self.out.as_ref()?.reserve().await.ok()?;
            if let Some(answer) = self.own_answer.take() {
                room.send(answer);
                continue;
            }
            drop(room);
            let line = tokio::select! {
                line = self.lines.next() => line,
                () = self.shutdown.cancelled() => return None,
            };
            match line {
                Ok(Line::Whole(line)) => match frame::parse(&line) {
                    Frame::Message(message) if self.belongs(&message) => return Some(*message),
                    Frame::Message(_) | Frame::Ignored => {}
                    Frame::Refused(answer) => self.own_answer = Some(answer),
                },
                Ok(Line::TooLong(id)) => {
                    tracing::warn!("Refused a message longer than {LONGEST_LINE} bytes");
                    self.own_answer = Some(frame::too_long(id.as_ref(), LONGEST_LINE));
                }
                Ok(Line::End) => return None,
                Err(error) => {
                    tracing::warn!(%error, "Failed to read from the client");
                    return None;
                }
            }
        }
    }

    fn belongs(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let JsonRpcMessage::Request(request) = message {
            self.opened |= !matches!(
                request.request,
                ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
            );
            return true;
        }
        self.opened
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for Wire<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let out = out.ok_or_else(closed)?;
            out.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.next_message().await;
        if message.is_none() {
            self.ended.cancel();
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out = None;
        if let Some(writer) = self.writer.take() {
            writer.await.map_err(io::Error::other)?;
        }
        Ok(())
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the client no longer reads")
}

/// Writes lines until nobody has more, flushing whenever none waits.
async fn write<W: AsyncWrite + Unpin>(mut output: W, mut unwritten: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = unwritten.recv().await {
        let mut written = output.write_all(&line).await;
        if written.is_ok() && unwritten.is_empty() {
            written = output.flush().await;
        }
        if let Err(error) = written {
            tracing::warn!(%error, "Failed to write to the client");
            return;
        }
    }
}
