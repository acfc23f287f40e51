//! The settings of a fault, by name, each with a default and a range.

use std::ops::RangeInclusive;
use std::time::Duration;

/// One setting that a kind of fault takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name under `with:`.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its type, range and default.
    pub is: Is,
}

/// The type of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Is {
    /// A duration, written in seconds.
    Seconds {
        /// What it is unless told otherwise.
        default: Duration,
        /// The most it may be.
        most: Duration,
    },
    /// A whole number.
    Whole {
        /// What it is unless told otherwise.
        default: Option<u64>,
        /// What it may be.
        range: RangeInclusive<u64>,
    },
    /// Words.
    Words,
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// A duration.
    Duration(Duration),
    /// A whole number.
    Whole(u64),
    /// Words.
    Words(String),
}

/// The settings of one fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct With(Vec<(&'static str, Setting)>);

impl Is {
    /// What is said, as a value; or what it must be.
    pub fn read(&self, text: &str) -> Result<Setting, String> {
        match self {
            Self::Seconds { most, .. } => text
                .parse::<f64>()
                .ok()
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                .filter(|duration| !duration.is_zero() && duration <= most)
                .map(Setting::Duration)
                .ok_or_else(|| format!("seconds above 0, at most {}", most.as_secs())),
            Self::Whole { range, .. } => text
                .parse()
                .ok()
                .filter(|whole| range.contains(whole))
                .map(Setting::Whole)
                .ok_or_else(|| format!("a whole number from {} to {}", range.start(), range.end())),
            Self::Words if text.is_empty() => Err("words".to_owned()),
            Self::Words => Ok(Setting::Words(text.to_owned())),
        }
    }

    fn default(&self) -> Option<Setting> {
        match self {
            Self::Seconds { default, .. } => Some(Setting::Duration(*default)),
            Self::Whole { default, .. } => default.map(Setting::Whole),
            Self::Words => None,
        }
    }
}

impl With {
    /// The defaults of these parameters.
    pub fn defaults(takes: &[Parameter]) -> Self {
        Self(takes.iter().filter_map(|it| Some((it.name, it.is.default()?))).collect())
    }

    /// Sets one.
    pub fn set(&mut self, name: &'static str, value: Setting) {
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, value));
    }

    fn get(&self, name: &str) -> Option<&Setting> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// A duration, zero when it has none.
    pub fn duration(&self, name: &str) -> Duration {
        match self.get(name) {
            Some(Setting::Duration(duration)) => *duration,
            _ => Duration::ZERO,
        }
    }

    /// A whole number.
    pub fn whole(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Some(Setting::Whole(whole)) => Some(*whole),
            _ => None,
        }
    }

    /// Words.
    pub fn words(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Setting::Words(words)) => Some(words),
            _ => None,
        }
    }
}

/// The words of the answer, for every kind that answers in its own.
pub(super) const TEXT: Parameter =
    Parameter { name: "text", about: "what the agent is told, in other words", is: Is::Words };
/// How long a 429 or 503 asks to wait.
pub(super) const RETRY_AFTER: Parameter = Parameter {
    name: "retry_after_s",
    about: "how long the agent is asked to wait, in whole seconds",
    is: Is::Whole { default: Some(60), range: 1..=86_400 },
};
