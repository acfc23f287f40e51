//! Decodes the file of one API family, and the list of toolsets.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::functions::Functions;
use super::problem::unknown;
use super::query::query_value;
use super::reader::{Fields, Reader};
use super::tree::{Node, Tree};
use super::uses::{Scene, Uses};
use super::{reply, resource};
use crate::model::{Dialect, Reply, Toolset};
use crate::read::words::OPERATIONS;

const KEYS: [&str; 9] = [
    "name",
    "org_param",
    "project_param",
    "account_param",
    "header_scoped",
    "scope_in_body",
    "paging",
    "replies",
    "inputs",
];

/// Decodes a dialect.
pub(crate) fn decode(reader: &mut Reader<'_>, root: &Node) -> Option<Dialect> {
    let fields = reader.fields(root, "a dialect", &KEYS)?;
    let inputs =
        fields.get("inputs").map_or_else(IndexMap::new, |node| resource::inputs(reader, node));
    let functions = Functions::default();
    let scene = Scene {
        inputs: &inputs,
        ids: &[],
        functions: &functions,
        dialect: None,
        name: "",
        is_action: false,
    };
    let mut uses = Uses::new(scene);
    Some(Dialect {
        name: reader.required_text(&fields, "name")?,
        org_param: reader.optional_text(&fields, "org_param"),
        project_param: reader.optional_text(&fields, "project_param"),
        account_param: reader.optional_text(&fields, "account_param"),
        header_scoped: reader.flag(&fields, "header_scoped"),
        scope_in_body: reader.flag(&fields, "scope_in_body"),
        paging: paging(reader, &fields, &mut uses),
        replies: replies(reader, &fields, &mut uses),
        inputs: inputs.clone(),
    })
}

fn paging(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    uses: &mut Uses<'_>,
) -> IndexMap<String, crate::model::QueryValue> {
    let mut paging = IndexMap::new();
    let Some(entries) = fields.get("paging").and_then(|node| reader.entries(node, "`paging`"))
    else {
        return paging;
    };
    for (key, node) in entries.iter() {
        if let Some(value) = query_value(reader, node, uses) {
            paging.insert(key.name.clone(), value);
        }
    }
    paging
}

fn replies(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    uses: &mut Uses<'_>,
) -> BTreeMap<String, Reply> {
    let mut replies = BTreeMap::new();
    let Some(entries) = fields.get("replies").and_then(|node| reader.entries(node, "`replies`"))
    else {
        return replies;
    };
    for (key, node) in entries.iter() {
        let known: Vec<&str> = OPERATIONS.into_iter().chain(["action", "default"]).collect();
        if !known.contains(&key.name.as_str()) {
            reader.problem(key.at, unknown("kind of operation", &key.name, known));
            continue;
        }
        if let Some(reply) = reply::decode(reader, node, uses) {
            replies.insert(key.name.clone(), reply);
        }
    }
    replies
}

/// Decodes the ordered list of toolsets.
pub(crate) fn toolsets(reader: &mut Reader<'_>, root: &Node) -> Vec<Toolset> {
    let Tree::List(nodes) = &root.value else {
        reader.problem(root.at, "toolsets are a list (`- name: …`)");
        return Vec::new();
    };
    let mut toolsets: Vec<Toolset> = Vec::new();
    for node in nodes {
        let keys = ["name", "title", "about", "opt_in"];
        let Some(fields) = reader.fields(node, "a toolset", &keys) else { continue };
        let name = reader.required_text(&fields, "name");
        let title = reader.required_text(&fields, "title");
        let about = reader.optional_text(&fields, "about").unwrap_or_default();
        let opt_in = reader.flag(&fields, "opt_in");
        let Some((name, title)) = name.zip(title) else { continue };
        if toolsets.iter().any(|toolset| toolset.name == name) {
            reader.problem(fields.at, format!("toolset `{name}` is there twice"));
            continue;
        }
        toolsets.push(Toolset { name, title, about, opt_in });
    }
    toolsets
}
