//! Reads an archive while it arrives: a zip, a gzip file or plain lines.

use std::io::Write;

use flate2::write::MultiGzDecoder;

use super::Log;
use super::lines::Lines;
use super::unzip::Unzip;
use crate::transport::{Appetite, Head, Sink};

/// No more than this is downloaded; the platform keeps 25 MB for each step.
const MAX_DOWNLOAD: usize = 64 << 20;
/// No more than this is unpacked, however well it was packed.
const MAX_UNPACKED: usize = 256 << 20;
/// Gzip is fed in slices, so that even the densest one unpacks into a few megabytes.
const GZIP_SLICE: usize = 4 << 10;
/// What has to be seen of an archive to know its kind.
const MAGIC: usize = 4;

/// An archive that cannot be read on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// A web page came, usually because the link has expired.
    #[error("a web page came instead; the link may have expired, ask again")]
    Page,
    /// The bytes contradict the format.
    #[error("it is damaged ({0})")]
    Damaged(&'static str),
    /// The format is known, but not this form of it.
    #[error("it uses {0}, which is not supported")]
    Unsupported(&'static str),
    /// It unpacks into more than is reasonable.
    #[error("it unpacks into more than {} MB", MAX_UNPACKED >> 20)]
    UnpacksTooFar,
    /// It is longer than what is downloaded.
    #[error("it is larger than {} MB", MAX_DOWNLOAD >> 20)]
    TooLarge,
    /// It stops before its end.
    #[error("it ends early")]
    EndsEarly,
}

/// Lines, and a limit on what may become of an archive.
#[derive(Debug, Default)]
pub(super) struct Unpacked {
    lines: Lines,
    size: usize,
}

impl Unpacked {
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<(), ArchiveError> {
        self.size += piece.len();
        if self.size > MAX_UNPACKED {
            return Err(ArchiveError::UnpacksTooFar);
        }
        self.lines.push(piece);
        Ok(())
    }

    pub(super) fn end_file(&mut self) {
        self.lines.end_file();
    }
}

enum Form {
    Unknown(Vec<u8>),
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Zip(Box<Unzip>),
}

/// Unpacks a download as it comes and keeps only its lines.
pub(super) struct LogSink {
    form: Form,
    unpacked: Unpacked,
    size: usize,
    stopped: Option<ArchiveError>,
}

impl Default for LogSink {
    fn default() -> Self {
        let (form, unpacked) = (Form::Unknown(Vec::new()), Unpacked::default());
        Self { form, unpacked, size: 0, stopped: None }
    }
}

impl LogSink {
    /// The log, as far as it could be read; an error when not a line could.
    pub(super) fn finish(mut self) -> Result<Log, ArchiveError> {
        if self.stopped.is_none() {
            self.stopped = self.end().err();
        }
        match self.stopped {
            Some(error) if self.unpacked.size == 0 => Err(error),
            stopped => {
                let note =
                    stopped.map(|error| format!("the archive was not read to its end: {error}"));
                Ok(self.unpacked.lines.finish(note))
            }
        }
    }

    fn end(&mut self) -> Result<(), ArchiveError> {
        if let Form::Unknown(seen) = &mut self.form {
            let seen = std::mem::take(seen);
            self.form = Form::Plain;
            return self.feed(&seen);
        }
        match &mut self.form {
            Form::Unknown(_) | Form::Plain => Ok(()),
            Form::Gzip(gzip) => {
                gzip.try_finish().map_err(|_| ArchiveError::EndsEarly)?;
                self.unpacked.push(&std::mem::take(gzip.get_mut()))
            }
            Form::Zip(zip) => zip.finish(),
        }
    }

    fn feed(&mut self, piece: &[u8]) -> Result<(), ArchiveError> {
        match &mut self.form {
            Form::Unknown(seen) => {
                seen.extend_from_slice(piece);
                if seen.len() < MAGIC {
                    return Ok(());
                }
                let seen = std::mem::take(seen);
                self.form = form_of(&seen)?;
                self.feed(&seen)
            }
            Form::Plain => self.unpacked.push(piece),
            Form::Gzip(gzip) => {
                for slice in piece.chunks(GZIP_SLICE) {
                    gzip.write_all(slice).map_err(|_| ArchiveError::Damaged("gzip data"))?;
                    self.unpacked.push(&std::mem::take(gzip.get_mut()))?;
                }
                Ok(())
            }
            Form::Zip(zip) => zip.push(piece, &mut self.unpacked),
        }
    }
}

impl Sink for LogSink {
    fn begin(&mut self, _head: &Head, _length: Option<u64>) {}

    fn take(&mut self, piece: &[u8]) -> Appetite {
        self.size += piece.len();
        let fed = match self.size > MAX_DOWNLOAD {
            true => Err(ArchiveError::TooLarge),
            false => self.feed(piece),
        };
        match fed {
            Ok(()) => Appetite::More,
            Err(error) => {
                self.stopped = Some(error);
                Appetite::Full
            }
        }
    }
}

fn form_of(seen: &[u8]) -> Result<Form, ArchiveError> {
    if seen.starts_with(b"PK\x03\x04") || seen.starts_with(b"PK\x05\x06") {
        return Ok(Form::Zip(Box::default()));
    }
    if seen.starts_with(&[0x1f, 0x8b]) {
        return Ok(Form::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))));
    }
    if seen.trim_ascii_start().starts_with(b"<") {
        return Err(ArchiveError::Page);
    }
    Ok(Form::Plain)
}

#[cfg(test)]
mod tests;
