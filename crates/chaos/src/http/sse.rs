//! Server-sent events (WHATWG HTML, section 9.2), split without changing a byte.

/// The most bytes of one event.
pub(super) const MAX_EVENT: usize = 64 << 20;

/// One event, or one comment line between two.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Event {
    /// As it came, the empty line that ends it included.
    pub(super) raw: Vec<u8>,
    /// Its data, when it has any.
    pub(super) data: Option<Vec<u8>>,
    /// The id to resume after, when it names one.
    pub(super) id: Option<Vec<u8>>,
    /// After how many milliseconds the client is to come back, when it says so.
    pub(super) retry: Option<u64>,
}

/// What has come and is no whole event yet.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    buffer: Vec<u8>,
    /// Up to here whole lines of the next event were read.
    read: usize,
    /// Up to here there is no further line end: a long line is not searched again for each piece.
    searched: usize,
    event: Event,
}

impl Event {
    /// The same event with other data: ids, names and retry times stay.
    pub(super) fn with_data(&self, frame: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut is_written = false;
        for line in self.raw.split_inclusive(|byte| *byte == b'\n') {
            if !line.starts_with(b"data") {
                out.extend_from_slice(line);
            } else if !is_written {
                is_written = true;
                push_data(&mut out, frame);
            }
        }
        out
    }
}

/// An event of ours.
pub(super) fn event(frame: &[u8]) -> Vec<u8> {
    let mut out = b"event: message\n".to_vec();
    push_data(&mut out, frame);
    out.push(b'\n');
    out
}

fn push_data(out: &mut Vec<u8>, frame: &[u8]) {
    for line in frame.split(|byte| *byte == b'\n') {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
        out.push(b'\n');
    }
}

impl Splitter {
    /// Takes in bytes; `false` when one event has become too large.
    pub(super) fn push(&mut self, bytes: &[u8]) -> bool {
        self.buffer.extend_from_slice(bytes);
        self.buffer.len() <= MAX_EVENT
    }

    /// The next whole event.
    pub(super) fn next(&mut self) -> Option<Event> {
        loop {
            let rest = self.buffer.get(self.read..)?;
            let Some((line, end)) = line(rest, self.searched.saturating_sub(self.read)) else {
                // The last byte may be half of a line end.
                self.searched = self.buffer.len().saturating_sub(1);
                return None;
            };
            let is_first = self.read == 0;
            let is_comment = line.starts_with(b":");
            if !line.is_empty() && !is_comment {
                take_field(&mut self.event, line);
            }
            let is_over = line.is_empty() || is_first && is_comment;
            self.read += end;
            if is_over {
                let raw = self.buffer.drain(..self.read).collect();
                self.read = 0;
                self.searched = 0;
                return Some(Event { raw, ..std::mem::take(&mut self.event) });
            }
        }
    }

    /// What is left when the stream has ended: an event without its end is none.
    pub(super) fn rest(self) -> Vec<u8> {
        self.buffer
    }
}

/// The first line and where the next one begins; it does not end before `from`. A last `\r` may be
/// half of a line end.
fn line(bytes: &[u8], from: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(from..)?;
    let at = from + rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
    let line = bytes.get(..at)?;
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\n'), _) => Some((line, at + 1)),
        (_, Some(b'\n')) => Some((line, at + 2)),
        (_, Some(_)) => Some((line, at + 1)),
        (_, None) => None,
    }
}

fn take_field(event: &mut Event, line: &[u8]) {
    let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
    let (name, value) = line.split_at(colon);
    let value = value.strip_prefix(b":").unwrap_or(value);
    let value = value.strip_prefix(b" ").unwrap_or(value);
    match name {
        b"data" => match &mut event.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => event.data = Some(value.to_vec()),
        },
        b"id" if !value.contains(&0) => event.id = Some(value.to_vec()),
        b"retry" => {
            let text = std::str::from_utf8(value).ok();
            event.retry = text.and_then(|it| it.parse().ok()).or(event.retry);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&[u8]]) -> Vec<Event> {
        let mut splitter = Splitter::default();
        let mut events = Vec::new();
        for piece in pieces {
            assert!(splitter.push(piece));
            events.extend(std::iter::from_fn(|| splitter.next()));
        }
        assert_eq!(splitter.rest(), b"");
        events
    }

    #[test]
    fn events_come_out_as_they_went_in_however_they_were_cut() {
        let text = b": hi\nid: 7\nretry: 10\ndata: {\"a\":\ndata: 1}\n\nevent: x\r\ndata:2\r\n\r\n";
        for cut in 0..text.len() {
            let (one, other) = text.split_at(cut);
            let events = split(&[one, other]);
            let raw: Vec<u8> = events.iter().flat_map(|event| event.raw.clone()).collect();
            assert_eq!(raw, text, "cut at {cut}");
            let data: Vec<_> = events.iter().filter_map(|event| event.data.clone()).collect();
            assert_eq!(data, [&b"{\"a\":\n1}"[..], b"2"], "cut at {cut}");
        }
    }

    #[test]
    fn a_comment_does_not_wait_for_an_event() {
        let mut splitter = Splitter::default();
        splitter.push(b": still here\n");
        assert_eq!(splitter.next().unwrap_or_default().raw, b": still here\n");
    }

    #[test]
    fn other_data_keeps_the_id() {
        let events = split(&[b"event: message\nid: 3\ndata: {\ndata: }\n\n"]);
        assert_eq!(events[0].with_data(b"[]"), b"event: message\nid: 3\ndata: []\n\n");
    }
}
