//! Decodes the file of one resource type.

use indexmap::IndexMap;

use super::Known;
use super::functions::Functions;
use super::operation;
use super::problem::{Position, unknown};
use super::reader::{Fields, Reader};
use super::tree::Node;
use super::uses::Scene;
use super::words::{KINDS, OPERATIONS, SCOPES};
use crate::model::{Dialect, Input, Kind, Operation, Related, ResourceType, Scope};
use crate::path::is_name;

/// The keys of a resource file.
pub(crate) const KEYS: [&str; 19] = [
    "resource",
    "title",
    "toolset",
    "about",
    "dialect",
    "scopes",
    "scope_optional",
    "ids",
    "also_called",
    "link",
    "hint_not_found",
    "hint_execute",
    "related",
    "compact",
    "replaces",
    "inputs",
    "functions",
    "operations",
    "actions",
];

/// Inputs that every type has without declaring them.
pub const IMPLICIT: [&str; 7] =
    ["page", "size", "org_id", "project_id", "resource_scope", "body", "inputs"];

/// What a file says, and where its name stands.
pub(crate) struct Decoded {
    /// The type.
    pub(crate) resource: ResourceType,
    /// Whether it may take the place of a type of the same name.
    pub(crate) replaces: bool,
    /// Where it is named.
    pub(crate) at: Position,
}

/// Decodes a resource file; `None` when too little of it is right to go on.
pub(crate) fn decode(reader: &mut Reader<'_>, root: &Node, known: &Known<'_>) -> Option<Decoded> {
    let fields = reader.fields(root, "a resource file", &KEYS)?;
    let name = reader.required_text(&fields, "resource");
    let title = reader.required_text(&fields, "title");
    let about = reader.required_text(&fields, "about");
    let toolset = toolset(reader, &fields, known);
    let dialect_name = reader.required_text(&fields, "dialect");
    let dialect = dialect_name.as_deref().and_then(|name| known.dialects.get(name));
    if let (Some(name), None, Some(node)) = (&dialect_name, dialect, fields.get("dialect")) {
        reader
            .problem(node.at, unknown("dialect", name, known.dialects.keys().map(String::as_str)));
    }
    if let (Some(name), Some(node)) = (&name, fields.get("resource"))
        && !is_name(name)
    {
        reader.problem(node.at, format!("`{name}` must be of letters, digits and `_`"));
    }
    let scopes = scopes(reader, &fields);
    let own = fields.get("inputs").map_or_else(IndexMap::new, |node| inputs(reader, node));
    let all = with_shared(own.clone(), dialect);
    let ids = ids(reader, &fields, &all);
    let names: Vec<&str> =
        all.keys().map(String::as_str).chain(IMPLICIT).chain(crate::jq::CONTEXT).collect();
    let functions = Functions::decode(reader, &fields, &names);
    let scene = Scene {
        inputs: &all,
        ids: &ids,
        functions: &functions,
        dialect,
        name: "",
        is_action: false,
    };
    let operations = operations(reader, &fields, "operations", &scene);
    let actions = operations_of_actions(reader, &fields, &scene);
    let inputs = used(&own, all, &ids, operations.values().chain(actions.values()));
    if operations.is_empty() && actions.is_empty() {
        reader.problem(fields.at, "nothing can be done with it; give `operations` or `actions`");
    }
    let resource = ResourceType {
        title: title?,
        about: about?,
        toolset: toolset?,
        dialect: dialect_name?,
        name: name?,
        scopes,
        scope_optional: reader.flag(&fields, "scope_optional"),
        also_called: reader.texts(&fields, "also_called"),
        link: link(reader, &fields),
        hint_not_found: reader.optional_text(&fields, "hint_not_found"),
        hint_execute: reader.optional_text(&fields, "hint_execute"),
        related: related(reader, &fields),
        compact: reader.texts(&fields, "compact"),
        ids,
        inputs,
        operations,
        actions,
    };
    let at = fields.get("resource").map_or(fields.at, |node| node.at);
    Some(Decoded { resource, replaces: reader.flag(&fields, "replaces"), at })
}

fn toolset(reader: &mut Reader<'_>, fields: &Fields<'_>, known: &Known<'_>) -> Option<String> {
    let name = reader.required_text(fields, "toolset")?;
    if known.toolsets.iter().any(|toolset| toolset.name == name) {
        return Some(name);
    }
    if let Some(node) = fields.get("toolset") {
        let names = known.toolsets.iter().map(|toolset| toolset.name.as_str());
        reader.problem(node.at, unknown("toolset", &name, names));
    }
    None
}

