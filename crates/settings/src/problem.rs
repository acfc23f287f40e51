//! What is wrong with a configuration, all of it at once.

use std::fmt;

/// One setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The variable or flag it concerns.
    pub setting: String,
    /// What is wrong and how to mend it; never a secret.
    pub text: String,
}

impl Problem {
    /// A problem with one setting.
    pub fn new(setting: impl Into<String>, text: impl Into<String>) -> Self {
        Self { setting: setting.into(), text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.setting, self.text)
    }
}

/// Everything that keeps a command from starting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid configuration")?;
        for problem in &self.0 {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Something to tell the user that does not keep the command from starting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice(pub String);

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
