//! What the checks said, as a table and one plain line.

use std::fmt;
use std::time::Duration;

/// The part of a reason that fits into the table; all of it stands under the check's heading.
const WIDTH: usize = 140;

/// How one check ended.
pub(crate) struct Ended {
    /// Its name.
    pub(crate) name: &'static str,
    /// How long it took.
    pub(crate) took: Duration,
    /// What it found: a few words when all was well, the reason when not.
    pub(crate) found: Result<String, String>,
}

/// All checks of a run, in order.
#[derive(Default)]
pub(crate) struct Summary {
    ended: Vec<Ended>,
}

impl Summary {
    /// Adds one.
    pub(crate) fn add(&mut self, ended: Ended) {
        self.ended.push(ended);
    }

    /// Whether none failed, and there was at least one.
    pub(crate) fn is_clean(&self) -> bool {
        !self.ended.is_empty() && self.failed() == 0
    }

    fn failed(&self) -> usize {
        self.ended.iter().filter(|ended| ended.found.is_err()).count()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "== Summary")?;
        for Ended { name, took, found } in &self.ended {
            let (word, text) = match found {
                Ok(text) => ("passed", text),
                Err(text) => ("FAILED", text),
            };
            let seconds = took.as_secs_f64();
            let first: String =
                text.lines().next().unwrap_or_default().chars().take(WIDTH).collect();
            let row = format!("  {word}  {name:<24} {seconds:>7.1} s  {first}");
            writeln!(out, "{}", row.trim_end())?;
        }
        let total: Duration = self.ended.iter().map(|ended| ended.took).sum();
        writeln!(out, "  {} min in all", total.as_secs().div_ceil(60))?;
        let failed = self.failed();
        write!(out, "{} passed, {failed} failed", self.ended.len() - failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(name: &'static str, found: Result<String, String>) -> Ended {
        Ended { name, took: Duration::from_millis(1500), found }
    }

    #[test]
    fn the_last_line_counts_checks() {
        let mut summary = Summary::default();
        summary.add(ended("format", Ok(String::new())));
        summary.add(ended("lint", Err("two warnings\nand more".to_owned())));
        assert_eq!(
            summary.to_string(),
            "== Summary\n  passed  format                       1.5 s\n  FAILED  lint                         \
             1.5 s  two warnings\n  1 min in all\n1 passed, 1 failed"
        );
        assert!(!summary.is_clean());
    }

    #[test]
    fn a_run_of_no_checks_is_not_clean() {
        assert!(!Summary::default().is_clean());
    }
}
