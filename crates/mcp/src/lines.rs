//! Reads one JSON-RPC message a line, with a limit on its length.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// More than any honest call, and little enough to hold in memory.
pub(crate) const LONGEST_LINE: usize = 8 * 1024 * 1024;

/// What came in.
#[derive(Debug, PartialEq)]
pub(crate) enum Line {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// A line past the limit; it was skipped, but for the id of its request if it had one.
    TooLong(Option<Value>),
    /// Nothing more will come.
    End,
}

/// A line reader that loses nothing when a read is abandoned half way.
pub(crate) struct Lines<R> {
    input: BufReader<R>,
    longest: usize,
    line: Vec<u8>,
    skipping: Option<IdFinder>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(input: R, longest: usize) -> Self {
        Self { input: BufReader::new(input), longest, line: Vec::new(), skipping: None }
    }

    /// The next line. Dropping the future keeps what was read so far.
    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        loop {
            let chunk = self.input.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(Line::End);
            }
            let (part, ended) = match chunk.iter().position(|byte| *byte == b'\n') {
                Some(end) => (chunk.get(..end).unwrap_or_default(), true),
                None => (chunk, false),
            };
            let used = part.len() + usize::from(ended);
            if let Some(finder) = &mut self.skipping {
                finder.feed(part);
            } else if self.line.len() + part.len() > self.longest {
                let mut finder = IdFinder::default();
                finder.feed(&self.line);
                finder.feed(part);
                self.line = Vec::new();
                self.skipping = Some(finder);
            } else {
                self.line.extend_from_slice(part);
            }
            self.input.consume(used);
            if !ended {
                continue;
            }
            if let Some(finder) = self.skipping.take() {
                return Ok(Line::TooLong(finder.id()));
            }
            let mut line = std::mem::take(&mut self.line);
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if !line.is_empty() {
                return Ok(Line::Whole(line));
            }
        }
    }
}

/// The id of a request that cannot be read as a whole.
pub(crate) fn id_in(line: &[u8]) -> Option<Value> {
    let mut finder = IdFinder::default();
    finder.feed(line);
    finder.id()
}

/// An id is short; one that is not is none we could answer to.
const LONGEST_ID: usize = 256;

/// Finds the top-level `id` of an object that is too large to keep.
///
/// Clients write the id first or last, so a prefix would not do.
#[derive(Default)]
struct IdFinder {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// The text or bare value being read at depth one.
    token: Vec<u8>,
    key: Vec<u8>,
    in_value: bool,
    found: Option<Vec<u8>>,
}

impl IdFinder {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.key = std::mem::take(&mut self.token);
                self.in_value = true;
            }
            b',' => self.end_member(),
            b' ' | b'\t' | b'\r' => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < LONGEST_ID {
            self.token.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.depth != 1 {
            return;
        }
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.in_value) && self.key == b"\"id\"" {
            self.found = Some(token);
        }
    }

    /// The id, when it is one: a text or a number.
    fn id(self) -> Option<Value> {
        let id: Value = serde_json::from_slice(&self.found?).ok()?;
        (id.is_string() || id.is_number()).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn lines(text: &str, longest: usize) -> Vec<Line> {
        let mut lines = Lines::new(text.as_bytes(), longest);
        let mut seen = Vec::new();
        loop {
            let line = lines.next().await.expect("memory cannot fail");
            if line == Line::End {
                return seen;
            }
            seen.push(line);
        }
    }

    #[tokio::test]
    async fn lines_end_with_either_newline_and_blank_ones_do_not_count() {
        let seen = lines("one\r\n\n\r\ntwo\nrest", 100).await;
        assert_eq!(seen, [Line::Whole(b"one".to_vec()), Line::Whole(b"two".to_vec())]);
    }

    #[tokio::test]
    async fn a_line_past_the_limit_gives_its_id_wherever_that_stands() {
        let first = r#"{"jsonrpc":"2.0","id":7,"params":{"id":8,"text":"aaaaaaaaaaaaaaaaaaaaaa"}}"#;
        let last = r#"{"params":{"id":"x","t":"\"}{aaaaaaaaaaaaaaaa","l":[1,2]},"id" : "l-1" }"#;
        let none = r#"{"method":"notifications/x","params":{"id":4,"text":"aaaaaaaaaaaaaaaaaaa"}}"#;
        let text = format!("{first}\n{last}\n{none}\nshort\n");
        assert_eq!(
            lines(&text, 20).await,
            [
                Line::TooLong(Some(json!(7))),
                Line::TooLong(Some(json!("l-1"))),
                Line::TooLong(None),
                Line::Whole(b"short".to_vec()),
            ]
        );
    }
}
