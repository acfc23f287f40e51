//! Decodes one operation, and finds out which inputs it takes.

use super::problem::unknown;
use super::query::{headers, query};
use super::reader::{Fields, Reader};
use super::resource::IMPLICIT;
use super::tree::Node;
use super::uses::{Scene, Uses};
use super::words::{KINDS, METHODS, RETRIES, RISKS};
use super::{body, reply};
use crate::model::{
    Body, Field, Kind, Method, Operation, Reply, RequestLine, Retry, Risk, Shorthand, Variant,
};
use crate::path::PathTemplate;

/// The keys of an operation.
pub(crate) const KEYS: [&str; 20] = [
    "about",
    "request",
    "variants",
    "risk",
    "retry",
    "query",
    "headers",
    "body",
    "fields",
    "wrapper",
    "scope_in_body",
    "account_in_body",
    "org_fallback",
    "need",
    "takes",
    "shorthands",
    "reply",
    "binary",
    "hook",
    "never_compact",
];

/// Placeholders of a path that are the resolved scope.
const PLACES: [&str; 3] = ["account", "org", "project"];

/// Decodes an operation; `None` when too little of it is right to go on.
pub(crate) fn decode(reader: &mut Reader<'_>, node: &Node, scene: &Scene<'_>) -> Option<Operation> {
    let fields = reader.fields(node, "an operation", &KEYS)?;
    let mut uses = Uses::new(*scene);
    let request = match fields.get("request") {
        Some(node) => request_line(reader, node, &mut uses),
        None => {
            reader.problem(fields.at, "`request` is missing (`request: GET /path`)");
            None
        }
    };
    let variants = variants(reader, &fields, &mut uses);
    let query = query(reader, &fields, &mut uses);
    let headers = headers(reader, &fields);
    let body = match fields.get("body") {
        Some(node) => body::decode(reader, node, &mut uses),
        None => Some(Body::None),
    };
    let need = need(reader, &fields, "need", &mut uses);
    need_hidden(reader, &fields, &mut uses);
    let shorthands = shorthands(reader, &fields, &mut uses);
    let reply = match fields.get("reply") {
        Some(node) => reply::decode(reader, node, &mut uses),
        None => Some(default_reply(scene)),
    };
    let request = request?;
    let risk = risk(reader, &fields, &request, &variants);
    let is_update = scene.name == "update" && !scene.is_action;
    let retry = retry(reader, &fields, is_update, risk);
    Some(Operation {
        about: reader.optional_text(&fields, "about").unwrap_or_default(),
        retry: retry?,
        risk: risk?,
        body: body?,
        reply: reply?,
        filters: filters(scene, uses.seen(), &need, &request),
        wrapper: reader.optional_text(&fields, "wrapper"),
        scope_in_body: reader.optional_flag(&fields, "scope_in_body"),
        account_in_body: reader.flag(&fields, "account_in_body"),
        org_fallback: reader.flag(&fields, "org_fallback"),
        binary: reader.flag(&fields, "binary"),
        hook: reader.optional_text(&fields, "hook"),
        never_compact: reader.flag(&fields, "never_compact"),
        fields: body_fields(reader, &fields),
        request,
        variants,
        query,
        headers,
        need,
        shorthands,
    })
}

fn default_reply(scene: &Scene<'_>) -> Reply {
    let replies = scene.dialect.map(|dialect| &dialect.replies);
    let key = if scene.is_action { "action" } else { scene.name };
    replies
        .and_then(|replies| replies.get(key).or_else(|| replies.get("default")))
        .cloned()
        .unwrap_or(Reply::Raw)
}

/// Reads `METHOD /path`.
pub(crate) fn request_line(
    reader: &mut Reader<'_>,
    node: &Node,
    uses: &mut Uses<'_>,
) -> Option<RequestLine> {
    let text = reader.text(node, "a request")?;
    let Some((method, path)) = text.split_once(' ') else {
        reader.problem(node.at, "a request is `METHOD /path`");
        return None;
    };
    let method =
        METHODS.iter().find(|(word, _)| *word == method).map(|(_, value)| *value).or_else(|| {
            let words = METHODS.iter().map(|(word, _)| *word);
            reader.problem(node.at, unknown("method", method, words));
            None
        });
    let path = match PathTemplate::parse(path.trim()) {
        Ok(path) => path,
        Err(error) => {
            reader.problem(node.at, error.to_string());
            return None;
        }
    };
    for name in path.names() {
        if !PLACES.contains(&name) {
            uses.input(reader, name, node.at);
        }
    }
    Some(RequestLine { method: method?, path })
}

