//! Decodes how a request's body is made.

use super::reader::{Fields, Reader};
use super::tree::{Node, Tree};
use super::uses::Uses;
use crate::model::{Body, Document};

/// The media type of a text body that names none.
const YAML: &str = "application/yaml";

/// Decodes `body`.
pub(crate) fn decode(reader: &mut Reader<'_>, node: &Node, uses: &mut Uses<'_>) -> Option<Body> {
    if let Tree::Scalar(text, _) = &node.value
        && text == "none"
    {
        return Some(Body::None);
    }
    let keys = ["json", "text", "media_type", "document", "multipart"];
    let fields = reader.fields(node, "`body`", &keys)?;
    let forms = fields.iter().filter(|(key, _)| key.name != "media_type").count();
    if forms != 1 {
        reader.problem(node.at, "a body has one of `json`, `text`, `document` and `multipart`");
        return None;
    }
    if let (Some(media), None) = (fields.get("media_type"), fields.get("text")) {
        reader.problem(media.at, "`media_type` belongs to a `text` body");
    }
    if let Some(node) = fields.get("json") {
        return uses.program(reader, node).map(Body::Json);
    }
    if let Some(node) = fields.get("multipart") {
        return uses.program(reader, node).map(Body::Multipart);
    }
    if let Some(node) = fields.get("text") {
        let media_type = reader.optional_text(&fields, "media_type");
        let media_type = media_type.unwrap_or_else(|| YAML.to_owned());
        return uses.program(reader, node).map(|jq| Body::Text { jq, media_type });
    }
    let node = fields.get("document")?;
    let body_at = node.at;
    uses.input(reader, "body", body_at);
    document(reader, node, uses).map(Body::Document)
}

fn document(reader: &mut Reader<'_>, node: &Node, uses: &mut Uses<'_>) -> Option<Document> {
    let fields = reader.fields(node, "`document`", &["unwrap", "wrap", "id", "fill", "yaml_of"])?;
    let id = pairs(reader, &fields, "id", uses);
    if id.len() > 1 {
        reader.problem(fields.at, "`id` is one pair (`{service_id: identifier}`)");
    }
    Some(Document {
        unwrap: reader.optional_text(&fields, "unwrap"),
        wrap: reader.optional_text(&fields, "wrap"),
        id: id.into_iter().next(),
        fill: pairs(reader, &fields, "fill", uses),
        yaml_of: reader.optional_text(&fields, "yaml_of"),
    })
}

/// Reads `{input: key_of_the_body}`.
fn pairs(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    key: &str,
    uses: &mut Uses<'_>,
) -> Vec<(String, String)> {
    let Some(entries) = fields.get(key).and_then(|node| reader.entries(node, key)) else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for (input, node) in entries.iter() {
        uses.input(reader, &input.name, input.at);
        let target = reader.text(node, "the key in the body");
        pairs.extend(target.map(|target| (input.name.clone(), target)));
    }
    pairs
}
