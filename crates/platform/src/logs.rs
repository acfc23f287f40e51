//! Fetches the log of an execution: from a link, through an archive, to lines in order of time.

use std::time::Duration;

use checkrein_catalog::model::{Method, Retry, Risk};
use checkrein_catalog::request::{WireBody, WireRequest};
use tokio_util::sync::CancellationToken;

use crate::client::{Client, Outgoing, Task};
use crate::deadlines::Deadlines;
use crate::error::ApiError;

mod ansi;
mod archive;
mod lines;
mod link;
mod unzip;

pub use archive::ArchiveError;
use archive::LogSink;
pub use link::LinkError;
use link::Place;

/// An archive takes longer than a call: up to 25 MB for each step.
const WHOLE_DOWNLOAD: Duration = Duration::from_secs(120);
/// What a log without a line says.
pub const EMPTY_LOG: &str = "(empty log output)";

/// A log as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// `[time] level: text`, one line each, in order of time.
    pub text: String,
    /// Why it is not the whole log, when it is not.
    pub left_out: Option<String>,
}

/// A log that could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The platform gave a link that is not followed.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The download failed.
    #[error("failed to download the log: {0}")]
    Download(#[from] ApiError),
    /// What came is no archive this client reads.
    #[error("failed to read the log archive: {0}")]
    Archive(#[from] ArchiveError),
}

impl Client {
    /// Downloads the archive behind a blob link and turns it into text.
    ///
    /// A link to the platform goes through this client, with its credential. A signed link to a
    /// storage service is fetched without one. Any other host is refused.
    pub async fn fetch_log(&self, link: &str, cancel: &CancellationToken) -> Result<Log, LogError> {
        let inner = self.inner();
        let outgoing = match link::place(link, &inner.base)? {
            Place::Platform { path, query } => inner.outgoing(&self.log_request(path, query))?,
            Place::Storage { origin, path, target } => Outgoing::bare(origin, &path, target)?,
        };
        let whole = inner.deadlines().whole.max(WHOLE_DOWNLOAD);
        let task = Task {
            write: false,
            retry: Retry::Safe,
            deadlines: Deadlines { whole, ..Deadlines::within(inner.deadlines().whole) },
        };
        let done = inner.attempts(&outgoing, task, cancel, LogSink::default).await?;
        Ok(done.sink.finish()?)
    }

    /// The log service wants the account three times over, like every request to it.
    fn log_request(&self, path: String, mut query: Vec<(String, String)>) -> WireRequest {
        for name in ["accountID", "accountIdentifier", "routingId"] {
            if !query.iter().any(|(known, _)| known == name) {
                query.push((name.to_owned(), self.inner().account.clone()));
            }
        }
        WireRequest {
            method: Method::Get,
            path,
            query,
            headers: Vec::new(),
            body: WireBody::None,
            retry: Retry::Safe,
            risk: Risk::Read,
            binary: true,
        }
    }
}
