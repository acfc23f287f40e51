//! Reads a zip file from its front (APPNOTE.TXT sections 4.3.7 to 4.3.9).
//!
//! The platform streams its archives: sizes come after the data, so the local headers say zero,
//! and the directory that would tell is at the very end. Deflate knows its own end, which is what
//! makes reading from the front possible.

use flate2::{Decompress, FlushDecompress, Status};

use super::archive::{ArchiveError, Unpacked};

/// The platform puts at most 2000 files into an archive.
const MAX_ENTRIES: usize = 5000;
const LOCAL_HEADER: usize = 30;
const ENCRYPTED: u16 = 1;
const SIZES_FOLLOW: u16 = 1 << 3;
/// A size that is written in a 64-bit extension.
const ZIP64: u32 = u32::MAX;

#[derive(Debug)]
enum State {
    Header,
    Stored { left: usize },
    Deflated { sizes_follow: bool },
    Descriptor,
    Directory,
}

/// The reading of one zip file.
#[derive(Debug)]
pub(super) struct Unzip {
    state: State,
    /// Bytes that came but were not used up.
    seen: Vec<u8>,
    inflate: Decompress,
    entries: usize,
}

impl Default for Unzip {
    fn default() -> Self {
        let inflate = Decompress::new(false);
        Self { state: State::Header, seen: Vec::new(), inflate, entries: 0 }
    }
}

impl Unzip {
    /// Takes a piece of the file and gives what it holds to `out`.
    pub(super) fn push(&mut self, piece: &[u8], out: &mut Unpacked) -> Result<(), ArchiveError> {
        if matches!(self.state, State::Directory) {
            return Ok(());
        }
        self.seen.extend_from_slice(piece);
        let seen = std::mem::take(&mut self.seen);
        let mut rest = seen.as_slice();
        while let Some(after) = self.step(rest, out)? {
            rest = after;
        }
        // What `step` could not use is at most a header with its name, or nothing.
        self.seen = match self.state {
            State::Directory => Vec::new(),
            _ => self.unused(rest).to_vec(),
        };
        Ok(())
    }

    /// Whether the file has come to its directory.
    pub(super) fn finish(&self) -> Result<(), ArchiveError> {
        match self.state {
            State::Directory => Ok(()),
            _ => Err(ArchiveError::EndsEarly),
        }
    }

    /// A deflated or stored entry takes all it is given.
    fn unused<'a>(&self, rest: &'a [u8]) -> &'a [u8] {
        match self.state {
            State::Header | State::Descriptor => rest,
            _ => &[],
        }
    }

    /// Does one thing and returns what is left, or nothing when it needs more than is there.
    fn step<'a>(
        &mut self,
        rest: &'a [u8],
        out: &mut Unpacked,
    ) -> Result<Option<&'a [u8]>, ArchiveError> {
        match self.state {
            State::Header => self.header(rest),
            State::Stored { left } => {
                let (now, after) = rest.split_at(left.min(rest.len()));
                out.push(now)?;
                let left = left - now.len();
                if left > 0 {
                    self.state = State::Stored { left };
                    return Ok(None);
                }
                out.end_file();
                self.state = State::Header;
                Ok(Some(after))
            }
            State::Deflated { sizes_follow } => self.inflate(rest, sizes_follow, out),
            State::Descriptor => self.descriptor(rest),
            State::Directory => Ok(None),
        }
    }

    fn header<'a>(&mut self, rest: &'a [u8]) -> Result<Option<&'a [u8]>, ArchiveError> {
        let Some(signature) = rest.get(..4) else { return Ok(None) };
        match signature {
            b"PK\x03\x04" => {}
            b"PK\x01\x02" | b"PK\x05\x06" | b"PK\x06\x06" | b"PK\x06\x08" => {
                self.state = State::Directory;
                return Ok(None);
            }
            _ => return Err(ArchiveError::Damaged("no entry where one should be")),
        }
        let Some(header) = rest.get(..LOCAL_HEADER) else { return Ok(None) };
        let names = usize::from(u16_at(header, 26)) + usize::from(u16_at(header, 28));
        let Some(after) = rest.get(LOCAL_HEADER + names..) else { return Ok(None) };
        let (flags, method) = (u16_at(header, 6), u16_at(header, 8));
        let sizes_follow = flags & SIZES_FOLLOW != 0;
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(ArchiveError::Damaged("too many entries"));
        }
        if flags & ENCRYPTED != 0 {
            return Err(ArchiveError::Unsupported("encryption"));
        }
        self.state = match (method, u32_at(header, 18)) {
            (8, _) => {
                self.inflate.reset(false);
                State::Deflated { sizes_follow }
            }
            (0, ZIP64) => return Err(ArchiveError::Unsupported("an entry of 4 GB")),
            (0, size) if size > 0 || !sizes_follow => {
                State::Stored { left: usize::try_from(size).unwrap_or(usize::MAX) }
            }
            (0, _) => return Err(ArchiveError::Unsupported("uncompressed data of unknown length")),
            _ => return Err(ArchiveError::Unsupported("a compression other than deflate")),
        };
        Ok(Some(after))
    }

    fn inflate<'a>(
        &mut self,
        mut rest: &'a [u8],
        sizes_follow: bool,
        out: &mut Unpacked,
    ) -> Result<Option<&'a [u8]>, ArchiveError> {
        let mut buffer = [0; 16 << 10];
        loop {
            let (used, made) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self
                .inflate
                .decompress(rest, &mut buffer, FlushDecompress::None)
                .map_err(|_| ArchiveError::Damaged("deflate data"))?;
            let used = usize::try_from(self.inflate.total_in() - used).unwrap_or(usize::MAX);
            let made = usize::try_from(self.inflate.total_out() - made).unwrap_or(usize::MAX);
            rest = rest.get(used..).unwrap_or_default();
            out.push(buffer.get(..made).unwrap_or_default())?;
            if status == Status::StreamEnd {
                out.end_file();
                self.state = if sizes_follow { State::Descriptor } else { State::Header };
                return Ok(Some(rest));
            }
            if used == 0 && made == 0 {
                return Ok(None);
            }
        }
    }

    /// Skips the sizes behind an entry. Their signature is optional and their width depends on an
    /// extension, so what follows them decides how long they are.
    fn descriptor<'a>(&mut self, rest: &'a [u8]) -> Result<Option<&'a [u8]>, ArchiveError> {
        let signed = rest.starts_with(b"PK\x07\x08");
        let lengths = if signed { [16, 24] } else { [12, 20] };
        for length in lengths {
            let Some(next) = rest.get(length..length + 4) else { return Ok(None) };
            if matches!(next, b"PK\x03\x04" | b"PK\x01\x02") {
                self.state = State::Header;
                return Ok(rest.get(length..));
            }
        }
        Err(ArchiveError::Damaged("no entry behind an entry"))
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let two = bytes.get(at..at + 2).and_then(|two| two.try_into().ok());
    u16::from_le_bytes(two.unwrap_or_default())
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    u32::from_le_bytes(four.unwrap_or_default())
}
