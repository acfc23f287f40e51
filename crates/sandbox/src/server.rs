//! The HTTP server around the platform, on loopback only.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{
    ConnectInfo, DefaultBodyLimit, FromRequest as _, Multipart, Request as Incoming, State,
};
use axum::http::{HeaderName, HeaderValue, StatusCode, request};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::admin;
use crate::clock::{Clock, rfc3339};
use crate::fault::Kind;
use crate::generic::GenericRoute;
use crate::ids;
use crate::platform::Platform;
use crate::reply::Reply;
use crate::request::{Part, Request};
use crate::seed::Seed;
use crate::store::{Store, StoreError};
use crate::wire::{Break, Gate, Sockets};

/// Largest request body: the file store takes files of 100 MB.
const LARGEST_BODY: usize = 128 * 1024 * 1024;
/// Name of the store in a data folder.
const STORE_FILE: &str = "sandbox.sqlite";
/// How long a stop waits for requests under way.
const LONGEST_STOP: Duration = Duration::from_secs(2);
/// Size a huge list grows to.
const HUGE_BYTES: usize = 25 * 1024 * 1024;

/// How a sandbox is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Port on loopback; none or 0 takes a free one.
    pub port: Option<u16>,
    /// Folder to keep the store in; none keeps it in memory.
    pub data_dir: Option<PathBuf>,
    /// What an empty store starts with.
    pub seed: Seed,
    /// Virtual seconds per real second.
    pub speed: f64,
    /// Moment the virtual clock starts at; none is now.
    pub start_ms: Option<i64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { port: None, data_dir: None, seed: Seed::World, speed: 1.0, start_ms: None }
    }
}

/// Why a sandbox did not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The port is taken, or the system has none left.
    #[error(
        "failed to listen on 127.0.0.1:{port}: {source}; choose another port, or 0 for a free one"
    )]
    Listen {
        /// The port asked for.
        port: u16,
        /// What the system said.
        source: std::io::Error,
    },
    /// The data folder cannot be made.
    #[error("failed to create the data folder `{}`: {source}; choose a folder you may write", .path.display())]
    DataFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The store cannot be opened or seeded.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The sandbox, before it runs.
#[derive(Debug, Clone, Copy)]
pub struct Sandbox;

impl Sandbox {
    /// Binds loopback, opens and seeds the store, and serves until it is stopped.
    pub async fn start(
        options: Options,
        generic_routes: Vec<GenericRoute>,
    ) -> Result<Running, Error> {
        let port = options.port.unwrap_or(0);
        let listen = |source| Error::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let url = format!("http://{address}");
        let store = open(&options)?;
        let clock = start_clock(&options, store.latest_ms()?);
        let platform = Platform::new(store, clock, &url, options.seed, generic_routes)?;
        let platform = Arc::new(platform);

        let stop = CancellationToken::new();
        let app = Router::new()
            .fallback(handle)
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&platform))
            .into_make_service_with_connect_info::<Gate>();
        let server = axum::serve(Sockets::new(listener, stop.clone()), app)
            .with_graceful_shutdown(stop.clone().cancelled_owned());
        let task = tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::warn!(%error, "The sandbox stopped serving");
            }
        });
        Ok(Running { url, platform, stop, task: Some(task) })
    }
}

fn open(options: &Options) -> Result<Store, Error> {
    let Some(folder) = &options.data_dir else { return Ok(Store::in_memory()?) };
    std::fs::create_dir_all(folder)
        .map_err(|source| Error::DataFolder { path: folder.clone(), source })?;
    Ok(Store::open(&folder.join(STORE_FILE))?)
}

/// A store from an earlier run may be ahead of the real clock; time never goes back.
fn start_clock(options: &Options, latest_ms: Option<i64>) -> Clock {
    let start = options.start_ms.unwrap_or_else(|| Clock::running(0.0).now_ms());
    Clock::starting_at(start.max(latest_ms.unwrap_or(i64::MIN)), options.speed)
}

