//! What can go wrong, one file each, and what the agent is told then.
//!
//! Nothing an agent can see says that a fault was injected: the texts are those of real servers.

mod f1;
mod f2;
mod f3;
mod f5;
pub(crate) mod random;
mod told;

use checkrein_ledger::Fault;

pub(crate) use told::{Reply, write};

/// A scenario of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// A ghost write: executed, and the agent gets a timeout.
    F1,
    /// A 429 that asks to wait.
    F2,
    /// A cut answer.
    F3,
    /// Nothing is injected; two writes are watched.
    F4,
    /// A 500 that passes.
    F5,
}

/// The shape a fault takes on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// A tool result with `isError: true`: every known client shows its text to the model.
    #[default]
    Soft,
    /// A JSON-RPC error.
    Error,
    /// No answer at all.
    Silence,
    /// The connection is closed.
    Close,
    /// The frame itself is cut (F3).
    CutFrame,
}

/// When a scenario makes itself felt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Instead of forwarding the call.
    Before,
    /// When the upstream has carried it out.
    After,
    /// Never: it only watches.
    Never,
}

impl Scenario {
    /// Every scenario.
    pub const ALL: [Self; 5] = [Self::F1, Self::F2, Self::F3, Self::F4, Self::F5];

    /// Its name, as `--scenario` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::F1 => "F1",
            Self::F2 => "F2",
            Self::F3 => "F3",
            Self::F4 => "F4",
            Self::F5 => "F5",
        }
    }

    pub(crate) fn moment(self) -> Moment {
        match self {
            Self::F1 => Moment::After,
            Self::F2 | Self::F3 | Self::F5 => Moment::Before,
            Self::F4 => Moment::Never,
        }
    }

    /// What the agent is told.
    pub(crate) fn reply(self, retry_after_s: u64) -> Reply {
        match self {
            Self::F1 => f1::reply(),
            Self::F2 => f2::reply(retry_after_s),
            Self::F3 => f3::reply(),
            Self::F4 | Self::F5 => f5::reply(),
        }
    }

    /// What the ledger says of it.
    pub(crate) fn fault(self, retry_after_s: u64) -> Fault {
        Fault {
            name: self.name().to_owned(),
            sent: self.moment() == Moment::After,
            ghost: self == Self::F1,
            retry_after_us: (self == Self::F2).then(|| retry_after_s.saturating_mul(1_000_000)),
        }
    }
}
