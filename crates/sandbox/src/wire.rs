//! The sockets of the server, so that a fault can break one where it hurts.

use std::future::Future as _;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// A stalled connection is given up after this long, so that none stays for ever.
const LONGEST_STALL: Duration = Duration::from_secs(600);
/// How long to wait after the system refused a connection, as when it has no more files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What a fault does to the connection of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Break {
    /// Nothing.
    #[default]
    None,
    /// Nothing more is sent; the connection is reset.
    Reset,
    /// The head and this many bytes of the body are sent, then the connection is closed.
    CutAfter(usize),
    /// The head is sent, then nothing.
    Stall,
}

/// The handle by which a request breaks its own connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<Mutex<Break>>);

impl Gate {
    /// Breaks the connection from the next byte on.
    pub(crate) fn set(&self, with: Break) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = with;
    }

    fn get(&self) -> Break {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connected<IncomingStream<'_, Sockets>> for Gate {
    fn connect_info(stream: IncomingStream<'_, Sockets>) -> Self {
        stream.io().gate.clone()
    }
}

/// Accepts connections until it is stopped.
#[derive(Debug)]
pub(crate) struct Sockets {
    listener: TcpListener,
    stop: CancellationToken,
}

impl Sockets {
    pub(crate) fn new(listener: TcpListener, stop: CancellationToken) -> Self {
        Self { listener, stop }
    }
}

impl Listener for Sockets {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Wire, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, from)) => {
                    // Small answers should leave at once; a socket that cannot do so still works.
                    let _ = stream.set_nodelay(true);
                    return (Wire::new(stream, self.stop.clone()), from);
                }
                Err(error) => {
                    tracing::debug!(%error, "Could not accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// One connection.
pub(crate) struct Wire {
    stream: TcpStream,
    gate: Gate,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
    stalled: Option<Pin<Box<Sleep>>>,
    head_is_out: bool,
    body_sent: usize,
}

impl Wire {
    fn new(stream: TcpStream, stop: CancellationToken) -> Self {
        Self {
            stream,
            gate: Gate::default(),
            stopped: Box::pin(stop.cancelled_owned()),
            stalled: None,
            head_is_out: false,
            body_sent: 0,
        }
    }

    /// How many of these bytes may leave before the connection breaks.
    fn allowed(&self, bytes: &[u8], body_limit: usize) -> usize {
        if self.head_is_out {
            return bytes.len().min(body_limit.saturating_sub(self.body_sent));
        }
        let head = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        head.map_or(bytes.len(), |at| bytes.len().min(at + 4 + body_limit))
    }

    fn note_sent(&mut self, bytes: &[u8]) {
        if self.head_is_out {
            self.body_sent += bytes.len();
        } else if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            self.head_is_out = true;
            self.body_sent = bytes.len() - at - 4;
        }
    }

    fn reset(&self) -> io::Error {
        // Without lingering, closing sends a reset instead of an orderly end.
        let _ = self.stream.set_zero_linger();
        io::ErrorKind::ConnectionReset.into()
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.stopped.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let limit = match self.gate.get() {
            Break::None => return Pin::new(&mut self.stream).poll_write(cx, bytes),
            Break::Reset => return Poll::Ready(Err(self.reset())),
            Break::CutAfter(limit) => limit,
            Break::Stall => 0,
        };
        let allowed = self.allowed(bytes, limit);
        if allowed > 0 {
            let bytes = bytes.get(..allowed).unwrap_or_default();
            let sent = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
            self.note_sent(bytes.get(..sent).unwrap_or_default());
            return Poll::Ready(Ok(sent));
        }
        if self.gate.get() != Break::Stall {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        if self.stopped.as_mut().poll(cx).is_pending() {
            let stalled =
                self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(LONGEST_STALL)));
            ready!(stalled.as_mut().poll(cx));
        }
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
