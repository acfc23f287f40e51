//! A path with places to fill in, and the one way values get into it.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

/// What JavaScript's `encodeURIComponent` leaves alone; the platform's own console uses it.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// Percent-encodes text for one path segment or one query value.
#[must_use]
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, COMPONENT).to_string()
}

/// A path such as `/ng/api/services/{service_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathTemplate {
    pieces: Vec<Piece>,
}

/// A part of a path template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Piece {
    /// As it is.
    Text(String),
    /// `{name}`: stays inside its segment.
    One(String),
    /// `{*name}`: may hold several segments, or none.
    Many(String),
}

/// Why a path could not be read or filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The text is not a path template.
    #[error("`{path}` is not a path: {why}")]
    Malformed {
        /// The text.
        path: String,
        /// What is wrong, and the mend.
        why: String,
    },
    /// Values are missing.
    #[error("missing {}", .0.join(", "))]
    Missing(Vec<String>),
    /// A value would leave its place.
    #[error(
        "`{name}` must not be `{value}`: a path segment `.` or `..` would name another resource; \
         pass the plain identifier"
    )]
    Hostile {
        /// The input.
        name: String,
        /// Its value.
        value: String,
    },
}

impl PathTemplate {
    /// Reads a template.
    pub fn parse(path: &str) -> Result<Self, PathError> {
        let malformed =
            |why: &str| PathError::Malformed { path: path.to_owned(), why: why.to_owned() };
        if !path.starts_with('/') {
            return Err(malformed("start it with `/`; a host cannot be named"));
        }
        if path.contains("//") {
            return Err(malformed("an empty segment (`//`) could be read as a host"));
        }
        if path.contains(['?', '#', '\\']) || path.chars().any(char::is_whitespace) {
            return Err(malformed("put query parameters under `query`"));
        }
        let pieces = pieces(path).map_err(malformed)?;
        if path.split('/').any(|segment| segment == "." || segment == "..") {
            return Err(malformed("a segment must not be `.` or `..`"));
        }
        Ok(Self { pieces })
    }

    /// The names of its places, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::One(name) | Piece::Many(name) => Some(name.as_str()),
        })
    }

    /// Fills in the places; every value is encoded.
    ///
    /// A missing or empty value of `{name}` is an error that names all missing ones, and so is a
    /// value that would make a segment `.` or `..`.
    pub fn fill(&self, value_of: impl Fn(&str) -> Option<String>) -> Result<String, PathError> {
        let mut path = String::new();
        let mut missing = Vec::new();
        for piece in &self.pieces {
            let (Piece::Text(name) | Piece::One(name) | Piece::Many(name)) = piece;
            if matches!(piece, Piece::Text(_)) {
                path.push_str(name);
                continue;
            }
            let value = value_of(name).unwrap_or_default();
            let many = matches!(piece, Piece::Many(_));
            let encoded = if many { encode_segments(&value) } else { encode(&value) };
            if encoded.is_empty() && !many && !missing.contains(name) {
                missing.push(name.clone());
            }
            path.push_str(&encoded);
            if path.rsplit('/').take(encoded.matches('/').count() + 1).any(is_dots) {
                return Err(PathError::Hostile { name: name.clone(), value });
            }
        }
        if missing.is_empty() { Ok(path) } else { Err(PathError::Missing(missing)) }
    }
}

impl fmt::Display for PathTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::One(name) => write!(f, "{{{name}}}")?,
                Piece::Many(name) => write!(f, "{{*{name}}}")?,
            }
        }
        Ok(())
    }
}

fn is_dots(segment: &str) -> bool {
    segment == "." || segment == ".."
}

/// Each segment encoded, the slashes between them kept; empty segments vanish.
fn encode_segments(value: &str) -> String {
    let segments: Vec<String> =
        value.split('/').filter(|segment| !segment.is_empty()).map(encode).collect();
    segments.join("/")
}

fn pieces(path: &str) -> Result<Vec<Piece>, &'static str> {
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            return Err("close the `{`");
        };
        if before.contains('}') {
            return Err("a `}` has no `{` before it");
        }
        if before.is_empty() {
            return Err("put something between two places, or values could run together");
        }
        pieces.push(Piece::Text(before.to_owned()));
        let (many, name) = name.strip_prefix('*').map_or((false, name), |name| (true, name));
        if !is_name(name) {
            return Err("a place is `{name}` or `{*name}`, with letters, digits and `_`");
        }
        let place = if many { Piece::Many } else { Piece::One };
        pieces.push(place(name.to_owned()));
        rest = after;
    }
    if rest.contains('}') {
        return Err("a `}` has no `{` before it");
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Ok(pieces)
}

/// Whether a text can name an input.
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests;
