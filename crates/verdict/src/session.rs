//! The sessions an agent opened, and which one a call came through.

use checkrein_ledger::Instant;

use crate::attempt::Attempt;

/// A session, from its `initialize` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The process it came through.
    pub process: u32,
    /// The connection within that process.
    pub connection: u64,
    /// When it was opened.
    pub opened: Instant,
    /// The client's name and version, as it gives them.
    pub client: Option<String>,
}

impl Session {
    /// The session that an attempt came through; none in the revision without sessions.
    pub(crate) fn of<'a>(sessions: &'a [Self], attempt: &Attempt) -> Option<&'a Self> {
        sessions.iter().rev().find(|session| {
            session.process == attempt.process
                && session.connection == attempt.connection
                && session.opened <= attempt.received
        })
    }
}