fn scopes(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Vec<Scope> {
    let nodes = reader.list(fields, "scopes");
    let mut scopes = Vec::new();
    for node in nodes {
        let Some(scope) = reader.word(node, "scope", &SCOPES) else { continue };
        if scopes.contains(&scope) {
            reader.problem(node.at, format!("scope `{scope}` is there twice"));
        } else {
            scopes.push(scope);
        }
    }
    if nodes.is_empty() {
        reader.problem(fields.at, "`scopes` is missing; list the default one first (`[project]`)");
    }
    scopes
}

fn ids(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    inputs: &IndexMap<String, Input>,
) -> Vec<String> {
    let ids = reader.texts(fields, "ids");
    let at = fields.get("ids").map_or(fields.at, |node| node.at);
    for id in &ids {
        if !inputs.contains_key(id) && !IMPLICIT.contains(&id.as_str()) {
            let known = inputs.keys().map(String::as_str);
            reader
                .problem(at, format!("{}; declare it under `inputs`", unknown("input", id, known)));
        }
    }
    ids
}

/// A type's own inputs, then those of its family that it does not declare itself.
fn with_shared(
    mut inputs: IndexMap<String, Input>,
    dialect: Option<&Dialect>,
) -> IndexMap<String, Input> {
    for (name, input) in dialect.iter().flat_map(|dialect| &dialect.inputs) {
        inputs.entry(name.clone()).or_insert_with(|| input.clone());
    }
    inputs
}

/// The declared inputs, and the shared ones that an operation or an identifier uses.
fn used<'a>(
    own: &IndexMap<String, Input>,
    mut all: IndexMap<String, Input>,
    ids: &[String],
    operations: impl Iterator<Item = &'a Operation>,
) -> IndexMap<String, Input> {
    let filters: Vec<&String> =
        operations.flat_map(|operation| operation.filters.iter().chain(&operation.need)).collect();
    all.retain(|name, _| own.contains_key(name) || ids.contains(name) || filters.contains(&name));
    all
}

/// Decodes a map of inputs.
pub(crate) fn inputs(reader: &mut Reader<'_>, node: &Node) -> IndexMap<String, Input> {
    let Some(entries) = reader.entries(node, "`inputs`") else {
        return IndexMap::new();
    };
    let mut inputs = IndexMap::new();
    for (key, node) in entries.iter() {
        if !is_name(&key.name) {
            reader.problem(key.at, format!("`{}` must be of letters, digits and `_`", key.name));
        }
        if crate::jq::CONTEXT.contains(&key.name.as_str()) {
            let name = &key.name;
            reader.problem(key.at, format!("`{name}` is taken: programs know `${name}` already"));
        }
        if let Some(input) = input(reader, node) {
            inputs.insert(key.name.clone(), input);
        }
    }
    inputs
}

fn input(reader: &mut Reader<'_>, node: &Node) -> Option<Input> {
    let fields = reader.fields(node, "an input", &["is", "about", "values", "field"])?;
    let is = match fields.get("is") {
        Some(node) => reader.word(node, "kind", &KINDS)?,
        None => Kind::Text,
    };
    Some(Input {
        is,
        about: reader.optional_text(&fields, "about").unwrap_or_default(),
        values: reader.texts(&fields, "values"),
        field: reader.optional_text(&fields, "field"),
    })
}

fn link(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<String> {
    let link = reader.optional_text(fields, "link")?;
    if (!link.starts_with('/') || link.contains("//") || link.contains('\\'))
        && let Some(node) = fields.get("link")
    {
        reader.problem(node.at, "a link is a path that starts with one `/`; the host is not named");
    }
    Some(link)
}

fn related(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Vec<Related> {
    let nodes = reader.list(fields, "related");
    let mut related = Vec::new();
    for node in nodes {
        let Some(fields) = reader.fields(node, "an entry of `related`", &["resource", "how"])
        else {
            continue;
        };
        let resource = reader.required_text(&fields, "resource");
        let how = reader.required_text(&fields, "how");
        related.extend(resource.zip(how).map(|(resource, how)| Related { resource, how }));
    }
    related
}

fn operations(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    key: &str,
    scene: &Scene<'_>,
) -> IndexMap<String, Operation> {
    let mut operations = IndexMap::new();
    let Some(entries) = fields.get(key).and_then(|node| reader.entries(node, key)) else {
        return operations;
    };
    for (key, node) in entries.iter() {
        let name = key.name.as_str();
        if !scene.is_action && !OPERATIONS.contains(&name) {
            let message = unknown("operation", name, OPERATIONS);
            reader.problem(key.at, format!("{message}; anything else belongs under `actions`"));
            continue;
        }
        if scene.is_action && !is_name(name) {
            reader.problem(key.at, format!("`{name}` must be of letters, digits and `_`"));
        }
        if let Some(operation) = operation::decode(reader, node, &Scene { name, ..*scene }) {
            operations.insert(name.to_owned(), operation);
        }
    }
    operations
}

fn operations_of_actions(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    scene: &Scene<'_>,
) -> IndexMap<String, Operation> {
    operations(reader, fields, "actions", &Scene { is_action: true, ..*scene })
}