fn variants(reader: &mut Reader<'_>, fields: &Fields<'_>, uses: &mut Uses<'_>) -> Vec<Variant> {
    let nodes = reader.list(fields, "variants");
    let mut variants = Vec::new();
    for node in nodes {
        let Some(fields) = reader.fields(node, "a variant", &["when", "request"]) else { continue };
        let when = fields.get("when").and_then(|node| uses.program(reader, node));
        let request = fields.get("request").and_then(|node| request_line(reader, node, uses));
        if fields.get("when").is_none() || fields.get("request").is_none() {
            reader.problem(fields.at, "a variant has `when` and `request`");
        }
        variants.extend(when.zip(request).map(|(when, request)| Variant { when, request }));
    }
    variants
}

fn risk(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    request: &RequestLine,
    variants: &[Variant],
) -> Option<Risk> {
    let mut methods = std::iter::once(request.method)
        .chain(variants.iter().map(|variant| variant.request.method));
    let deletes = methods.any(|method| method == Method::Delete);
    let Some(node) = fields.get("risk") else {
        return match request.method {
            _ if deletes => Some(Risk::Destructive),
            Method::Get => Some(Risk::Read),
            method => {
                let at = fields.get("request").map_or(fields.at, |node| node.at);
                reader.problem(at, format!("a {method} must state its `risk` (`low_write` …)"));
                None
            }
        };
    };
    let risk = reader.word(node, "risk", &RISKS)?;
    if deletes && risk < Risk::Destructive {
        reader.problem(node.at, "a DELETE is at least `destructive`; leave `risk` out");
        return None;
    }
    Some(risk)
}

fn retry(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    is_update: bool,
    risk: Option<Risk>,
) -> Option<Retry> {
    if let Some(node) = fields.get("retry") {
        return reader.word(node, "retry rule", &RETRIES);
    }
    let safe = risk == Some(Risk::Read) || is_update;
    Some(if safe { Retry::Safe } else { Retry::Never })
}

fn need(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    key: &str,
    uses: &mut Uses<'_>,
) -> Vec<String> {
    let names = reader.texts(fields, key);
    let at = fields.get(key).map_or(fields.at, |node| node.at);
    for name in &names {
        uses.input(reader, name, at);
    }
    names
}

/// `takes`: inputs that only the hook of the operation reads.
fn need_hidden(reader: &mut Reader<'_>, fields: &Fields<'_>, uses: &mut Uses<'_>) {
    need(reader, fields, "takes", uses);
}

fn shorthands(reader: &mut Reader<'_>, fields: &Fields<'_>, uses: &mut Uses<'_>) -> Vec<Shorthand> {
    let nodes = reader.list(fields, "shorthands");
    let mut shorthands = Vec::new();
    for node in nodes {
        let keys = ["input", "unless", "expand"];
        let Some(fields) = reader.fields(node, "a shorthand", &keys) else { continue };
        let input = reader.required_text(&fields, "input");
        let unless = reader.optional_text(&fields, "unless").unwrap_or_default();
        let expand = fields.get("expand").and_then(|node| uses.program(reader, node));
        if let Some((input, expand)) = input.zip(expand) {
            shorthands.push(Shorthand { input, unless, expand });
        }
    }
    shorthands
}

fn body_fields(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Vec<Field> {
    let Some(entries) = fields.get("fields").and_then(|node| reader.entries(node, "`fields`"))
    else {
        return Vec::new();
    };
    let mut list = Vec::new();
    for (key, node) in entries.iter() {
        let keys = ["is", "need", "about", "fields"];
        let Some(fields) = reader.fields(node, "a field", &keys) else { continue };
        let is =
            fields.get("is").map_or(Some(Kind::Text), |node| reader.word(node, "kind", &KINDS));
        list.push(Field {
            name: key.name.clone(),
            is: is.unwrap_or(Kind::Any),
            need: reader.flag(&fields, "need"),
            about: reader.optional_text(&fields, "about").unwrap_or_default(),
            fields: body_fields(reader, &fields),
        });
    }
    list
}

/// What narrows or tunes the operation, in the order of the declarations; a list counts the
/// identifiers it needs among them.
fn filters(
    scene: &Scene<'_>,
    seen: &[String],
    need: &[String],
    request: &RequestLine,
) -> Vec<String> {
    let is_list = scene.name == "list" && !scene.is_action;
    let is_needed =
        |name: &String| need.contains(name) || request.path.names().any(|place| place == name);
    let declared = scene.inputs.keys();
    declared
        .filter(|name| seen.contains(name))
        .filter(|name| !scene.ids.contains(name) || (is_list && is_needed(name)))
        .filter(|name| !IMPLICIT.contains(&name.as_str()))
        .cloned()
        .collect()
}
