//! The HTTP server around the platform, on loopback only.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request as Incoming, State};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::admin;
use crate::clock::{Clock, rfc3339};
use crate::generic::GenericRoute;
use crate::platform::Platform;
use crate::seed::Seed;
use crate::store::{Store, StoreError};
use crate::wire::{Gate, Sockets};
use crate::{edge, spoil};

/// Name of the store in a data folder.
const STORE_FILE: &str = "sandbox.sqlite";
/// How long a stop waits for requests under way.
const LONGEST_STOP: Duration = Duration::from_secs(2);

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
    let request = match edge::read(incoming).await {
        Ok(request) => request,
        Err(refusal) => return edge::respond(refusal),
    };
    if request.segments.first().is_some_and(|first| first == admin::PREFIX) {
        return edge::respond(platform.answer(&request));
    }
    let (fault, delay_ms) = platform.faults.pick(&request);
    if delay_ms > 0 {
        tokio::time::sleep(Duration::from_millis(delay_ms)).await;
    }
    if let Some(reply) =
        fault.as_ref().and_then(|kind| spoil::refused(&platform, &request, kind, &gate))
    {
        return edge::respond(reply);
    }
    let reply = spoil::expired_link(&request).unwrap_or_else(|| platform.answer(&request));
    edge::respond(match fault {
        Some(kind) => spoil::spoiled(reply, &kind, &gate),
        None => reply,
    })
}

/// The moment of a clock, for those who print it.
impl std::fmt::Display for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sandbox at {} ({})", self.url, rfc3339(self.platform.world.now_ms()))
    }
}
