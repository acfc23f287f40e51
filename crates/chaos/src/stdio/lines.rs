//! Bytes from a pipe, line by line, each as it came.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// What was read and not yet taken.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Up to here lines were taken.
    start: usize,
    /// Up to here there is no line end, so a long line is not searched again and again.
    searched: usize,
}

impl Lines {
    /// Reads what is there; `false` at the end of the pipe.
    pub(super) fn fill(&mut self, pipe: BorrowedFd<'_>) -> io::Result<bool> {
        self.drop_taken();
        let length = self.buffer.len();
        self.buffer.resize(length + CHUNK, 0);
        let read = match rustix::io::read(pipe, self.buffer.get_mut(length..).unwrap_or_default()) {
            Ok(read) => read,
            Err(Errno::INTR | Errno::AGAIN) => {
                self.buffer.truncate(length);
                return Ok(true);
            }
            Err(error) => {
                self.buffer.truncate(length);
                return Err(error.into());
            }
        };
        self.buffer.truncate(length + read);
        if read == 0 && self.start < self.buffer.len() {
            // A last line without an end still counts as one.
            self.buffer.push(b'\n');
        }
        Ok(read > 0)
    }

    /// At most this many whole lines, without their ends.
    pub(super) fn take(&mut self, most: usize) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        while lines.len() < most {
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(at) = unsearched.iter().position(|byte| *byte == b'\n') else {
                self.searched = self.buffer.len();
                break;
            };
            let end = self.searched + at;
            lines.push(self.buffer.get(self.start..end).unwrap_or_default().to_vec());
            self.start = end + 1;
            self.searched = self.start;
        }
        lines
    }

    fn drop_taken(&mut self) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        if self.buffer.is_empty() && self.buffer.capacity() > 4 * CHUNK {
            // One large frame should not keep its memory for the rest of the run.
            self.buffer = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Lines {
        Lines { buffer: text.to_vec(), ..Lines::default() }
    }

    #[test]
    fn lines_come_out_as_they_went_in() {
        let mut lines = lines(b"a\r\n\n\xff b\nrest");
        assert_eq!(lines.take(10), [&b"a\r"[..], b"", b"\xff b"]);
        lines.buffer.extend_from_slice(b" of it\n");
        assert_eq!(lines.take(10), [b"rest of it"]);
    }

    #[test]
    fn no_more_than_asked_for() {
        let mut lines = lines(b"1\n2\n3\n");
        assert_eq!(lines.take(2).len(), 2);
        lines.drop_taken();
        assert_eq!(lines.take(2), [b"3"]);
    }
}
