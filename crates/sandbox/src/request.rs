//! A request as the handlers see it: decoded once at the edge.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::scope::Scope;

/// The query of a request: names may repeat and keep their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads `a=1&b=2`; bytes that are not UTF-8 become the replacement character.
    pub fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (plus_decoded(name), plus_decoded(value))
        });
        Self(pairs.collect())
    }

    /// The first value of a name, unless it is empty.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, v)| n == name && !v.is_empty()).map(|(_, v)| v.as_str())
    }

    /// Every value of a name; `name[]=x`, `name=x,y` and repetition all count.
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(n, _)| n.strip_suffix("[]").unwrap_or(n) == name)
            .flat_map(|(_, v)| v.split(','))
            .filter(|v| !v.is_empty())
            .collect()
    }

    /// True when the value says `true`.
    pub fn flag(&self, name: &str) -> bool {
        self.first(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// All pairs in order.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }
}

fn plus_decoded(text: &str) -> String {
    decoded(&text.replace('+', " "))
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// One field of a `multipart/form-data` body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Field name.
    pub name: String,
    /// File name, when the field is a file.
    pub file_name: Option<String>,
    /// What the field holds.
    pub bytes: Vec<u8>,
}

/// A request with its path, query, headers and body decoded.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// `GET`, `POST`, … in capitals.
    pub method: String,
    /// Percent-decoded path segments, without a leading `gateway`.
    pub segments: Vec<String>,
    /// The query.
    pub query: Query,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it came.
    pub body: Vec<u8>,
    /// The fields of a multipart body, else empty.
    pub parts: Vec<Part>,
}

/// Why a body could not be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BodyError {
    /// Nothing was sent.
    #[error("the body is empty")]
    Empty,
    /// Neither JSON nor YAML.
    #[error("{0}")]
    Malformed(String),
}

impl Request {
    /// A request from its parts; `target` is path and query.
    pub fn new(method: &str, target: &str, body: &[u8]) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut segments: Vec<String> =
            path.split('/').filter(|s| !s.is_empty()).map(decoded).collect();
        if segments.first().is_some_and(|first| first == "gateway") {
            segments.remove(0);
        }
        Self {
            method: method.to_ascii_uppercase(),
            segments,
            query: Query::parse(query),
            headers: Vec::new(),
            body: body.to_vec(),
            parts: Vec::new(),
        }
    }

    /// The first value of a header; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The path as text, decoded, without `gateway`.
    pub fn path(&self) -> String {
        format!("/{}", self.segments.join("/"))
    }

    /// The body as text; bytes that are not UTF-8 become the replacement character.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// True when nothing but white space was sent.
    pub fn is_bodiless(&self) -> bool {
        self.body.iter().all(u8::is_ascii_whitespace)
    }

    /// The body as JSON.
    pub fn json(&self) -> Result<Value, BodyError> {
        if self.is_bodiless() {
            return Err(BodyError::Empty);
        }
        serde_json::from_slice(&self.body).map_err(|e| BodyError::Malformed(e.to_string()))
    }

    /// The body as a JSON object, `{}` when none was sent or it is something else: for filters.
    pub fn filter(&self) -> Value {
        self.json()
            .ok()
            .filter(Value::is_object)
            .unwrap_or_else(|| Value::Object(Default::default()))
    }

    /// The body as JSON, else as YAML; a JSON string is read as the YAML inside it.
    pub fn yaml_or_json(&self) -> Result<Value, BodyError> {
        if self.is_bodiless() {
            return Err(BodyError::Empty);
        }
        match serde_json::from_slice::<Value>(&self.body) {
            Ok(Value::String(yaml)) => crate::yaml::parse(&yaml),
            Ok(value) => Ok(value),
            Err(_) => crate::yaml::parse(&self.text()),
        }
    }

    /// The YAML text of the body: as sent, or the text inside a JSON string.
    pub fn yaml_text(&self) -> String {
        match serde_json::from_slice::<Value>(&self.body) {
            Ok(Value::String(yaml)) => yaml,
            _ => self.text(),
        }
    }

    /// The organization asked for, or empty.
    pub fn org(&self) -> &str {
        self.any_of(&[
            "orgIdentifier",
            "organizationIdentifier",
            "organization_identifier",
            "org",
            "orgId",
        ])
    }

    /// The project asked for, or empty.
    pub fn project(&self) -> &str {
        self.any_of(&["projectIdentifier", "project_identifier", "project", "projectId"])
    }

    /// The scope the query names.
    pub fn scope(&self) -> Scope {
        Scope::project(self.org(), self.project())
    }

    fn any_of(&self, names: &[&str]) -> &str {
        names.iter().find_map(|name| self.query.first(name)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Request;

    #[test]
    fn an_encoded_slash_stays_in_its_segment_and_gateway_goes() {
        let request = Request::new("get", "/gateway/code/api/v1/repos/a%2Fb/+/x?q=a+b%21", b"");
        assert_eq!(request.segments, ["code", "api", "v1", "repos", "a/b", "+", "x"]);
        assert_eq!(request.query.first("q"), Some("a b!"));
    }

    #[test]
    fn repeated_bracketed_and_comma_values_are_one_list() {
        let request = Request::new("GET", "/x?id=a,b&id=c&id[]=d&other=e", b"");
        assert_eq!(request.query.all("id"), ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_yaml_body_may_come_plain_or_inside_a_json_string() {
        let plain = Request::new("POST", "/x", b"trigger:\n  name: t\n");
        let quoted = Request::new("POST", "/x", br#""trigger:\n  name: t\n""#);
        assert_eq!(plain.yaml_or_json(), Ok(json!({"trigger": {"name": "t"}})));
        assert_eq!(quoted.yaml_or_json(), plain.yaml_or_json());
        assert_eq!(quoted.yaml_text(), "trigger:\n  name: t\n");
    }
}
