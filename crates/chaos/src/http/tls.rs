//! TLS to the upstream, with the certificates this machine trusts.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Opens TLS on a connection.
pub(super) async fn shake_hands(
    stream: TcpStream,
    host: &str,
) -> Result<TlsStream<TcpStream>, String> {
    let mut roots = RootCertStore::empty();
    let (added, _) =
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        return Err("failed to connect to the upstream: this machine has no trusted certificates"
            .to_owned());
    }
    let told = |error: &dyn std::fmt::Display| format!("failed to connect to `{host}`: {error}");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| told(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|error| told(&error))?;
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, stream).await.map_err(|error| told(&error))
}
