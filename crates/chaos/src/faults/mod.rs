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

impl Shape {
    /// The shapes a pipe can carry.
    pub const STDIO: [Self; 5] =
        [Self::Soft, Self::Error, Self::Silence, Self::Close, Self::CutFrame];

    /// Its name, as `--shape` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Soft => "soft",
            Self::Error => "error",
            Self::Silence => "silence",
            Self::Close => "close",
            Self::CutFrame => "cut-frame",
        }
    }
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

    /// What it does, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::F1 => {
                "ghost write: the first write is executed, and the agent hears of a timeout"
            }
            Self::F2 => "backpressure: the first write gets a 429 that asks to wait",
            Self::F3 => "cut answer: the first write gets JSON that ends in the middle",
            Self::F4 => "two writes are watched, nothing is injected",
            Self::F5 => "server error: the first write gets a 500, the next try passes",
        }
    }

    /// What an agent sees of it in this shape, or `None` when there is no such shape.
    pub fn seen_as(self, shape: Shape) -> Option<&'static str> {
        match (self, shape) {
            (Self::F4, Shape::Soft) => Some("the upstream's own answers"),
            (Self::F4, _) => None,
            (Self::F3, Shape::Soft) => Some("a result whose text is cut JSON"),
            (Self::F3, Shape::CutFrame) => Some("a line that is no JSON; most clients hang"),
            (_, Shape::CutFrame) | (Self::F3, _) => None,
            (_, Shape::Soft) => Some("a tool result that says so; every known client shows it"),
            (_, Shape::Error) => Some("a JSON-RPC error; some clients hide its text"),
            (Self::F2, Shape::Silence | Shape::Close) => None,
            (_, Shape::Silence) => Some("nothing, until the client's own timeout"),
            (_, Shape::Close) => Some("the end of the connection"),
        }
    }

    /// Whether it tells careful agents from careless ones.
    pub fn tells_apart(self) -> &'static str {
        match self {
            Self::F1 => "tells careful from careless: only a look-up shows that it was executed",
            Self::F2 => "tells whether the wait is kept",
            Self::F3 | Self::F5 => "a control: the call was not executed, so trying again is right",
            Self::F4 => "a baseline: shows what the agent repeats without any fault",
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
