//! Writes for people: text and tables on standard output, complaints on standard error.

use std::io::{self, IsTerminal, Write};

/// Writes a line to standard output.
///
/// A reader that has enough (`head`) closes the pipe; that is its right and no error of ours.
pub(crate) fn say(text: &str) {
    drop(writeln!(io::stdout().lock(), "{text}"));
}

/// Writes a line to standard error.
pub(crate) fn complain(text: &str) {
    drop(writeln!(io::stderr().lock(), "{text}"));
}

/// How to emphasise, if at all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    colour: bool,
}

impl Style {
    /// Colour only for a person at a terminal who did not ask for none (no-color.org).
    pub(crate) fn of_stdout() -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { colour: io::stdout().is_terminal() && !unwanted }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// A table with columns as wide as they must be.
pub(crate) fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let head = heads.get(column).map_or(0, |head| head.chars().count());
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(head)
    };
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().enumerate().map(|(at, cell)| format!("{cell:<0$}", width(at)));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(heads.to_vec())];
    lines.extend(rows.iter().map(|row| line(row.iter().map(String::as_str).collect())));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["a".to_owned(), "b".to_owned()], ["long".to_owned(), String::new()]];
        let text = table(&["x", "head"], &rows.map(Vec::from));
        assert_eq!(text, "x     head\na     b\nlong");
    }
}
