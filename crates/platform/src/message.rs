//! Finds the useful sentence in the platform's many shapes of error body.

use serde_json::Value;

/// The longest part of a message; guidance, message and details each get this much.
const MAX_PART_CHARS: usize = 400;

/// What an error body says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Explained {
    pub(crate) text: String,
    pub(crate) code: Option<String>,
    pub(crate) correlation_id: Option<String>,
}

/// Reads an error body; `path` decides which service's habits apply.
pub(crate) fn explain(status: u16, path: &str, body: &[u8]) -> Explained {
    let Ok(Value::Object(body)) = serde_json::from_slice(body) else {
        return Explained {
            text: plain_text(body).unwrap_or(canned(status)),
            ..Explained::default()
        };
    };
    let text_of = |key: &str| body.get(key).and_then(Value::as_str).filter(|text| readable(text));
    let message = ["message", "error_msg", "error"]
        .into_iter()
        .find_map(text_of)
        .map_or_else(|| canned(status), str::to_owned);

    let chain = responses(&body);
    let mut told = vec![message.clone()];
    let guidance = gather(
        &mut told,
        ["HINT", "EXPLANATION"].iter().flat_map(|code| {
            chain.iter().filter(move |entry| entry.0 == *code).map(|entry| entry.1.to_owned())
        }),
    );
    let described = ["/chaos/", "/loadTest/"].iter().any(|part| path.contains(part));
    let details = gather(
        &mut told,
        ["details", "detailedMessage"]
            .into_iter()
            .filter_map(text_of)
            .chain(chain.iter().map(|entry| entry.1))
            .map(str::to_owned)
            .chain(field_errors(&body))
            .chain(schema_errors(&body))
            .chain(described.then(|| text_of("description")).flatten().map(str::to_owned)),
    );
    let parts = [guidance, cut(&message), details];
    Explained {
        text: parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; "),
        code: text_of("code").map(cut),
        correlation_id: ["correlationId", "correlationID"].into_iter().find_map(text_of).map(cut),
    }
}

/// Joins the parts that were not told yet, and remembers them as told.
fn gather(told: &mut Vec<String>, parts: impl Iterator<Item = String>) -> String {
    let mut fresh = Vec::new();
    for part in parts {
        let part = part.trim().to_owned();
        if !part.is_empty() && !told.contains(&part) {
            told.push(part.clone());
            fresh.push(part);
        }
    }
    cut(&fresh.join("; "))
}

/// `responseMessages` as (code, message).
fn responses(body: &serde_json::Map<String, Value>) -> Vec<(&str, &str)> {
    let entries =
        body.get("responseMessages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    entries
        .iter()
        .filter_map(|entry| {
            let message = entry.get("message")?.as_str().filter(|text| readable(text))?;
            Some((entry.get("code").and_then(Value::as_str).unwrap_or_default(), message))
        })
        .collect()
}

/// `errors: [{fieldId, error}]`, what bean validation reports.
fn field_errors(body: &serde_json::Map<String, Value>) -> impl Iterator<Item = String> + '_ {
    body.get("errors").and_then(Value::as_array).into_iter().flatten().filter_map(|entry| {
        let error = entry.get("error")?.as_str().filter(|text| readable(text))?;
        let field = entry.get("fieldId").and_then(Value::as_str).unwrap_or("body");
        Some(format!("`{field}` {error}"))
    })
}

/// `metadata.schemaErrors`, what the YAML schema check reports.
fn schema_errors(body: &serde_json::Map<String, Value>) -> impl Iterator<Item = String> + '_ {
    let errors = body.get("metadata").and_then(|metadata| metadata.get("schemaErrors"));
    errors.and_then(Value::as_array).into_iter().flatten().filter_map(|entry| {
        entry.get("message")?.as_str().filter(|text| readable(text)).map(str::to_owned)
    })
}

/// A short body that is neither JSON nor markup, as it is.
fn plain_text(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?.trim();
    let plain = readable(text) && !text.starts_with(['{', '[']);
    plain.then(|| cut(text))
}

/// Whether a text is a sentence and not a page or a script.
fn readable(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !looks_like_markup(text) && !looks_like_script(text)
}

/// Whether a text is (part of) a web page.
pub(crate) fn looks_like_markup(text: &str) -> bool {
    let head: String =
        text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).chars().take(2000).collect();
    let head = head.to_ascii_lowercase();
    let tags =
        ["<!doctype", "<html", "<head", "<body", "<script", "<title", "<?xml", "<style", "<meta"];
    tags.iter().any(|tag| head.contains(tag)) || head.starts_with("<!--")
}

fn looks_like_script(text: &str) -> bool {
    let marks = ["function(", "function (", "window.", "document.", "=> {"];
    let named_function = text.contains("function ") && text.contains('{');
    named_function || marks.iter().any(|mark| text.contains(mark))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_PART_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn canned(status: u16) -> String {
    let text = match status {
        400 => "the request is not valid",
        401 => "the credential was not accepted; check `HARNESS_API_KEY` and its expiry",
        403 => "the credential has no permission for this",
        404 => "nothing found there",
        405 => "the operation is not allowed there",
        408 => "the platform waited too long for the request",
        409 => "it conflicts with the present state",
        412 => "it has been changed meanwhile",
        413 => "the body is too large",
        422 => "the platform cannot process it",
        423 => "it is locked",
        429 => "too many requests",
        500 => "internal error",
        502..=504 => "the platform is unavailable at the moment",
        _ => "no explanation given",
    };
    text.to_owned()
}

#[cfg(test)]
mod tests;
