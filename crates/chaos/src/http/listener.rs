//! The agent's side: our own HTTP server.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::input::{Asked, Departure, ExchangeId, Input, Inputs};
use super::reply::ReplyBody;
use super::wire::{ResetFlag, Wire};
use super::{MAX_BODY, origin};

/// The most agents' connections at a time; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 512;

/// How long a client may take to send the head of a request.
const HEAD_LIMIT: Duration = Duration::from_secs(30);

/// After a failed accept: there may be no descriptor left until a connection closes.
const REST: Duration = Duration::from_millis(50);

/// Numbers for exchanges.
pub(super) type Numbers = Rc<Cell<ExchangeId>>;

pub(super) fn number(numbers: &Numbers) -> ExchangeId {
    numbers.set(numbers.get() + 1);
    numbers.get()
}

/// Accepts for ever.
pub(super) async fn listen(listener: TcpListener, inputs: Inputs, numbers: Numbers) {
    let Ok(bound) = listener.local_addr() else { return };
    let seats = std::sync::Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(seat) = std::sync::Arc::clone(&seats).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let (inputs, numbers) = (inputs.clone(), Rc::clone(&numbers));
                tokio::task::spawn_local(serve(stream, seat, bound, inputs, numbers));
            }
            Err(_) => tokio::time::sleep(REST).await,
        }
    }
}

async fn serve(
    stream: TcpStream,
    _seat: OwnedSemaphorePermit,
    bound: SocketAddr,
    inputs: Inputs,
    numbers: Numbers,
) {
    let _ = stream.set_nodelay(true);
    let reset = ResetFlag::default();
    let io = TokioIo::new(Wire::new(stream, Rc::clone(&reset)));
    let service = service_fn(|request| {
        let exchange = number(&numbers);
        answer(request, exchange, bound, inputs.clone(), Rc::clone(&reset))
    });
    // A connection that breaks is the client's to notice.
    let _ = http1::Builder::new()
        .auto_date_header(false)
        .preserve_header_case(true)
        .half_close(false)
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT)
        .serve_connection(io, service)
        .await;
}

async fn answer(
    request: Request<Incoming>,
    exchange: ExchangeId,
    bound: SocketAddr,
    inputs: Inputs,
    reset: ResetFlag,
) -> Result<Response<ReplyBody>, io::Error> {
    let (head, body) = request.into_parts();
    if let Some(objection) = origin::objection(&head.headers, bound) {
        return Ok(plain(StatusCode::FORBIDDEN, objection));
    }
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Ok(plain(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"));
    }
    let body = match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            return Ok(plain(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"));
        }
        Err(_) => return Err(io::ErrorKind::ConnectionAborted.into()),
    };
    let (answer, answered) = oneshot::channel();
    let departure = Departure(exchange, inputs.clone());
    let asked = Asked { exchange, head, body, answer, reset };
    let _ = inputs.send(Input::Asked(Box::new(asked)));
    let response = answered.await.map_err(|_| io::Error::from(io::ErrorKind::ConnectionAborted))?;
    Ok(response.map(|body| body.watched_by(departure)))
}

/// A reply of our own.
pub(super) fn plain(status: StatusCode, text: &str) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::whole(text.to_owned()));
    *response.status_mut() = status;
    response
}

/// Binds the address.
pub(super) async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), io::Error> {
    let listener = TcpListener::bind(address).await?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}
