//! Puts a request of the catalogue into the form that goes over the wire.

use std::fmt;

use bytes::Bytes;
use checkrein_catalog::model::Method;
use checkrein_catalog::request::{WireBody, WireRequest};
use http_body_util::Full;
use hyper::http::uri::PathAndQuery;
use hyper::http::{HeaderName, HeaderValue, Request, Uri};

use super::Inner;
use crate::address::Origin;
use crate::error::{ApiError, Kind};
use crate::multipart;

/// How this client calls itself.
const USER_AGENT: &str = concat!("checkrein/", env!("CARGO_PKG_VERSION"));
/// Services that want the account in a header of their own.
const TENANT_SERVICES: [&str; 3] = ["/query-service/", "/schema-service/", "/config-service/"];

/// A request, ready to be sent as often as necessary.
pub(crate) struct Outgoing {
    pub(crate) origin: Origin,
    /// The path alone, for messages.
    pub(crate) path: String,
    method: &'static str,
    target: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

impl Inner {
    /// Adds what only this client knows: base URL, credential, account.
    pub(crate) fn outgoing(&self, request: &WireRequest) -> Result<Outgoing, ApiError> {
        let mut headers = Headers::default();
        headers.set("host", &self.base.origin.authority())?;
        headers.set("user-agent", USER_AGENT)?;
        headers.set("accept", if request.binary { "*/*" } else { "application/json" })?;
        let (media_type, body) = content(&request.body);
        if let Some(media_type) = media_type {
            headers.set("content-type", &media_type)?;
        }
        if body.is_empty() && matches!(request.method, Method::Post | Method::Put | Method::Patch) {
            // RFC 9110 section 8.6: where a body is usual, its absence is stated.
            headers.set("content-length", "0")?;
        }
        for (name, value) in &request.headers {
            headers.set(name, value)?;
        }
        headers.set("harness-account", &self.account)?;
        if TENANT_SERVICES.iter().any(|service| request.path.contains(service)) {
            headers.set("x-tenant-id", &self.account)?;
        }
        headers.set_secret("x-api-key", self.credential.expose())?;
        Ok(Outgoing {
            origin: self.base.origin.clone(),
            path: request.path.clone(),
            method: name(request.method),
            target: self.base.target(&request.path, &request.query),
            headers: headers.0,
            body,
        })
    }
}

impl Outgoing {
    /// A plain request for a file elsewhere: no credential, no account.
    pub(crate) fn bare(origin: Origin, path: &str, target: String) -> Result<Self, ApiError> {
        let mut headers = Headers::default();
        headers.set("host", &origin.authority())?;
        headers.set("user-agent", USER_AGENT)?;
        headers.set("accept", "*/*")?;
        let (path, headers, body) = (path.to_owned(), headers.0, Bytes::new());
        Ok(Self { origin, path, method: "GET", target, headers, body })
    }

    /// The request for one attempt.
    pub(crate) fn request(&self) -> Result<Request<Full<Bytes>>, ApiError> {
        let unsendable = |why: &dyn fmt::Display| {
            ApiError::new(Kind::Unsendable, format!("`{}` is no request path: {why}", self.path))
        };
        if !self.target.starts_with('/') || self.target.contains('#') {
            return Err(unsendable(&"it must start with `/` and hold no `#`"));
        }
        let target =
            PathAndQuery::try_from(self.target.as_str()).map_err(|why| unsendable(&why))?;
        let mut request = Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self
            .method
            .parse()
            .map_err(|why: hyper::http::method::InvalidMethod| unsendable(&why))?;
        *request.uri_mut() = Uri::from(target);
        request.headers_mut().extend(self.headers.iter().cloned());
        Ok(request)
    }

    /// The body, for a log that may show it.
    pub(crate) fn body_text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl fmt::Display for Outgoing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.path)
    }
}

/// Headers in which a later value replaces an earlier one.
#[derive(Default)]
struct Headers(Vec<(HeaderName, HeaderValue)>);

impl Headers {
    fn set(&mut self, name: &str, value: &str) -> Result<(), ApiError> {
        let value = HeaderValue::from_str(value).map_err(|_| unfit(name))?;
        self.put(name, value)
    }

    fn set_secret(&mut self, name: &str, value: &str) -> Result<(), ApiError> {
        let mut value = HeaderValue::from_str(value).map_err(|_| unfit(name))?;
        value.set_sensitive(true);
        self.put(name, value)
    }

    fn put(&mut self, name: &str, value: HeaderValue) -> Result<(), ApiError> {
        let name = HeaderName::try_from(name).map_err(|_| unfit(name))?;
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, value));
        Ok(())
    }
}

/// The value is not shown: it may be the credential.
fn unfit(name: &str) -> ApiError {
    ApiError::new(Kind::Unsendable, format!("header `{name}` holds characters that cannot be sent"))
}

fn name(method: Method) -> &'static str {
    match method {
        Method::Get => "GET",
        Method::Post => "POST",
        Method::Put => "PUT",
        Method::Patch => "PATCH",
        Method::Delete => "DELETE",
    }
}

/// Media type and bytes of a body.
fn content(body: &WireBody) -> (Option<String>, Bytes) {
    match body {
        WireBody::None => (None, Bytes::new()),
        WireBody::Json(bytes) => {
            (Some("application/json".to_owned()), Bytes::copy_from_slice(bytes))
        }
        WireBody::Text { media_type, text } => {
            (Some(media_type.clone()), Bytes::copy_from_slice(text.as_bytes()))
        }
        WireBody::Multipart(parts) => {
            let form = multipart::encode(parts);
            (Some(form.media_type), form.body)
        }
    }
}
