//! How long each part of an exchange may take.

use std::time::Duration;

/// The longest a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest silence in the middle of a body.
const BODY_IDLE: Duration = Duration::from_secs(15);
/// No wait is longer than a day, whatever the settings say.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The deadlines of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Deadlines {
    /// Until the connection stands, name lookup and TLS included.
    pub(crate) connect: Duration,
    /// From the connection until the status line.
    pub(crate) first_byte: Duration,
    /// Between two pieces of the body.
    pub(crate) body_idle: Duration,
    /// From the start to the last byte.
    pub(crate) whole: Duration,
}

impl Deadlines {
    /// The usual shares of a whole call.
    pub(crate) fn within(whole: Duration) -> Self {
        let whole = whole.min(LONGEST);
        Self {
            connect: CONNECT.min(whole),
            first_byte: whole,
            body_idle: BODY_IDLE.min(whole),
            whole,
        }
    }
}
