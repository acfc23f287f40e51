//! What is wrong with a catalogue file, and where.

use std::fmt;
use std::path::PathBuf;

pub use checkrein_yaml::Position;

/// One thing wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// Where in it.
    pub at: Position,
    /// What is wrong, and the mend.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.at;
        write!(f, "{}:{line}:{column}: {}", self.file.display(), self.message)
    }
}

/// `unknown key `requst`, did you mean `request`? (known: …)`
pub(crate) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let guess = crate::nearest(name, known.iter().copied())
        .map_or_else(String::new, |guess| format!(", did you mean `{guess}`?"));
    if known.is_empty() {
        return format!("unknown {kind} `{name}`; there is none");
    }
    format!("unknown {kind} `{name}`{guess} (known: {})", known.join(", "))
}
