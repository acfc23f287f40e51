//! From a call to the request that goes over the wire.

mod body;
mod document;
mod multipart;
mod query;

use indexmap::IndexMap;
use serde_json::Value;

use crate::call::{Call, CallError, Lacking, missing};
use crate::jq;
use crate::model::{Method, RequestLine, Retry, Risk};
use crate::path::{PathError, encode};
use crate::scope::{Settled, scalar_text};

/// A request, but for credentials and host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireRequest {
    /// The method.
    pub method: Method,
    /// The path, percent-encoded.
    pub path: String,
    /// The query parameters, not encoded yet; a key may repeat.
    pub query: Vec<(String, String)>,
    /// Headers of the operation; never a credential, never `Content-Type`.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: WireBody,
    /// Whether it may be repeated.
    pub retry: Retry,
    /// How much harm it can do.
    pub risk: Risk,
    /// Whether the reply is bytes rather than JSON.
    pub binary: bool,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireBody {
    /// No body and no content type.
    None,
    /// JSON, sent as `application/json`.
    Json(Vec<u8>),
    /// Text with its media type; it may be empty, and is then sent as an empty body.
    Text {
        /// `application/yaml` …
        media_type: String,
        /// The text.
        text: String,
    },
    /// `multipart/form-data`.
    Multipart(Vec<Part>),
}

/// One part of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The name of the field.
    pub name: String,
    /// The name of the file, when it is one.
    pub filename: Option<String>,
    /// The media type of the file.
    pub media_type: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

impl WireRequest {
    /// Path and query in one, percent-encoded.
    #[must_use]
    pub fn target(&self) -> String {
        let mut target = self.path.clone();
        for (index, (key, value)) in self.query.iter().enumerate() {
            target.push(if index == 0 { '?' } else { '&' });
            target.push_str(&encode(key));
            target.push('=');
            target.push_str(&encode(value));
        }
        target
    }

    /// The first value of a query parameter.
    #[must_use]
    pub fn query_value(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// The parameters of a query: a key and its values, in the order of first mention.
pub(crate) type Query = IndexMap<String, Vec<String>>;

/// Makes the request of a call, or says why there is none.
pub fn build(call: &Call<'_>) -> Result<WireRequest, CallError> {
    let settled = Settled::new(call)?;
    let line = route(&settled)?;
    let path = path(&settled, line)?;
    let query = query::build(&settled, &path)?;
    let (body, headers) = body::build(&settled, line.method, &query)?;
    Ok(WireRequest {
        method: line.method,
        path,
        query: query
            .into_iter()
            .flat_map(|(key, values)| values.into_iter().map(move |value| (key.clone(), value)))
            .collect(),
        headers,
        body,
        retry: call.operation.retry,
        risk: call.operation.risk,
        binary: call.operation.binary,
    })
}

/// The first route whose condition holds, else the plain one.
fn route<'a>(settled: &Settled<'a>) -> Result<&'a RequestLine, CallError> {
    let operation = settled.call.operation;
    for variant in &operation.variants {
        let holds = jq::holds(&variant.when, |name| settled.variable(name))
            .map_err(|error| CallError::of_program(settled.call, error))?;
        if holds {
            return Ok(&variant.request);
        }
    }
    Ok(&operation.request)
}

/// The filled-in path; what it lacks is told together with every other input the operation needs.
fn path(settled: &Settled<'_>, line: &RequestLine) -> Result<String, CallError> {
    let call = settled.call;
    let blank = |name: &String| settled.variable(name).is_none_or(|value| value == "");
    let needed = call.operation.need.iter().filter(|name| blank(name));
    let mut lacking: Vec<String> = needed.cloned().collect();
    let filled = line.path.fill(|name| {
        let value = settled.variable(name)?;
        scalar_text(&value).map(|text| text.trim().to_owned())
    });
    match filled {
        Ok(path) if lacking.is_empty() => Ok(path),
        Ok(_) => Err(missing(call, Lacking::Inputs, lacking)),
        Err(PathError::Missing(names)) => {
            let names = names.into_iter().map(|name| match name.as_str() {
                "org" => "org_id".to_owned(),
                "project" => "project_id".to_owned(),
                _ => name,
            });
            let plain = lacking.is_empty();
            for name in names {
                if !lacking.contains(&name) {
                    lacking.push(name);
                }
            }
            let what = if plain { Lacking::Identifiers } else { Lacking::Inputs };
            Err(missing(call, what, lacking))
        }
        Err(PathError::Hostile { name, value }) => {
            Err(CallError::Hostile { call: call.name(), name, value })
        }
        Err(error @ PathError::Malformed { .. }) => Err(CallError::Refused(error.to_string())),
    }
}

/// What a program yields for this call.
pub(crate) fn computed(
    settled: &Settled<'_>,
    program: &crate::model::Jq,
) -> Result<Value, CallError> {
    jq::run(program, &Value::Null, |name| settled.variable(name))
        .map_err(|error| CallError::of_program(settled.call, error))
}

#[cfg(test)]
pub(crate) mod tests;
