//! What tools the upstream has, asked by the proxy itself.

use std::collections::HashMap;

use checkrein_ledger::{Class, Inputs, Tool};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::classify::{Hints, Patterns, classify};
use crate::frame::Body;

/// The most pages one look takes; an upstream that has more is not listed to its end.
const PAGE_LIMIT: u32 = 200;

/// How far the look has come.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// Not begun.
    Unasked,
    /// A page is awaited.
    Asking { id: String, pages: u32 },
    /// All seen.
    Known,
    /// The upstream would not say.
    Refused,
}

/// Whom an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The proxy, which waits for it.
    ThisLook,
    /// The proxy, which waits for it no longer.
    EarlierLook,
    /// Somebody else.
    NotOurs,
}

/// The upstream's tools and how we learn of them.
#[derive(Debug)]
pub(crate) struct Listing {
    state: State,
    tools: HashMap<String, Tool>,
    collected: Vec<Tool>,
    /// What the ids of our own requests begin with; no client uses it.
    mark: String,
    count: u64,
    look: u64,
    meta: Option<Value>,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
    #[serde(rename = "nextCursor", default)]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Definition {
    name: String,
    #[serde(default)]
    annotations: Option<Hints>,
    #[serde(default, rename = "inputSchema")]
    schema: Value,
}

/// The most arguments of one tool that are remembered.
const INPUT_LIMIT: usize = 200;

/// The names a tool's schema declares; a tool without a readable one has none to speak of.
fn inputs(schema: &Value) -> Option<Inputs> {
    let names = schema.get("properties")?.as_object()?.keys().cloned();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let required = required.filter_map(Value::as_str).map(str::to_owned);
    Some(Inputs {
        names: names.take(INPUT_LIMIT).collect(),
        required: required.take(INPUT_LIMIT).collect(),
    })
}

impl Listing {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Unasked,
            tools: HashMap::new(),
            collected: Vec::new(),
            mark: format!("tools-{}-", std::process::id()),
            count: 0,
            look: 0,
            meta: None,
        }
    }

    /// Whether calls must wait for the answer.
    pub(crate) fn is_underway(&self) -> bool {
        matches!(self.state, State::Asking { .. })
    }

    /// Whether nobody has asked yet.
    pub(crate) fn is_unasked(&self) -> bool {
        self.state == State::Unasked
    }

    /// The request for the first page. In the revision without sessions each request carries its
    /// own `_meta`, borrowed here from the agent's.
    /// Gives the look's number, too, to give it up by.
    pub(crate) fn begin(&mut self, meta: Option<Value>) -> (u64, Vec<u8>) {
        if meta.is_some() {
            self.meta = meta;
        }
        self.collected.clear();
        self.look += 1;
        (self.look, self.ask(None, 1))
    }

    /// What requests of ours carry in the revision without sessions.
    pub(crate) fn meta(&self) -> Option<&Value> {
        self.meta.as_ref()
    }

    fn ask(&mut self, cursor: Option<&str>, pages: u32) -> Vec<u8> {
        self.count += 1;
        let id = format!("{}{}", self.mark, self.count);
        let mut params = serde_json::Map::new();
        if let Some(cursor) = cursor {
            params.insert("cursor".to_owned(), json!(cursor));
        }
        if let Some(meta) = &self.meta {
            params.insert("_meta".to_owned(), meta.clone());
        }
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params});
        self.state = State::Asking { id: json!(id).to_string(), pages };
        request.to_string().into_bytes()
    }

    /// Whom an answer with this id is for.
    pub(crate) fn whose(&self, id: &str) -> Whose {
        match &self.state {
            State::Asking { id: own, .. } if own == id => Whose::ThisLook,
            // The rest of a look that was given up, or begun anew.
            _ if id.strip_prefix('"').is_some_and(|id| id.starts_with(&self.mark)) => {
                Whose::EarlierLook
            }
            _ => Whose::NotOurs,
        }
    }

    /// Takes in an answer to the proxy: the next request, if there is one to send.
    pub(crate) fn answered(&mut self, body: Body<'_>, patterns: &Patterns) -> Option<Vec<u8>> {
        let State::Asking { pages, .. } = self.state else { return None };
        let Body::Result(result) = body else {
            self.state = State::Refused;
            return None;
        };
        let Ok(page) = serde_json::from_str::<Page<'_>>(result) else {
            self.state = State::Refused;
            return None;
        };
        let definitions = page.tools.iter().filter_map(|raw| {
            let definition: Definition = serde_json::from_str(raw.get()).ok()?;
            let hints = definition.annotations.unwrap_or_default();
            let tool = classify(&definition.name, hints, patterns);
            Some(Tool { inputs: inputs(&definition.schema), ..tool })
        });
        self.collected.extend(definitions);
        if let Some(cursor) = page.next_cursor.filter(|_| pages < PAGE_LIMIT) {
            return Some(self.ask(Some(&cursor), pages + 1));
        }
        let collected = std::mem::take(&mut self.collected);
        self.tools.extend(collected.into_iter().map(|tool| (tool.name.clone(), tool)));
        self.state = State::Known;
        None
    }

    /// Gives up waiting, if it is still this look that is underway; whether it was.
    pub(crate) fn give_up(&mut self, look: u64) -> bool {
        let is_this = look == self.look && self.is_underway();
        if is_this {
            self.give_up_now();
        }
        is_this
    }

    /// Gives up waiting.
    pub(crate) fn give_up_now(&mut self) {
        if self.is_underway() {
            self.state = State::Refused;
        }
    }

    /// The class of a tool.
    pub(crate) fn class(&self, name: &str, patterns: &Patterns) -> Class {
        match (self.tools.get(name), &self.state) {
            (Some(tool), _) => tool.class,
            (None, State::Known) => Class::NotOffered,
            (None, _) => classify(name, Hints::default(), patterns).class,
        }
    }

    /// Every tool, by name.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let mut tools: Vec<_> = self.tools.values().cloned().collect();
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        tools
    }
}
