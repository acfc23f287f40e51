//! Scenarios: which fault on which calls.
//!
//! A scenario is a YAML file. The built-in ones are in `scenarios/` at the root of the repository,
//! read by the same reader as a user's own.

mod problem;
mod read;

use std::time::Duration;

use checkrein_ledger::Class;
use serde_json::Value;

use crate::call::Call;
use crate::faults::{Effect, Kind, Setting, Shape, Transport, With};
use crate::glob;

pub use problem::{Problem, nearest};
pub use read::read;

/// Which fault on which calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it does, in a sentence.
    pub about: String,
    /// Whether it tells careful agents from careless ones.
    pub tells: Option<String>,
    /// What a verdict makes of it.
    pub verdict: Option<String>,
    /// How often one operation of a tool is meant to be executed.
    pub expect: Vec<(String, u64)>,
    /// Its rules. Of those that strike at one moment (when a call comes, when it has been carried
    /// out) the first that applies does; the earlier moment comes first.
    pub rules: Vec<Rule>,
}

/// A fault and the calls it strikes.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The calls.
    pub on: On,
    /// The fault.
    pub kind: &'static Kind,
    /// Its settings.
    pub with: With,
    /// The shape it takes.
    pub shape: Shape,
    /// How many calls it strikes.
    pub times: u64,
}

/// Which calls a rule is about.
#[derive(Debug, Clone, PartialEq)]
pub struct On {
    /// The JSON-RPC method.
    pub method: String,
    /// The tool, as a glob.
    pub tool: Option<String>,
    /// The tool's class; any when absent.
    pub class: Option<Class>,
    /// From which matching call on.
    pub nth: u64,
    /// Arguments that must be there, with their value.
    pub arguments: Vec<(String, Wanted)>,
}

/// What an argument must be.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// Text that matches a glob.
    Glob(String),
    /// This value.
    Value(Value),
}

/// The method of a tool call.
pub(crate) const TOOL_CALL: &str = "tools/call";

/// The most rules of one scenario.
pub const MAX_RULES: usize = 16;

/// The files in `scenarios/`.
static BUILT_IN: [&str; 21] = [
    include_str!("../../../../scenarios/f1.yaml"),
    include_str!("../../../../scenarios/f2.yaml"),
    include_str!("../../../../scenarios/f3.yaml"),
    include_str!("../../../../scenarios/f4.yaml"),
    include_str!("../../../../scenarios/f5.yaml"),
    include_str!("../../../../scenarios/late-commit.yaml"),
    include_str!("../../../../scenarios/redelivery.yaml"),
    include_str!("../../../../scenarios/error-that-lies.yaml"),
    include_str!("../../../../scenarios/success-that-lies.yaml"),
    include_str!("../../../../scenarios/stale-read.yaml"),
    include_str!("../../../../scenarios/partial-batch.yaml"),
    include_str!("../../../../scenarios/unavailable.yaml"),
    include_str!("../../../../scenarios/session-lost.yaml"),
    include_str!("../../../../scenarios/auth-lost.yaml"),
    include_str!("../../../../scenarios/upstream-restart.yaml"),
    include_str!("../../../../scenarios/lost-task-handle.yaml"),
    include_str!("../../../../scenarios/cancel-race.yaml"),
    include_str!("../../../../scenarios/cut-result.yaml"),
    include_str!("../../../../scenarios/slow-drip.yaml"),
    include_str!("../../../../scenarios/duplicate-response.yaml"),
    include_str!("../../../../scenarios/list-change.yaml"),
];

impl Scenario {
    /// Every built-in scenario.
    pub fn built_in() -> Vec<Self> {
        BUILT_IN.iter().filter_map(|text| read::read_built_in(text).ok()).collect()
    }

    /// The built-in one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::built_in().into_iter().find(|scenario| scenario.name == name)
    }

    /// Gives the rules this shape, where they have it; `false` when none has.
    pub fn set_shape(&mut self, shape: Shape) -> bool {
        let fitting = self.rules.iter_mut().filter(|rule| rule.kind.seen_as(shape).is_some());
        fitting.map(|rule| rule.shape = shape).count() > 0
    }

    /// Sets how long a rule asks to wait; `false` when none does.
    pub fn set_retry_after(&mut self, seconds: u64) -> bool {
        let asking = |rule: &&mut Rule| rule.retry_after().is_some();
        let rules = self.rules.iter_mut().filter(asking);
        rules.map(|rule| rule.with.set("retry_after_s", Setting::Whole(seconds))).count() > 0
    }

    /// How long it asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        self.rules.iter().find_map(Rule::retry_after)
    }

    /// The shapes that its first rule has on this transport, each with what an agent sees.
    pub fn shapes(&self, transport: Transport) -> Vec<(Shape, &'static str)> {
        let first = self.rules.first().map_or(&[][..], |rule| rule.kind.shapes);
        first.iter().filter(|(shape, _)| shape.is_on(transport)).copied().collect()
    }

    /// Why it makes no sense on this transport, if it does not.
    pub fn why_not_on(&self, transport: Transport) -> Option<&'static str> {
        self.rules.iter().find_map(|rule| rule.kind.why_not_on(transport))
    }
}

impl Rule {
    /// What it does to a call.
    pub fn effect(&self) -> Effect {
        (self.kind.effect)(&self.with)
    }

    fn retry_after(&self) -> Option<Duration> {
        self.with.whole("retry_after_s").map(Duration::from_secs)
    }
}

impl On {
    /// Whether it is about this tool call.
    pub(crate) fn matches_call(&self, call: &Call<'_>, class: Class) -> bool {
        self.method == TOOL_CALL
            && self.class.is_none_or(|wanted| wanted == class)
            && class != Class::NotOffered
            && self.tool.as_ref().is_none_or(|tool| glob::matches(tool, &call.name))
            && self.matches_arguments(call)
    }

    fn matches_arguments(&self, call: &Call<'_>) -> bool {
        if self.arguments.is_empty() {
            return true;
        }
        let given = call.arguments();
        self.arguments
            .iter()
            .all(|(name, wanted)| given.get(name).is_some_and(|value| wanted.is_met_by(value)))
    }
}

impl Wanted {
    fn is_met_by(&self, value: &Value) -> bool {
        match self {
            Self::Glob(glob) => value.as_str().is_some_and(|text| glob::matches(glob, text)),
            Self::Value(wanted) => {
                checkrein_ledger::exact(wanted) == checkrein_ledger::exact(value)
            }
        }
    }
}

#[cfg(test)]
mod tests;
