//! Keeps a body in memory, up to a limit.

use bytes::{Bytes, BytesMut};

use crate::transport::{Appetite, Head, Sink};

/// A body in memory.
#[derive(Debug)]
pub(crate) struct Collect {
    limit: usize,
    body: BytesMut,
}

impl Collect {
    /// Room for so many bytes.
    pub(crate) fn up_to(limit: usize) -> Self {
        Self { limit, body: BytesMut::new() }
    }

    pub(crate) fn into_bytes(self) -> Bytes {
        self.body.freeze()
    }
}

impl Sink for Collect {
    fn begin(&mut self, _head: &Head, length: Option<u64>) {
        let announced = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
        // What a server announces is not yet what it sends.
        self.body.reserve(announced.min(self.limit).min(1 << 20));
    }

    fn take(&mut self, piece: &[u8]) -> Appetite {
        if self.body.len() + piece.len() > self.limit {
            return Appetite::TooMuch;
        }
        self.body.extend_from_slice(piece);
        Appetite::More
    }
}

/// Separates the body of a success from that of an error.
#[derive(Debug)]
pub(crate) struct Sorted<S> {
    pub(crate) wanted: S,
    /// As much of an error body as can hold a message.
    pub(crate) error: BytesMut,
    refused: bool,
}

/// Enough for every error body seen; schema errors are the longest.
const MAX_ERROR_BODY: usize = 256 << 10;

impl<S> Sorted<S> {
    pub(crate) fn new(wanted: S) -> Self {
        Self { wanted, error: BytesMut::new(), refused: false }
    }
}

impl<S: Sink> Sink for Sorted<S> {
    fn begin(&mut self, head: &Head, length: Option<u64>) {
        self.refused = !is_success(head.status);
        if !self.refused {
            self.wanted.begin(head, length);
        }
    }

    fn take(&mut self, piece: &[u8]) -> Appetite {
        if !self.refused {
            return self.wanted.take(piece);
        }
        let room = MAX_ERROR_BODY.saturating_sub(self.error.len());
        self.error.extend_from_slice(piece.get(..room).unwrap_or(piece));
        if self.error.len() < MAX_ERROR_BODY { Appetite::More } else { Appetite::Full }
    }
}

pub(crate) fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}
