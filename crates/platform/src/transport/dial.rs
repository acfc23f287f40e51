//! Finds a host and opens a TCP connection to it.

use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

/// An address that does not answer holds up the next one for this long at most; a host that is
/// announced for IPv6 where IPv6 leads nowhere is common.
const PER_ADDRESS: Duration = Duration::from_secs(3);
/// More addresses than this are not tried.
const MAX_ADDRESSES: usize = 8;

/// Connects to the first address that answers.
pub(super) async fn dial(host: &str, port: u16) -> Result<TcpStream, String> {
    let addresses: Vec<_> = lookup_host((host, port))
        .await
        .map_err(|error| format!("`{host}` was not found: {error}"))?
        .take(MAX_ADDRESSES)
        .collect();
    let mut why = "the name has no address".to_owned();
    let last = addresses.len().saturating_sub(1);
    for (index, address) in addresses.into_iter().enumerate() {
        let attempt = TcpStream::connect(address);
        // The last address has the whole rest of the deadline, which the caller holds.
        let connected = if index == last {
            attempt.await
        } else {
            match timeout(PER_ADDRESS, attempt).await {
                Ok(connected) => connected,
                Err(_) => continue,
            }
        };
        match connected {
            Ok(stream) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => why = error.to_string(),
        }
    }
    Err(format!("`{host}:{port}` cannot be reached: {why}"))
}
