//! Names of hosts, as a user lists them.

/// Whether this is a host name or address, with or without a port.
pub(crate) fn is_host(text: &str) -> bool {
    if text.is_empty() || text.contains(['/', '@', '?', '#', '\\']) {
        return false;
    }
    if text.contains(char::is_whitespace) {
        return false;
    }
    let with_scheme = if text.matches(':').count() > 1 && !text.starts_with('[') {
        format!("http://[{text}]/")
    } else {
        format!("http://{text}/")
    };
    url::Url::parse(&with_scheme).is_ok_and(|url| url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_no_path_and_no_spaces() {
        for host in ["good.com", "localhost:3000", "127.0.0.1", "::1", "[::1]:80"] {
            assert!(is_host(host), "{host}");
        }
        for text in ["bad host/", "", "a/b", "http://x", "u@h", "a b"] {
            assert!(!is_host(text), "{text}");
        }
    }
}
