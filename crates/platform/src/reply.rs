//! A reply, sniffed before anyone trusts its content type.

use bytes::Bytes;
use hyper::http::HeaderMap;
use serde_json::{Value, json};

use crate::error::{ApiError, Kind};
use crate::outcome::{self, Outcome};
use crate::transport::Head;

/// What has to be known about a request to judge its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    /// It changes something, so its end is an outcome.
    pub(crate) write: bool,
    /// The reply may be any bytes.
    pub(crate) binary: bool,
    /// How many requests were sent.
    pub(crate) attempts: u32,
    /// How the attempts before the last one ended.
    pub(crate) earlier: Option<Outcome>,
}

/// A reply with a success status and a body that can be used.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The media type, without parameters.
    pub media_type: Option<String>,
    /// The body; empty when the platform sent none.
    pub body: Bytes,
    /// How the write ended; a read has none.
    pub outcome: Option<Outcome>,
    headers: HeaderMap,
    asked: Asked,
}

impl Reply {
    /// Accepts a reply with a success status, unless its body gives it away as something else.
    pub(crate) fn sniff(head: Head, body: Bytes, asked: Asked) -> Result<Self, ApiError> {
        let body = if asked.binary { body } else { without_mark(body) };
        let reply = Self {
            status: head.status,
            media_type: media_type(&head.headers),
            body,
            outcome: asked.write.then_some(Outcome::Applied),
            headers: head.headers,
            asked,
        };
        if asked.binary {
            return Ok(reply);
        }
        match reply.flaw() {
            Some(kind) => Err(reply.refuse(kind)),
            None => Ok(reply),
        }
    }

    /// A header, when it is there and readable.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as JSON; an empty one says that there was no content.
    pub fn json(&self) -> Result<Value, ApiError> {
        if self.is_empty() {
            return Ok(json!({ "status": "SUCCESS", "message": "No content" }));
        }
        serde_json::from_slice(&self.body).map_err(|error| self.unreadable(&error))
    }

    /// Whether the body holds nothing but white space.
    pub fn is_empty(&self) -> bool {
        self.body.trim_ascii().is_empty()
    }

    /// The error for a body that a parser refused.
    pub fn unreadable(&self, error: &serde_json::Error) -> ApiError {
        self.refuse(if error.is_eof() { Kind::Cut } else { Kind::NotJson })
    }

    /// What is wrong with the body at first sight; a whole parse is left to whoever needs it.
    fn flaw(&self) -> Option<Kind> {
        let body = self.body.trim_ascii();
        let (first, last) = (*body.first()?, *body.last()?);
        match (first, last) {
            (b'<', _) => Some(Kind::Html),
            (b'{', b'}') | (b'[', b']') => None,
            (b'"', b'"') if body.len() > 1 => None,
            (b'{' | b'[' | b'"', _) => Some(Kind::Cut),
            (b'-' | b'0'..=b'9' | b't' | b'f' | b'n', _) => {
                serde_json::from_slice::<Value>(body).is_err().then_some(Kind::NotJson)
            }
            _ => Some(Kind::NotJson),
        }
    }

    fn refuse(&self, kind: Kind) -> ApiError {
        let what = match kind {
            Kind::Html => {
                "with a web page instead of data, usually from a login or a gateway; check \
                 `HARNESS_BASE_URL` and the credential"
            }
            Kind::Cut => "with data that ends early",
            _ => "with something that is not JSON",
        };
        let outcome = outcome::of_failure(kind, Some(self.status), true).after(self.asked.earlier);
        ApiError {
            status: Some(self.status),
            outcome: self.asked.write.then_some(outcome),
            attempts: self.asked.attempts,
            correlation_id: self.header("x-correlation-id").map(str::to_owned),
            ..ApiError::new(kind, format!("the platform answered {} {what}", self.status))
        }
    }
}

/// The body without a byte order mark, which no JSON parser takes.
fn without_mark(body: Bytes) -> Bytes {
    match body.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => body.slice_ref(rest),
        None => body,
    }
}

/// `application/json` out of `Application/JSON; charset=utf-8`.
fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get("content-type")?.to_str().ok()?;
    Some(value.split(';').next()?.trim().to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
