//! Shows where a request goes without what only its parties may see.

use std::fmt;

use url::Url;

/// A URL whose query, fragment and user information are left out when it is shown.
pub(crate) struct RedactedUrl<'a>(pub(crate) &'a Url);

impl fmt::Display for RedactedUrl<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.0;
        write!(formatter, "{}://{}", url.scheme(), url.host_str().unwrap_or_default())?;
        if let Some(port) = url.port() {
            write!(formatter, ":{port}")?;
        }
        formatter.write_str(url.path())?;
        match url.query() {
            Some(_) => formatter.write_str("?***"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_and_a_password_are_not_shown() {
        let url = Url::parse("https://me:pw@h.example:8443/a/b?X-Goog-Signature=s#f").unwrap();
        assert_eq!(RedactedUrl(&url).to_string(), "https://h.example:8443/a/b?***");
    }
}
