//! Keeps a credential out of logs, errors and debug output.

use std::fmt;

/// A text that must not be shown; its `Debug` prints `***` and it has no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// Wraps a credential.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The credential itself, for the one place that writes it into a header.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_prints_stars() {
        assert_eq!(format!("{:?}", Secret::new("pat.a.b.c")), "***");
    }
}
