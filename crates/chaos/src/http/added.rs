//! Fields that the user has added to each request to the upstream: keys and tokens, mostly.

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::headers::HOP_BY_HOP;

/// Fields that the relay or the protocol sets: another value would change what is asked.
const KEPT: [&str; 8] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
];

/// The protocol's own fields.
const PROTOCOL: &str = "mcp-";

/// The most fields that are added.
const MAX_ADDED: usize = 64;

/// Fields to add. Their values are never printed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Added(Vec<(HeaderName, HeaderValue)>);

impl Added {
    /// Adds one.
    ///
    /// # Errors
    /// What is wrong with it, without its value.
    pub(super) fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        // Not printed either: what is no name may be a value that was put in its place.
        let name: HeaderName =
            name.parse().map_err(|_| "its name is no name of a header field".to_owned())?;
        let text = name.as_str();
        if HOP_BY_HOP.contains(&text) || KEPT.contains(&text) {
            return Err(format!("`{text}` is about the connection or the body: the proxy sets it"));
        }
        if text.starts_with(PROTOCOL) {
            return Err(format!("`{text}` belongs to the protocol: the agent sets it"));
        }
        if self.0.iter().any(|(known, _)| *known == name) {
            return Err(format!("`{text}` is given twice"));
        }
        if self.0.len() >= MAX_ADDED {
            return Err(format!("there are more than {MAX_ADDED} of them"));
        }
        let value = value.trim_matches([' ', '\t']);
        if value.is_empty() {
            return Err(format!("the value of `{text}` is empty"));
        }
        let mut value: HeaderValue = value
            .parse()
            .map_err(|_| format!("the value of `{text}` has a character that no field may have"))?;
        value.set_sensitive(true);
        self.0.push((name, value));
        Ok(())
    }

    /// Puts them in the place of what was sent under their names.
    pub(super) fn put(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.0 {
            headers.insert(name.clone(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_added_field_replaces_all_of_its_name_and_is_not_printed() {
        let mut added = Added::default();
        added.add("Authorization", " Bearer s3cret ").unwrap();
        let mut headers = HeaderMap::new();
        for given in ["one", "two"] {
            headers.append("authorization", HeaderValue::from_static(given));
        }
        added.put(&mut headers);
        let all: Vec<_> = headers.get_all("authorization").iter().collect();
        assert_eq!(all, ["Bearer s3cret"]);
        assert!(!format!("{added:?}").contains("s3cret"), "{added:?}");
    }

    #[test]
    fn what_the_proxy_or_the_protocol_sets_cannot_be_added() {
        for (name, value, why) in [
            ("Host", "x", "the proxy sets it"),
            ("Transfer-Encoding", "x", "the proxy sets it"),
            ("Proxy-Authorization", "x", "the proxy sets it"),
            ("Mcp-Session-Id", "x", "belongs to the protocol"),
            ("Mcp-Param-City", "x", "belongs to the protocol"),
            ("a b", "s3cret", "no name"),
            ("", "s3cret", "no name"),
            ("x-key", "s3cret\r\nHost: y", "no field may have"),
            ("x-key", " ", "is empty"),
        ] {
            let error = Added::default().add(name, value).unwrap_err();
            assert!(error.contains(why) && !error.contains("s3cret"), "{name}: {error}");
        }
        let mut added = Added::default();
        added.add("x-key", "1").unwrap();
        assert!(added.add("X-Key", "2").unwrap_err().contains("twice"));
    }
}
