//! Sends requests of the catalogue to the platform, with everything that makes this safe.

use std::sync::Arc;
use std::time::Duration;

use checkrein_catalog::model::Risk;
use checkrein_catalog::request::WireRequest;
use tokio_util::sync::CancellationToken;

use crate::address::{AddressError, BaseUrl};
use crate::deadlines::Deadlines;
use crate::error::ApiError;
use crate::rate::RateLimit;
use crate::reply::{Asked, Reply};
use crate::retry::{FIRST_PAUSE, RetryBudget};
use crate::secret::Secret;
use crate::transport::Transport;

mod attempts;
mod collect;
mod failed;
mod outgoing;

pub(crate) use attempts::Task;
pub(crate) use collect::Collect;
pub(crate) use outgoing::Outgoing;

/// The largest reply that is kept in memory to be parsed; the longest lists seen are 25 MB.
pub const MAX_JSON_BODY: usize = 32 << 20;
/// The largest file that is kept in memory.
pub const MAX_BINARY_BODY: usize = 64 << 20;

/// What a client needs to know; all of it comes from the settings.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the platform lives (`https://app.harness.io`). Whether `http` is allowed is for the
    /// settings to check.
    pub base_url: String,
    /// The account identifier.
    pub account: String,
    /// The API key.
    pub credential: Secret,
    /// The deadline of one attempt, from the connection to the last byte.
    pub timeout: Duration,
    /// How often a request that may be repeated is tried again.
    pub max_retries: u32,
    /// Requests each second, with as many at once; zero means no limit.
    pub rate_per_second: u32,
    /// Whether bodies may be written to the log.
    pub log_bodies: bool,
}

/// A connection to one account; cheap to make and to clone, clones share limits and connections.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) base: BaseUrl,
    pub(crate) account: String,
    credential: Secret,
    deadlines: Deadlines,
    max_retries: u32,
    first_pause: Duration,
    log_bodies: bool,
    rate: RateLimit,
    budget: RetryBudget,
    transport: Transport,
}

impl Client {
    /// Makes a client; nothing is opened or loaded before the first request.
    pub fn new(options: Options) -> Result<Self, AddressError> {
        let inner = Inner {
            base: BaseUrl::parse(&options.base_url)?,
            account: options.account,
            credential: options.credential,
            deadlines: Deadlines::within(options.timeout),
            max_retries: options.max_retries,
            first_pause: FIRST_PAUSE,
            log_bodies: options.log_bodies,
            rate: RateLimit::per_second(options.rate_per_second),
            budget: RetryBudget::full(),
            transport: Transport::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Sends a request and returns its reply, or why there is none and how a write ended.
    ///
    /// Cancelling ends every wait at once, the one for a retry too.
    pub async fn send(
        &self,
        request: &WireRequest,
        cancel: &CancellationToken,
    ) -> Result<Reply, ApiError> {
        let outgoing = self.inner.outgoing(request)?;
        let limit = if request.binary { MAX_BINARY_BODY } else { MAX_JSON_BODY };
        let task = Task {
            write: request.risk > Risk::Read,
            retry: request.retry,
            deadlines: self.inner.deadlines,
        };
        let done = self.inner.attempts(&outgoing, task, cancel, || Collect::up_to(limit)).await?;
        let asked = Asked {
            write: task.write,
            binary: request.binary,
            attempts: done.attempts,
            earlier: done.earlier,
        };
        Reply::sniff(done.head, done.sink.into_bytes(), asked)
    }

    /// The same client with shorter pauses between attempts.
    #[cfg(test)]
    pub(crate) fn hasty(mut self) -> Self {
        Arc::get_mut(&mut self.inner).expect("not cloned yet").first_pause =
            Duration::from_millis(2);
        self
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl Inner {
    pub(crate) fn deadlines(&self) -> Deadlines {
        self.deadlines
    }
}
