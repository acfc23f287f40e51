//! Serves a tool set over a pair of byte streams, standard input and output first of all.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{ServerInitializeError, serve_server};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::ToolSet;
use crate::server::Server;
use crate::wire::Wire;

/// A client that has closed our input expects us to be gone within a second.
const LONGEST_GOODBYE: Duration = Duration::from_millis(900);

/// Why serving ended badly.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The first messages were not those of the protocol, or could not be answered.
    #[error("failed to open the session: {0}")]
    Open(String),
    /// The loop that reads and answers broke.
    #[error("the session broke: {0}")]
    Broken(String),
}

/// Serves `tools` on standard input and output until input ends or `shutdown` fires.
///
/// # Errors
/// When the session cannot be opened or breaks; a client that simply leaves is no error.
pub async fn serve_stdio(
    tools: Arc<dyn ToolSet>,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let (input, output) = rmcp::transport::stdio_pipes();
    serve_streams(tools, input, output, shutdown).await
}

/// Serves `tools` to the peer on the other end of two byte streams.
///
/// # Errors
/// As [`serve_stdio`].
pub async fn serve_streams<R, W>(
    tools: Arc<dyn ToolSet>,
    input: R,
    output: W,
    shutdown: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let ended = CancellationToken::new();
    let wire = Wire::new(input, output, ended.clone(), shutdown);
    let server = Server::new(tools, ended.clone());
    let session = async {
        match serve_server(server, wire).await {
            Ok(running) => {
                let reason = running.waiting().await;
                tracing::debug!(?reason, "The session ended");
                reason.map(drop).map_err(|error| ServeError::Broken(error.to_string()))
            }
            // A probe that only wanted to see whether we start is no failure.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(ServeError::Open(error.to_string())),
        }
    };
    tokio::select! {
        result = session => result,
        () = async { ended.cancelled().await; tokio::time::sleep(LONGEST_GOODBYE).await } => {
            tracing::warn!("Left with answers unwritten: the client does not read");
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
