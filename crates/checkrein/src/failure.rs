//! How a command ends badly: a sentence, perhaps a hint, and an exit status.

use std::path::Path;
use std::process::ExitCode;

use crate::terminal;

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    text: String,
    hint: Option<String>,
    status: u8,
}

impl Failure {
    /// The command could not do its job.
    pub(crate) fn new(text: impl ToString) -> Self {
        Self { text: text.to_string(), hint: None, status: 1 }
    }

    /// The command line makes no sense.
    pub(crate) fn usage(text: impl ToString) -> Self {
        Self { status: 2, ..Self::new(text) }
    }

    /// The run ended as `--fail-on` says it must not.
    pub(crate) fn verdict(text: impl ToString) -> Self {
        Self { status: 3, ..Self::new(text) }
    }

    /// The same, as a mistake on the command line.
    pub(crate) fn into_usage(self) -> Self {
        Self { status: 2, ..self }
    }

    /// What the user can do about it.
    pub(crate) fn hint(self, hint: impl ToString) -> Self {
        Self { hint: Some(hint.to_string()), ..self }
    }

    /// Says which file it was about.
    pub(crate) fn within(self, file: &Path) -> Self {
        Self { text: format!("`{}`: {}", file.display(), self.text), ..self }
    }

    /// Tells the user, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        terminal::complain(&format!("error: {}", self.text));
        if let Some(hint) = self.hint {
            terminal::complain(&format!("hint: {hint}"));
        }
        ExitCode::from(self.status)
    }
}
