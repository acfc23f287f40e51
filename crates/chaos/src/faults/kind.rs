//! What every kind of fault says of itself.

use std::time::{Duration, SystemTime};

use checkrein_ledger::Fault;

use super::{Parameter, Reply, Shape, Transport, With};

/// A kind of fault.
#[derive(Debug)]
pub struct Kind {
    /// Its name in scenario files.
    pub id: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// How a verdict counts a call that it struck.
    pub counts: &'static str,
    /// What `with:` may say.
    pub takes: &'static [Parameter],
    /// What the agent hears.
    pub told: Speech,
    /// The shapes it has, the default first, each with what an agent sees.
    pub shapes: &'static [(Shape, &'static str)],
    /// What happens to the call.
    pub effect: fn(&With) -> Effect,
    /// Whether the agent cannot know from what it is told if the call was carried out.
    pub is_ghost: bool,
    /// How long the agent is asked to wait, if it is.
    pub asks_to_wait: fn(&With, Now) -> Option<Duration>,
    /// Where it makes no sense, and why.
    pub not_on: &'static [(Transport, &'static str)],
}

/// What the agent hears of a struck call.
#[derive(Debug, Clone, Copy)]
pub enum Speech {
    /// The upstream's own answer.
    Own,
    /// Something else.
    Instead(fn(&With, Now) -> Reply),
}

/// The time, for texts that name it.
#[derive(Debug, Clone, Copy)]
pub struct Now(pub SystemTime);

/// When a kind is asked whether it strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// When the call arrives.
    Arrival,
    /// When the upstream has carried it out.
    Executed,
    /// When the upstream answered it by a task handle.
    Handle,
    /// When it is a look-up after a write.
    LookUp,
    /// Never.
    Never,
}

/// What happens to a struck call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Watch,
    /// It is not forwarded.
    Withhold,
    /// The agent is answered at once; the upstream gets the call this much later.
    Delay(Duration),
    /// The upstream gets only the first items of its list: so many, or half of them.
    Split(Option<u64>),
    /// The upstream's answer is replaced.
    Replace,
    /// The handle is lost; the harness follows the task itself.
    LoseHandle,
    /// The upstream gets it twice, and the agent the second answer.
    Redeliver,
    /// The upstream is ended and started again.
    Restart,
    /// The answer waits for the agent's cancel, at most this long.
    AwaitCancel(Duration),
    /// The answer leaves in pieces of so many bytes, this far apart.
    Drip {
        /// The bytes of a piece.
        bytes: u64,
        /// Between two pieces.
        every: Duration,
    },
    /// The answer leaves twice.
    Double,
    /// The tool is gone from the list for this long.
    HideTool(Duration),
    /// A read is answered by what it showed before the last write, for this long after it.
    Stale(Duration),
}

impl Effect {
    /// When it is asked whether it strikes.
    pub fn moment(self) -> Moment {
        match self {
            Self::Watch => Moment::Never,
            Self::Withhold | Self::Delay(_) | Self::Split(_) => Moment::Arrival,
            Self::LoseHandle => Moment::Handle,
            Self::Stale(_) => Moment::LookUp,
            Self::Replace
            | Self::Redeliver
            | Self::Restart
            | Self::AwaitCancel(_)
            | Self::Drip { .. }
            | Self::Double
            | Self::HideTool(_) => Moment::Executed,
        }
    }

    /// Whether the call reaches the upstream.
    pub fn is_sent(self) -> bool {
        !matches!(self, Self::Withhold | Self::Stale(_))
    }
}

impl Kind {
    /// What an agent sees of it in this shape, or `None` when there is no such shape.
    pub fn seen_as(&self, shape: Shape) -> Option<&'static str> {
        self.shapes.iter().find(|(known, _)| *known == shape).map(|(_, seen)| *seen)
    }

    /// The shape it has unless told otherwise.
    pub fn default_shape(&self) -> Shape {
        self.shapes.first().map_or(Shape::Soft, |(shape, _)| *shape)
    }

    /// Why it makes no sense on this transport, if it does not.
    pub fn why_not_on(&self, transport: Transport) -> Option<&'static str> {
        self.not_on.iter().find(|(known, _)| *known == transport).map(|(_, why)| *why)
    }

    /// Whether it strikes only where there are sessions: the revisions before 2026-07-28.
    pub fn needs_session(&self) -> bool {
        *self == super::session_lost::KIND
    }

    /// What the ledger says of a call that it struck.
    pub fn record(&self, scenario: &str, rule: u32, with: &With, shape: Shape, now: Now) -> Fault {
        let wait = (self.asks_to_wait)(with, now);
        Fault {
            name: scenario.to_owned(),
            kind: self.id.to_owned(),
            rule,
            shape: Some(shape.name().to_owned()),
            sent: (self.effect)(with).is_sent(),
            ghost: self.is_ghost,
            retry_after_us: wait.map(|wait| u64::try_from(wait.as_micros()).unwrap_or(u64::MAX)),
        }
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
