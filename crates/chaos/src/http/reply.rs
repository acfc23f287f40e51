//! What goes back to the agent: a whole body, or pieces as they come.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::{mpsc, oneshot};

use super::input::Departure;

/// A piece of a body that goes on.
#[derive(Debug)]
pub(super) enum Piece {
    /// Bytes, and who waits for them to leave.
    Bytes(Bytes, Option<oneshot::Sender<()>>),
    /// The connection ends here, in the middle.
    Abort,
}

/// A body on its way to the agent.
#[derive(Debug)]
pub(super) struct ReplyBody {
    kind: Kind,
    /// Told when the body has left or the agent has.
    _departure: Option<Departure>,
}

#[derive(Debug)]
enum Kind {
    Whole(Option<Bytes>),
    Pieces(mpsc::UnboundedReceiver<Piece>),
}

impl ReplyBody {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { kind: Kind::Whole(Some(bytes.into())), _departure: None }
    }

    /// Each source of pieces waits until its last one has left, so few are ever queued.
    pub(super) fn pieces() -> (mpsc::UnboundedSender<Piece>, Self) {
        #[expect(clippy::disallowed_methods, reason = "a source waits until its piece has left")]
        let (sender, receiver) = mpsc::unbounded_channel();
        (sender, Self { kind: Kind::Pieces(receiver), _departure: None })
    }

    pub(super) fn watched_by(self, departure: Departure) -> Self {
        Self { _departure: Some(departure), ..self }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut self.kind {
            Kind::Whole(bytes) => {
                Poll::Ready(bytes.take().filter(|bytes| !bytes.is_empty()).map(Frame::data).map(Ok))
            }
            Kind::Pieces(receiver) => receiver.poll_recv(context).map(|piece| match piece? {
                Piece::Bytes(bytes, _gone) => Some(Ok(Frame::data(bytes))),
                Piece::Abort => Some(Err(io::ErrorKind::ConnectionAborted.into())),
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.kind, Kind::Whole(bytes) if bytes.as_ref().is_none_or(Bytes::is_empty))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Kind::Pieces(_) => SizeHint::default(),
        }
    }
}
