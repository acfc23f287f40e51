//! Where the platform lives, and what a request line for it looks like.

use std::fmt;

use checkrein_catalog::path::encode;
use url::{Host, Url};

/// A base URL that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is not a URL.
    #[error("the base URL is not a URL: {0}; write it like `https://app.harness.io`")]
    NotAUrl(url::ParseError),
    /// It is neither `http` nor `https`, or has no host.
    #[error("the base URL must start with `https://` and name a host")]
    NotHttp,
    /// It carries a query, a fragment or a password.
    #[error("the base URL must end after its path; leave out `?`, `#` and user names")]
    TooMuch,
}

/// A scheme, host and port to connect to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub(crate) secure: bool,
    /// The host as a certificate names it; an IPv6 address has no brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Origin {
    pub(crate) fn of(url: &Url) -> Option<Self> {
        let secure = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let host = match url.host()? {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        Some(Self { secure, host, port: url.port_or_known_default()? })
    }

    /// Whether it is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let address = self.host.parse::<std::net::IpAddr>();
        self.host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// The value of the `Host` header.
    pub(crate) fn authority(&self) -> String {
        let default = if self.secure { 443 } else { 80 };
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == default { host } else { format!("{host}:{}", self.port) }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(formatter, "{scheme}://{}", self.authority())
    }
}

/// The platform's base URL, taken apart once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    pub(crate) origin: Origin,
    /// Starts with `/` and does not end with it, or is empty.
    prefix: String,
}

impl BaseUrl {
    pub(crate) fn parse(text: &str) -> Result<Self, AddressError> {
        let url = Url::parse(text.trim()).map_err(AddressError::NotAUrl)?;
        let origin = Origin::of(&url).ok_or(AddressError::NotHttp)?;
        let bare = url.query().is_none() && url.fragment().is_none();
        if !bare || !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::TooMuch);
        }
        let prefix = url.path().strip_suffix('/').unwrap_or(url.path()).to_owned();
        Ok(Self { origin, prefix })
    }

    /// The request target (RFC 9112 section 3.2.1): base path, path as encoded, query.
    pub(crate) fn target(&self, path: &str, query: &[(String, String)]) -> String {
        let mut target = String::with_capacity(path.len() + 32 * query.len());
        if !self.holds(path) {
            target.push_str(&self.prefix);
        }
        target.push_str(path);
        let mut separator = if path.contains('?') { '&' } else { '?' };
        for (key, value) in query {
            target.push(separator);
            target.push_str(&encode(key));
            target.push('=');
            target.push_str(&encode(value));
            separator = '&';
        }
        target
    }

    /// Whether a path already starts with the base path.
    fn holds(&self, path: &str) -> bool {
        match path.strip_prefix(&self.prefix) {
            Some(rest) => self.prefix.is_empty() || rest.is_empty() || rest.starts_with(['/', '?']),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(base: &str, path: &str, query: &[(&str, &str)]) -> String {
        let query: Vec<_> =
            query.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        BaseUrl::parse(base).unwrap().target(path, &query)
    }

    #[test]
    fn one_trailing_slash_of_the_base_is_dropped() {
        assert_eq!(target("https://h.example/", "/ng/api/x", &[]), "/ng/api/x");
        assert_eq!(target("https://h.example/p/", "/ng/api/x", &[]), "/p/ng/api/x");
    }

    #[test]
    fn a_prefix_that_the_path_has_already_is_not_doubled() {
        assert_eq!(target("https://h.example/gateway", "/gateway/x", &[]), "/gateway/x");
        assert_eq!(target("https://h.example/gateway", "/gateways/x", &[]), "/gateway/gateways/x");
        assert_eq!(target("https://h.example/gateway", "/gateway", &[]), "/gateway");
    }

    #[test]
    fn a_path_leaves_as_it_was_encoded() {
        for path in ["/a/%2F/b", "/a/%2e%2e/b", "/a//b", "/a/%25/+/x", "/a/b%20c"] {
            assert_eq!(target("https://h.example", path, &[]), path);
        }
    }

    #[test]
    fn a_query_is_encoded_like_a_component() {
        let query = [("a", "x y&z=1"), ("a", "é"), ("b c", "")];
        assert_eq!(target("http://h", "/p", &query), "/p?a=x%20y%26z%3D1&a=%C3%A9&b%20c=");
    }

    #[test]
    fn a_base_with_a_query_or_another_scheme_is_refused() {
        for text in ["ftp://h", "https://u:p@h", "https://h?x=1", "nonsense", "file:///etc"] {
            assert!(BaseUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_ipv6_host_has_its_brackets_back_in_the_header() {
        let base = BaseUrl::parse("http://[::1]:8080").unwrap();
        assert_eq!(base.origin.authority(), "[::1]:8080");
        assert!(base.origin.is_loopback());
        assert_eq!(base.origin.to_string(), "http://[::1]:8080");
    }
}
