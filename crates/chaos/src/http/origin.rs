//! Who may talk to our own listener: a web page must not reach it by a name that resolves to it
//! (MCP 2026-07-28, streamable HTTP, security).

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{HOST, ORIGIN};

/// Why a request is turned away, or nothing.
pub(super) fn objection(headers: &HeaderMap, bound: SocketAddr) -> Option<&'static str> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_ours = |authority: &str| is_ours(authority, bound.ip());
    if !text(HOST).is_some_and(is_ours) {
        return Some("the Host is not this proxy's");
    }
    let origin = text(ORIGIN)?;
    let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
    (!is_ours(authority)).then_some("the Origin may not talk to this proxy")
}

fn is_ours(authority: &str, bound: IpAddr) -> bool {
    let host = host(authority);
    if host.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let Ok(ip) = host.trim_matches(['[', ']']).parse::<IpAddr>() else { return false };
    // An address as such cannot be made to point elsewhere, and any may be ours behind `0.0.0.0`.
    ip.is_loopback() || ip == bound || bound.is_unspecified()
}

/// The host of `host:port`, in brackets when it is one of IPv6.
fn host(authority: &str) -> &str {
    let end = if authority.starts_with('[') {
        authority.find(']').map_or(authority.len(), |at| at + 1)
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    authority.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_let_in(host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        objection(&headers, SocketAddr::from(([127, 0, 0, 1], 9000))).is_none()
    }

    #[test]
    fn only_loopback_names_are_let_in() {
        assert!(is_let_in("localhost:9000", Some("http://localhost:9000")));
        assert!(is_let_in("127.0.0.1:9000", None));
        assert!(is_let_in("[::1]:9000", Some("http://127.0.0.1:6274")));
        assert!(!is_let_in("evil.example", None));
        assert!(!is_let_in("localhost.evil.example:9000", None));
        assert!(!is_let_in("localhost:9000", Some("http://evil.example")));
        assert!(!is_let_in("localhost:9000", Some("null")));
    }
}
