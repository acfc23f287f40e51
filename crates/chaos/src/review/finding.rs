//! One thing a review found, and how much it matters.

use serde::Serialize;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It is as it should be.
    Ok,
    /// Good to know.
    Note,
    /// It makes wrong results or double writes likely.
    Warning,
    /// It makes a run impossible.
    Problem,
}

impl Level {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub level: Level,
    /// The check, as one word that stays the same.
    pub check: &'static str,
    /// What is so.
    pub text: String,
    /// The tools it is about, when it is about some.
    pub tools: Vec<String>,
    /// What to do about it.
    pub mend: Option<String>,
}

impl Finding {
    /// A finding about nothing in particular, with nothing to do.
    pub fn new(level: Level, check: &'static str, text: impl Into<String>) -> Self {
        Self { level, check, text: text.into(), tools: Vec::new(), mend: None }
    }

    /// Says which tools it is about.
    #[must_use]
    pub fn about(self, tools: Vec<String>) -> Self {
        Self { tools, ..self }
    }

    /// Says what to do.
    #[must_use]
    pub fn mend(self, mend: impl Into<String>) -> Self {
        Self { mend: Some(mend.into()), ..self }
    }
}
