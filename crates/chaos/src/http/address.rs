//! Where an HTTP upstream is.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::Mutex;
use url::Url;

use super::added::Added;

/// An upstream's address, read once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) is_tls: bool,
    /// What the Host field says.
    pub(super) authority: String,
    /// Path and query.
    pub(super) target: String,
    /// Sent on each request to it.
    pub(super) added: Added,
    pub(super) resolved: Resolved,
}

/// Where the host's name has led so far; two addresses are the same whatever it says.
#[derive(Debug, Clone, Default)]
pub(super) struct Resolved(pub(super) Arc<Mutex<Option<SocketAddr>>>);

impl Resolved {
    /// Looks the name up anew the next time, unless somebody is about to.
    pub(super) fn forget(&self) {
        if let Ok(mut found) = self.0.try_lock() {
            *found = None;
        }
    }
}

impl PartialEq for Resolved {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Resolved {}

impl Address {
    /// Reads `http://HOST:PORT/PATH`.
    ///
    /// # Errors
    /// What is wrong with it, in words for the user.
    pub fn read(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("`{text}` is no URL: {error}"))?;
        let is_tls = match url.scheme() {
            "http" => false,
            "https" => true,
            other => return Err(format!("`{other}` is no scheme of MCP: use http or https")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "the upstream's URL holds credentials: use --upstream-header-env".to_owned()
            );
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err(format!("`{text}` names no host"));
        };
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        Ok(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port,
            is_tls,
            authority,
            target: format!("{}{query}", url.path()),
            added: Added::default(),
            resolved: Resolved::default(),
        })
    }

    /// Sends this field on each request, in place of what the agent sent under its name.
    ///
    /// # Errors
    /// What is wrong with the field, without its value.
    pub fn add_header(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.added.add(name, value)
    }

    /// Its path and query: the agent's URL has the same.
    pub fn target(&self) -> &str {
        &self.target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_path_and_port() {
        let address = Address::read("http://localhost:3101/mcp?key=1").unwrap();
        assert_eq!(
            (address.authority.as_str(), address.target()),
            ("localhost:3101", "/mcp?key=1")
        );
        assert!(Address::read("https://x.example").unwrap().is_tls);
    }

    #[test]
    fn what_is_no_address_is_named() {
        for (text, why) in [
            ("localhost:3101", "no scheme"),
            ("ftp://x/", "`ftp` is no scheme"),
            ("http://a:b@x/", "credentials"),
        ] {
            let error = Address::read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
