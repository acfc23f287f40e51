//! How far an exchange has come, readable after it was dropped.

use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use super::Head;

/// A point of no return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Not a byte of the request has left.
    Connecting,
    /// The request may have left.
    Sent,
}

/// Shared between an exchange and whoever may abort it.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    sent: AtomicBool,
    status: AtomicU16,
}

impl Progress {
    pub(super) fn reach(&self, phase: Phase) {
        self.sent.store(phase == Phase::Sent, Ordering::Relaxed);
    }

    pub(super) fn answered(&self, head: &Head) {
        self.status.store(head.status, Ordering::Relaxed);
    }

    /// Whether a byte of the request may have left.
    pub(crate) fn sent(&self) -> bool {
        self.sent.load(Ordering::Relaxed)
    }

    /// The status, once a status line has come.
    pub(crate) fn status(&self) -> Option<u16> {
        Some(self.status.load(Ordering::Relaxed)).filter(|status| *status != 0)
    }
}
