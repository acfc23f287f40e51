//! The upstream's side: one connection per request.
//!
//! None is kept for the next one. If it closed under a request of which a byte was written, nobody
//! could know whether that arrived (RFC 9110 section 9.2.2, RFC 9112 section 9.3.1): to send it
//! again is the fault we look for, and not to is an unknown outcome of our own making.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1;
use hyper::header::CONTENT_TYPE;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::address::Address;
use super::input::{ExchangeId, Input, Inputs, Lost};
use super::sse::{Event, Splitter};
use super::{MAX_BODY, tls};

/// How long a connection may take to be made.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// A task that ends with its owner.
#[derive(Debug)]
pub(super) struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Task {
    pub(super) fn spawn(work: impl Future<Output = ()> + 'static) -> Self {
        Self(tokio::task::spawn_local(work))
    }
}

/// Sends a request and tells what comes back, until the end or until the task is dropped.
pub(super) fn send(
    address: Address,
    exchange: ExchangeId,
    request: Request<Full<Bytes>>,
    inputs: Inputs,
) -> Task {
    send_after(Duration::ZERO, address, exchange, request, inputs)
}

/// Sends a request after a rest.
pub(super) fn send_after(
    rest: Duration,
    address: Address,
    exchange: ExchangeId,
    mut request: Request<Full<Bytes>>,
    inputs: Inputs,
) -> Task {
    // Here, because every request to the upstream passes here.
    address.added.put(request.headers_mut());
    Task::spawn(async move {
        if !rest.is_zero() {
            tokio::time::sleep(rest).await;
        }
        if let Err(why) = exchange_with(&address, exchange, request, &inputs).await {
            let _ = inputs.send(Input::Failed(exchange, why));
        }
    })
}

async fn exchange_with(
    address: &Address,
    exchange: ExchangeId,
    request: Request<Full<Bytes>>,
    inputs: &Inputs,
) -> Result<(), Lost> {
    let stream = tokio::time::timeout(CONNECT_LIMIT, connect(address))
        .await
        .map_err(|_| {
            address.resolved.forget();
            Lost::Unreachable("the upstream accepted no connection in time".to_owned())
        })?
        .map_err(|error| Lost::Unreachable(format!("failed to connect: {error}")))?;
    let _ = stream.set_nodelay(true);
    if address.is_tls {
        let stream = tls::shake_hands(stream, &address.host).await.map_err(Lost::Unreachable)?;
        converse(stream, exchange, request, inputs).await
    } else {
        converse(stream, exchange, request, inputs).await
    }
}

/// Connects to where the name led before. Names are looked up on other threads, where requests
/// overtake each other: a call the stream that is to carry what the upstream asks about it.
async fn connect(address: &Address) -> io::Result<TcpStream> {
    let known = *address.resolved.0.lock().await;
    if let Some(known) = known {
        if let Ok(stream) = TcpStream::connect(known).await {
            return Ok(stream);
        }
        address.resolved.forget();
    }
    // Held all the while, so that whoever comes next waits for what is found, in turn.
    let mut found = address.resolved.0.lock().await;
    let stream = match *found {
        Some(found) => TcpStream::connect(found).await?,
        None => TcpStream::connect((address.host.as_str(), address.port)).await?,
    };
    *found = stream.peer_addr().ok();
    Ok(stream)
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    exchange: ExchangeId,
    request: Request<Full<Bytes>>,
    inputs: &Inputs,
) -> Result<(), Lost> {
    let (mut sender, connection) = http1::Builder::new()
        .preserve_header_case(true)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(told)?;
    // Dropped with this task, and the socket with it: the upstream sees that nobody listens.
    let _driver = Task::spawn(async move {
        let _ = connection.await;
    });
    let response = sender.send_request(request).await.map_err(told)?;
    relay(response, exchange, inputs).await
}

async fn relay(
    response: Response<Incoming>,
    exchange: ExchangeId,
    inputs: &Inputs,
) -> Result<(), Lost> {
    let (head, body) = response.into_parts();
    let kind = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if !kind.is_some_and(|kind| kind.trim_start().starts_with("text/event-stream")) {
        let body = Limited::new(body, MAX_BODY).collect().await;
        let body = body.map_err(|error| Lost::Broken(format!("the answer broke off: {error}")))?;
        let _ = inputs.send(Input::Whole(exchange, Box::new(head), body.to_bytes()));
        return Ok(());
    }
    let _ = inputs.send(Input::Head(exchange, Box::new(head)));
    let mut body = body;
    let mut splitter = Splitter::default();
    while !body.is_end_stream() {
        let Some(frame) = body.frame().await else { break };
        let Ok(bytes) = frame.map_err(told)?.into_data() else { continue };
        if !splitter.push(&bytes) {
            return Err(Lost::Broken("an event is too large".to_owned()));
        }
        while let Some(event) = splitter.next() {
            let (left, gone) = oneshot::channel();
            let _ = inputs.send(Input::Event(exchange, event, left));
            let _ = gone.await;
        }
    }
    let rest = splitter.rest();
    if !rest.is_empty() {
        // Half an event is none, and is passed on as it came.
        let (left, gone) = oneshot::channel();
        let event = Event { raw: rest, ..Event::default() };
        let _ = inputs.send(Input::Event(exchange, event, left));
        let _ = gone.await;
    }
    let _ = inputs.send(Input::StreamEnded(exchange));
    Ok(())
}

fn told(error: hyper::Error) -> Lost {
    Lost::Broken(format!("the connection broke: {error}"))
}
