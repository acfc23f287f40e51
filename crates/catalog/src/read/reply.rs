//! Decodes how a reply is read.

use super::reader::Reader;
use super::tree::{Node, Tree};
use super::uses::Uses;
use crate::model::Reply;

const NAMED: [(&str, Reply); 5] = [
    ("raw", Reply::Raw),
    ("data", Reply::Data),
    ("page", Reply::Page),
    ("resource", Reply::Resource),
    ("array", Reply::ArrayOf(None)),
];

/// Decodes `reply`.
pub(crate) fn decode(reader: &mut Reader<'_>, node: &Node, uses: &mut Uses<'_>) -> Option<Reply> {
    if let Tree::Scalar(..) = node.value {
        return reader.word(node, "reply", &NAMED);
    }
    let fields = reader.fields(node, "`reply`", &["unwrap", "page_of", "array_of", "jq"])?;
    if fields.iter().count() != 1 {
        reader.problem(node.at, "a reply has one of `unwrap`, `page_of`, `array_of` and `jq`");
        return None;
    }
    if let Some(node) = fields.get("jq") {
        return uses.program(reader, node).map(Reply::Computed);
    }
    let (key, node) = fields.iter().next()?;
    let name = reader.text(node, &format!("`{}`", key.name))?;
    match key.name.as_str() {
        "unwrap" => Some(Reply::Unwrap(name)),
        "page_of" => Some(Reply::PageOf(name)),
        "array_of" => Some(Reply::ArrayOf(Some(name))),
        _ => None,
    }
}
