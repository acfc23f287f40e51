//! TLS to the upstream, with the certificates this machine trusts.

use std::io;
use std::sync::{Arc, OnceLock};

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
    // Reading what the machine trusts takes longer than a request: once is enough.
    static CONFIG: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let config = CONFIG.get_or_init(config).clone()?;
    let name = ServerName::try_from(host.to_owned())
        .map_err(|error| format!("failed to connect to `{host}`: {error}"))?;
    let connector = TlsConnector::from(config);
    connector.connect(name, stream).await.map_err(|error| told(host, &error))
}

/// `SSL_CERT_FILE` and `SSL_CERT_DIR` take the place of the machine's own list.
fn config() -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    let (added, _) =
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        return Err("this machine has no trusted certificates: name a file of them in the \
                    variable `SSL_CERT_FILE`"
            .to_owned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("failed to set up TLS: {error}"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

fn told(host: &str, error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(why)) => format!(
            "the certificate of `{host}` is not trusted ({why}): name a file with it or its issuer \
             in the variable `SSL_CERT_FILE`"
        ),
        _ => format!("failed to connect to `{host}` by TLS: {error}"),
    }
}
