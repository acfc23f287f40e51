//! Decides how a write ended when its reply does not say so plainly.

use std::fmt;

use crate::error::Kind;

/// How a write ended on the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The platform said that it did it.
    Applied,
    /// It certainly did not happen.
    NotApplied,
    /// It may have happened; somebody has to look.
    Unknown,
}

impl Outcome {
    /// The name a result carries: `applied`, `not_applied` or `unknown`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::NotApplied => "not_applied",
            Self::Unknown => "unknown",
        }
    }

    /// What to do about it, for the agent.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Applied => "the change was applied",
            Self::NotApplied => "nothing was changed",
            Self::Unknown => {
                "the change may have been applied: read the resource back (harness_get or \
                 harness_list) before you try again"
            }
        }
    }

    /// The outcome of several attempts at one write, `self` being the last.
    ///
    /// A refusal says nothing about what an earlier attempt did, so a doubt stays a doubt until an
    /// attempt is confirmed.
    pub(crate) fn after(self, earlier: Option<Self>) -> Self {
        match (earlier, self) {
            (Some(Self::Unknown), Self::NotApplied) => Self::Unknown,
            _ => self,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// How a write ended that failed in this way.
///
/// `sent` tells whether any byte of the request may have left this machine, `status` is the status
/// line when one arrived.
pub(crate) fn of_failure(kind: Kind, status: Option<u16>, sent: bool) -> Outcome {
    if !sent {
        return Outcome::NotApplied;
    }
    match (kind, status) {
        (Kind::Unsendable | Kind::NotReached, _) => Outcome::NotApplied,
        // RFC 9110 section 15.4: 307 and 308 ask for the same request elsewhere, so nobody acted
        // on this one; the older codes are also how a server answers after it has acted.
        (_, Some(304 | 307 | 308)) => Outcome::NotApplied,
        // A 408 is the server's to send before it acts, but proxies send it for their upstream.
        (_, Some(408)) => Outcome::Unknown,
        (_, Some(400..=499)) => Outcome::NotApplied,
        // The server cannot do it (501), does not speak the protocol (505), or a network in
        // between wants a login first (511).
        (_, Some(501 | 505 | 511)) => Outcome::NotApplied,
        _ => Outcome::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_fail_has_its_outcome() {
        use Outcome::{NotApplied, Unknown};
        let table = [
            (Kind::Unsendable, None, false, NotApplied),
            (Kind::NotReached, None, false, NotApplied),
            (Kind::TimedOut, None, false, NotApplied),
            (Kind::Cancelled, None, false, NotApplied),
            (Kind::RateLimited, None, false, NotApplied),
            (Kind::TimedOut, None, true, Unknown),
            (Kind::Cancelled, None, true, Unknown),
            (Kind::Lost, None, true, Unknown),
            (Kind::Lost, Some(200), true, Unknown),
            (Kind::Lost, Some(404), true, NotApplied),
            (Kind::TimedOut, Some(201), true, Unknown),
            (Kind::TimedOut, Some(403), true, NotApplied),
            (Kind::Cut, Some(200), true, Unknown),
            (Kind::Html, Some(200), true, Unknown),
            (Kind::Html, Some(401), true, NotApplied),
            (Kind::Html, Some(502), true, Unknown),
            (Kind::NotJson, Some(200), true, Unknown),
            (Kind::TooLarge, Some(200), true, Unknown),
            (Kind::Redirected, Some(301), true, Unknown),
            (Kind::Redirected, Some(302), true, Unknown),
            (Kind::Redirected, Some(303), true, Unknown),
            (Kind::Redirected, Some(307), true, NotApplied),
            (Kind::Redirected, Some(308), true, NotApplied),
            (Kind::Status, Some(304), true, NotApplied),
            (Kind::Status, Some(400), true, NotApplied),
            (Kind::Status, Some(401), true, NotApplied),
            (Kind::Status, Some(404), true, NotApplied),
            (Kind::Status, Some(408), true, Unknown),
            (Kind::Status, Some(409), true, NotApplied),
            (Kind::Status, Some(422), true, NotApplied),
            (Kind::RateLimited, Some(429), true, NotApplied),
            (Kind::RateLimited, Some(503), true, Unknown),
            (Kind::Status, Some(500), true, Unknown),
            (Kind::Status, Some(501), true, NotApplied),
            (Kind::Status, Some(502), true, Unknown),
            (Kind::Status, Some(503), true, Unknown),
            (Kind::Status, Some(504), true, Unknown),
            (Kind::Status, Some(505), true, NotApplied),
            (Kind::Status, Some(511), true, NotApplied),
            (Kind::Status, Some(599), true, Unknown),
        ];
        for (kind, status, sent, expected) in table {
            assert_eq!(of_failure(kind, status, sent), expected, "{kind:?} {status:?} sent={sent}");
        }
    }

    #[test]
    fn a_doubt_outlives_a_later_refusal() {
        assert_eq!(Outcome::NotApplied.after(Some(Outcome::Unknown)), Outcome::Unknown);
        assert_eq!(Outcome::NotApplied.after(Some(Outcome::NotApplied)), Outcome::NotApplied);
        assert_eq!(Outcome::Applied.after(Some(Outcome::Unknown)), Outcome::Applied);
        assert_eq!(Outcome::NotApplied.after(None), Outcome::NotApplied);
    }
}
