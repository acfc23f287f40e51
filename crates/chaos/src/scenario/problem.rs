//! What is wrong with a scenario file, and where.

use std::fmt;

use checkrein_yaml::Position;

/// One thing wrong with a scenario.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where.
    pub at: Position,
    /// What is wrong, and the mend.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.at.line, self.at.column, self.message)
    }
}

/// `unknown fault `ghost`, did you mean `ghost-write`? (known: …)`
pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let guess = nearest(name, known.iter().copied())
        .map_or_else(String::new, |guess| format!(", did you mean `{guess}`?"));
    match known {
        [] => format!("unknown {what} `{name}`; there is none"),
        known => format!("unknown {what} `{name}`{guess} (known: {})", known.join(", ")),
    }
}

/// The name that was probably meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Below this two names have little in common.
    const CLOSE: f64 = 0.75;
    let name = name.to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(&name, &known.to_lowercase()), known))
        .filter(|(score, _)| *score >= CLOSE)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, known)| known)
}
