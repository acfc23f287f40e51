//! Opens connections and sends one request over one of them.
//!
//! It knows at every moment whether a byte of the request may have left, because that decides how
//! a failed write ended; this is why connections are made and kept here and not by a client that
//! hides them.

use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::http::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::address::Origin;
use crate::deadlines::Deadlines;

mod dial;
mod pool;
mod progress;
mod tls;

pub(crate) use pool::Age;
pub(crate) use progress::{Phase, Progress};

/// A connection that does not become ready within this time still has an upload to finish.
const READY: Duration = Duration::from_secs(1);

type Sender = SendRequest<Full<Bytes>>;

/// Why an attempt brought no whole reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    /// No connection; the text says why.
    NotReached(String),
    /// A deadline; the text says which.
    TimedOut(&'static str),
    /// The connection broke; the text is the cause.
    Lost(String),
    /// The sink refused more.
    TooMuch,
}

/// What a sink says after a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appetite {
    /// It takes more.
    More,
    /// It has all it needs; the rest is left unread.
    Full,
    /// It was given more than it can hold.
    TooMuch,
}

/// Takes a body piece by piece.
pub(crate) trait Sink: Send {
    /// Learns the head of the reply and how long its body says it is.
    fn begin(&mut self, head: &Head, length: Option<u64>);
    /// Takes a piece.
    fn take(&mut self, piece: &[u8]) -> Appetite;
}

/// The status line and headers of a reply.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
}

/// Connections to the platform; nothing is opened or loaded before the first request.
#[derive(Debug, Default)]
pub(crate) struct Transport {
    tls: OnceLock<Result<TlsConnectorBox, String>>,
    idle: pool::Pool,
}

/// A connector that can be shown.
struct TlsConnectorBox(TlsConnector);

impl std::fmt::Debug for TlsConnectorBox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("TlsConnector")
    }
}

impl Transport {
    /// Sends a request and pours the body of its reply into the sink.
    ///
    /// `progress` is written as the exchange goes, so that a caller who drops this future knows
    /// how far it came.
    pub(crate) async fn exchange(
        &self,
        origin: &Origin,
        mut request: Request<Full<Bytes>>,
        deadlines: Deadlines,
        age: Age,
        progress: &Progress,
        sink: &mut impl Sink,
    ) -> Result<Head, Why> {
        let (response, sender) = loop {
            let (mut sender, kept) = match self.idle.take(origin, age) {
                Some(sender) => (sender, true),
                None => (self.connect(origin, deadlines).await?, false),
            };
            match timeout(READY, sender.ready()).await {
                Ok(Ok(())) => {}
                _ if kept => continue,
                _ => return Err(Why::NotReached("the connection closed at once".to_owned())),
            }
            progress.reach(Phase::Sent);
            match timeout(deadlines.first_byte, sender.try_send_request(request)).await {
                Ok(Ok(response)) => break (response, sender),
                Err(_) => return Err(Why::TimedOut("answer")),
                Ok(Err(mut failed)) => match failed.take_message() {
                    // The connection handed the request back: not a byte of it was written.
                    Some(unsent) if kept => {
                        progress.reach(Phase::Connecting);
                        request = unsent;
                    }
                    Some(_) => {
                        progress.reach(Phase::Connecting);
                        return Err(Why::NotReached(cause(failed.error())));
                    }
                    None => return Err(Why::Lost(cause(failed.error()))),
                },
            }
        };
        let (head, to_the_end) = read(response, deadlines, progress, sink).await?;
        if to_the_end {
            self.idle.keep(origin.clone(), sender);
        }
        Ok(head)
    }

    async fn connect(&self, origin: &Origin, deadlines: Deadlines) -> Result<Sender, Why> {
        match timeout(deadlines.connect, self.open(origin)).await {
            Ok(opened) => opened.map_err(Why::NotReached),
            Err(_) => Err(Why::TimedOut("connection")),
        }
    }

    async fn open(&self, origin: &Origin) -> Result<Sender, String> {
        let stream = dial::dial(&origin.host, origin.port).await?;
        if !origin.secure {
            return start(TokioIo::new(stream)).await;
        }
        let connector = self.tls.get_or_init(|| tls::connector().map(TlsConnectorBox));
        let TlsConnectorBox(connector) = connector.as_ref().map_err(Clone::clone)?;
        let stream = connector
            .connect(tls::name(&origin.host)?, stream)
            .await
            .map_err(|error| format!("TLS with `{}` failed: {error}", origin.host))?;
        start(TokioIo::new(stream)).await
    }
}

/// Pours a body into the sink and tells whether it was read to its end.
async fn read(
    response: Response<Incoming>,
    deadlines: Deadlines,
    progress: &Progress,
    sink: &mut impl Sink,
) -> Result<(Head, bool), Why> {
    let (parts, mut body) = response.into_parts();
    let head = Head { status: parts.status.as_u16(), headers: parts.headers };
    progress.answered(&head);
    sink.begin(&head, hyper::body::Body::size_hint(&body).exact());
    loop {
        let Ok(frame) = timeout(deadlines.body_idle, body.frame()).await else {
            return Err(Why::TimedOut("rest of the reply"));
        };
        match frame {
            None => return Ok((head, true)),
            Some(Err(error)) => return Err(Why::Lost(cause(&error))),
            Some(Ok(frame)) => {
                let Ok(piece) = frame.into_data() else { continue };
                match sink.take(&piece) {
                    Appetite::More => {}
                    Appetite::Full => return Ok((head, false)),
                    Appetite::TooMuch => return Err(Why::TooMuch),
                }
            }
        }
    }
}

/// Starts HTTP on a connection; the task that drives it ends with the connection.
async fn start<T>(io: T) -> Result<Sender, String>
where
    T: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(io).await.map_err(|error| cause(&error))?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("A connection to the platform ended: {error}");
        }
    });
    Ok(sender)
}

/// The innermost cause, which is the one that says something (`Connection reset by peer`).
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
