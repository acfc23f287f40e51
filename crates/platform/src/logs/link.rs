//! Decides where a blob link may lead.
//!
//! A link is data from outside: only hosts that can be a log store are ever contacted, and only
//! the platform itself sees the credential.

use url::Url;

use crate::address::{BaseUrl, Origin};

/// The path under which the platform serves its log store.
const LOG_SERVICE: &str = "/gateway/log-service";
/// Where the platform's own file host keeps signed archives.
const SIGNED_FILES: &str = "/storage/";

/// A link that is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// It is not a URL.
    #[error("the platform gave a log link that is not a URL")]
    NotAUrl,
    /// It leads to a host that is no log store.
    #[error(
        "the platform gave a log link to `{0}`, which is neither the platform nor a known storage \
         service; it is not followed"
    )]
    UnknownHost(String),
    /// It would go unencrypted over the network.
    #[error("the platform gave a log link to `{0}` without `https`; it is not followed")]
    NotSecure(String),
}

/// Where to fetch an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// From the platform, with the credential.
    Platform { path: String, query: Vec<(String, String)> },
    /// From a storage service, without.
    Storage { origin: Origin, path: String, target: String },
}

/// Sorts a link.
pub(super) fn place(link: &str, base: &BaseUrl) -> Result<Place, LinkError> {
    let url = Url::parse(link.trim()).map_err(|_| LinkError::NotAUrl)?;
    let origin = Origin::of(&url).ok_or(LinkError::NotAUrl)?;
    let at_base = origin == base.origin;
    let of_platform = at_base
        || is_platform(&origin.host)
        || origin.host == base.origin.host && !origin.is_loopback();
    let signature = Signature::of(&url);

    if signature.is_some() && url.path().starts_with(SIGNED_FILES) && !is_storage(&origin.host) {
        // The host in the link is often one that only the platform's own network can resolve.
        let covers_host = signature.is_some_and(|signature| signature.covers_host);
        let kept = covers_host && of_platform;
        let origin = if kept { origin } else { base.origin.clone() };
        return storage(origin, base, &url);
    }
    if of_platform {
        return Ok(platform(&url));
    }
    let near = origin.is_loopback() && base.origin.is_loopback();
    if is_storage(&origin.host) || near {
        return storage(origin, base, &url);
    }
    Err(LinkError::UnknownHost(origin.host))
}

fn storage(origin: Origin, base: &BaseUrl, url: &Url) -> Result<Place, LinkError> {
    // A base without `https` was allowed by the settings already.
    if !origin.secure && !origin.is_loopback() && origin != base.origin {
        return Err(LinkError::NotSecure(origin.host));
    }
    let target = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    Ok(Place::Storage { origin, path: url.path().to_owned(), target })
}

fn platform(url: &Url) -> Place {
    let path = match url.path() {
        path if path.starts_with("/gateway/") => path.to_owned(),
        path if path.starts_with("/log-service/") => format!("/gateway{path}"),
        path => format!("{LOG_SERVICE}{path}"),
    };
    let query = url.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned()));
    Place::Platform { path, query: query.collect() }
}

fn is_platform(host: &str) -> bool {
    host == "harness.io" || host.ends_with(".harness.io")
}

/// Google Cloud Storage and Amazon S3, in all their host forms.
fn is_storage(host: &str) -> bool {
    if host == "storage.googleapis.com" || host.ends_with(".storage.googleapis.com") {
        return true;
    }
    let Some(rest) =
        host.strip_suffix(".amazonaws.com").or_else(|| host.strip_suffix(".amazonaws.com.cn"))
    else {
        return false;
    };
    rest.split('.').any(|label| label == "s3" || label.starts_with("s3-"))
}

struct Signature {
    covers_host: bool,
}

impl Signature {
    fn of(url: &Url) -> Option<Self> {
        let value = |names: [&str; 2]| {
            url.query_pairs()
                .find(|(key, _)| names.iter().any(|name| key.eq_ignore_ascii_case(name)))
                .map(|(_, value)| value.to_ascii_lowercase())
        };
        value(["X-Goog-Signature", "X-Amz-Signature"])?;
        let signed = value(["X-Goog-SignedHeaders", "X-Amz-SignedHeaders"]).unwrap_or_default();
        Some(Self { covers_host: signed.split(';').any(|name| name == "host") })
    }
}

#[cfg(test)]
mod tests;