/// A sandbox that serves.
#[derive(Debug)]
pub struct Running {
    url: String,
    platform: Arc<Platform>,
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl Running {
    /// Where it listens, as in `http://127.0.0.1:4711`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The platform itself, for those in the same process.
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// Stops serving and closes every connection.
    pub async fn stop(mut self) {
        self.stop.cancel();
        if let Some(task) = self.task.take() {
            let _ = tokio::time::timeout(LONGEST_STOP, task).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn handle(
    State(platform): State<Arc<Platform>>,
    ConnectInfo(gate): ConnectInfo<Gate>,
    incoming: Incoming,
) -> Response {
    let request = match read(incoming).await {
        Ok(request) => request,
        Err(refusal) => return respond(refusal),
    };
    if request.segments.first().is_some_and(|first| first == admin::PREFIX) {
        return respond(platform.answer(&request));
    }
    let (fault, delay_ms) = platform.faults.pick(&request);
    if delay_ms > 0 {
        tokio::time::sleep(Duration::from_millis(delay_ms)).await;
    }
    if let Some(reply) = fault.as_ref().and_then(|kind| refused(&platform, kind, &gate)) {
        return respond(reply);
    }
    let reply = platform.answer(&request);
    respond(match fault {
        Some(kind) => spoiled(reply, &kind, &gate),
        None => reply,
    })
}

/// Faults that strike before anything is applied.
fn refused(platform: &Platform, kind: &Kind, gate: &Gate) -> Option<Reply> {
    match kind {
        Kind::ResetBefore => {
            gate.set(Break::Reset);
            Some(Reply::no_content())
        }
        Kind::TooMany { retry_after } => {
            let reply = Reply::ng_error(429, "TOO_MANY_REQUESTS", "Too many requests");
            let date = || {
                let at = jiff::Timestamp::from_millisecond(platform.world.now_ms() + 1_000);
                at.map(|at| at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
            };
            Some(match retry_after.as_deref() {
                Some("date") => reply.with_header("retry-after", &date().unwrap_or_default()),
                Some(value) => reply.with_header("retry-after", value),
                None => reply,
            })
        }
        Kind::Status(status) => {
            let (code, message) = match status {
                503 => ("UNAVAILABLE_DELEGATES", "The service is not available"),
                504 => ("REQUEST_TIMEOUT", "The request timed out"),
                _ => ("UNKNOWN_ERROR", "Oops, something went wrong on our end; contact support"),
            };
            Some(Reply::ng_error(*status, code, message))
        }
        Kind::Html502 => Some(Reply::html(502, "Bad Gateway")),
        _ => None,
    }
}

/// Faults that strike after the request was applied.
fn spoiled(reply: Reply, kind: &Kind, gate: &Gate) -> Reply {
    match kind {
        Kind::Empty200 => Reply { status: 200, headers: reply.headers, body: Vec::new() },
        Kind::NoContent => Reply::no_content(),
        Kind::CutBody => {
            gate.set(Break::CutAfter(reply.body.len() / 2));
            reply
        }
        Kind::ResetAfter => {
            gate.set(Break::Reset);
            reply
        }
        Kind::Stall => {
            gate.set(Break::Stall);
            reply
        }
        Kind::HugeList => with_json(reply, |body| grow(body)),
        Kind::ExpiredLogLink => with_json(reply, |body| {
            change_link(body, |link| {
                format!("{link}{}X-Goog-Date=20200101T000000Z&X-Goog-Expires=60", joint(link))
            })
        }),
        Kind::InternalLogHost => with_json(reply, |body| {
            change_link(body, |link| {
                let path = link.splitn(4, '/').nth(3).unwrap_or_default();
                format!("http://log-service.harness-internal.svc.cluster.local:8079/{path}")
            })
        }),
        _ => reply,
    }
}

fn joint(link: &str) -> char {
    if link.contains('?') { '&' } else { '?' }
}

fn with_json(mut reply: Reply, change: impl FnOnce(&mut Value)) -> Reply {
    if let Some(mut body) = reply.json() {
        change(&mut body);
        reply.body = body.to_string().into_bytes();
    }
    reply
}

fn change_link(body: &mut Value, change: impl FnOnce(&str) -> String) {
    if let Some(Value::String(link)) = body.get_mut("link") {
        *link = change(link);
    }
}

/// Repeats the items of the first array found until it is huge.
fn grow(body: &mut Value) {
    let list = match body {
        Value::Array(items) => Some(items),
        other => ["/data/content", "/content", "/data", "/resource"]
            .into_iter()
            .find(|path| other.pointer(path).is_some_and(Value::is_array))
            .and_then(|path| other.pointer_mut(path))
            .and_then(Value::as_array_mut),
    };
    let Some(items) = list.filter(|items| !items.is_empty()) else { return };
    let size: usize = items.iter().map(|item| item.to_string().len() + 1).sum();
    let once = items.clone();
    for _ in 1..HUGE_BYTES.div_ceil(size.max(1)) {
        items.extend(once.iter().cloned());
    }
}

async fn read(incoming: Incoming) -> Result<Request, Reply> {
    let (parts, body) = incoming.into_parts();
    let too_large =
        |_| Reply::json_with(413, &json!({"code": 413, "message": "Payload too large"}));
    let body = to_bytes(body, LARGEST_BODY).await.map_err(too_large)?;
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let mut request = Request::new(parts.method.as_str(), target, &body);
    request.headers = parts
        .headers
        .iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect();
    if request.header("content-type").is_some_and(|kind| kind.starts_with("multipart/form-data")) {
        request.parts = read_parts(parts, Body::from(body)).await?;
    }
    Ok(request)
}

async fn read_parts(head: request::Parts, body: Body) -> Result<Vec<Part>, Reply> {
    let malformed = |error: String| Reply::unreadable(&format!("multipart: {error}"));
    let incoming = Incoming::from_parts(head, body);
    let mut form =
        Multipart::from_request(incoming, &()).await.map_err(|e| malformed(e.body_text()))?;
    let mut parts = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|e| malformed(e.body_text()))? {
        let name = field.name().unwrap_or_default().to_owned();
        let file_name = field.file_name().map(str::to_owned);
        let bytes = field.bytes().await.map_err(|e| malformed(e.body_text()))?.to_vec();
        parts.push(Part { name, file_name, bytes });
    }
    Ok(parts)
}

fn respond(reply: Reply) -> Response {
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() =
        StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    for (name, value) in &reply.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) else { continue };
        headers.append(name, value);
    }
    if let Ok(id) = HeaderValue::from_str(&ids::uuid()) {
        headers.insert("x-correlation-id", id);
    }
    response
}

/// The moment of a clock, for those who print it.
impl std::fmt::Display for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sandbox at {} ({})", self.url, rfc3339(self.platform.world.now_ms()))
    }
}
