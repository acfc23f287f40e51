//! Which arguments of which tools are repeated in `Mcp-Param-*` fields (MCP 2026-07-28).

use std::collections::HashMap;

use hyper::HeaderMap;
use hyper::header::HeaderName;
use serde_json::Value;

use super::headers;
use crate::frame::{Body, Frame, Message};

/// Where a tool's schema says which field repeats an argument.
const MARK: &str = "x-mcp-header";

/// The most tools that are remembered.
const MAX_TOOLS: usize = 4096;

/// The repeated arguments of each tool: argument and field.
#[derive(Debug, Default)]
pub(super) struct Parameters(HashMap<String, Vec<(String, HeaderName)>>);

impl Parameters {
    /// Learns from a list of tools that passes by.
    pub(super) fn learn(&mut self, frame: &[u8]) {
        let has_mark = frame.windows(MARK.len()).any(|window| window == MARK.as_bytes());
        if !has_mark {
            return;
        }
        let Frame::Single(Message::Response { body: Body::Result(result), .. }) =
            Frame::read(frame)
        else {
            return;
        };
        let Ok(result) = serde_json::from_str::<Value>(result) else { return };
        for tool in result.get("tools").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            if self.0.len() < MAX_TOOLS {
                self.0.insert(name.to_owned(), repeated(tool));
            }
        }
    }

    /// Makes the fields say what this call's arguments say.
    pub(super) fn repeat(&self, headers: &mut HeaderMap, frame: &[u8]) {
        let Frame::Single(Message::Request { method: "tools/call", params, .. }) =
            Frame::read(frame)
        else {
            return;
        };
        let params = params.and_then(|params| serde_json::from_str::<Value>(params).ok());
        let Some(params) = params else { return };
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        for (argument, field) in self.0.get(name).into_iter().flatten() {
            let text = match params.get("arguments").and_then(|given| given.get(argument)) {
                Some(Value::String(text)) => text.clone(),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
                _ => {
                    headers.remove(field);
                    continue;
                }
            };
            headers.insert(field.clone(), headers::encoded(&text));
        }
    }
}

fn repeated(tool: &Value) -> Vec<(String, HeaderName)> {
    let properties = tool.pointer("/inputSchema/properties").and_then(Value::as_object);
    let marked = properties.into_iter().flatten().filter_map(|(argument, schema)| {
        let field = schema.get(MARK)?.as_str()?;
        Some((argument.clone(), HeaderName::try_from(format!("mcp-param-{field}")).ok()?))
    });
    marked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_argument_is_repeated_as_it_is_now() {
        let mut parameters = Parameters::default();
        parameters.learn(
            br#"{"id":1,"result":{"tools":[{"name":"t","inputSchema":{"properties":{"city":{"x-mcp-header":"City"}}}}]}}"#,
        );
        let mut headers = HeaderMap::new();
        let call =
            r#"{"id":2,"method":"tools/call","params":{"name":"t","arguments":{"city":"Oslo"}}}"#;
        parameters.repeat(&mut headers, call.as_bytes());
        assert_eq!(headers["mcp-param-city"], "Oslo");
        parameters.repeat(&mut headers, call.replace("city", "town").as_bytes());
        assert!(headers.is_empty());
    }
}
