//! Keeps a few connections for the next request.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use super::Sender;
use crate::address::Origin;

/// More idle connections than this are closed, the oldest first.
const MAX_IDLE: usize = 8;

/// How long a connection may have been idle to be used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    /// For a request that may be repeated: most servers keep a connection for at least this long.
    Any,
    /// For a request that may not: if the server closes the connection just when the request is on
    /// its way, nobody can tell whether it was read.
    Young,
}

impl Age {
    fn limit(self) -> Duration {
        match self {
            Self::Any => Duration::from_secs(30),
            Self::Young => Duration::from_secs(2),
        }
    }
}

#[derive(Debug)]
struct Idle {
    origin: Origin,
    sender: Sender,
    since: Instant,
}

/// Idle connections, the youngest last.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Idle>>);

impl Pool {
    /// The youngest open connection to an origin.
    pub(super) fn take(&self, origin: &Origin, age: Age) -> Option<Sender> {
        let now = Instant::now();
        let mut idle = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        idle.retain(|kept| !kept.sender.is_closed() && now - kept.since < Age::Any.limit());
        let index = idle
            .iter()
            .rposition(|kept| kept.origin == *origin && now - kept.since < age.limit())?;
        Some(idle.remove(index).sender)
    }

    /// Keeps a connection.
    pub(super) fn keep(&self, origin: Origin, sender: Sender) {
        let mut idle = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if idle.len() >= MAX_IDLE {
            idle.remove(0);
        }
        idle.push(Idle { origin, sender, since: Instant::now() });
    }
}
