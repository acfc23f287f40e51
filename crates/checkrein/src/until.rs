//! Runs something until it ends or the user stops it.

use checkrein_mcp::CancellationToken;
use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;

/// The runtime of every command: one thread, because waiting is most of the work.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("failed to start the runtime: {error}")))
}

/// A token that fires when the user presses Ctrl-C or the system asks to stop.
pub(crate) fn stopped() -> CancellationToken {
    let stopped = CancellationToken::new();
    let token = stopped.clone();
    tokio::spawn(async move {
        asked_to_stop().await;
        token.cancel();
    });
    stopped
}

/// Waits for Ctrl-C or the system's request to stop.
#[cfg(unix)]
pub(crate) async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};

    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return interrupted().await;
    };
    tokio::select! {
        () = interrupted() => {}
        _ = terminate.recv() => {}
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn asked_to_stop() {
    interrupted().await;
}

async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without signals there is nothing to wait for.
        std::future::pending::<()>().await;
    }
}
