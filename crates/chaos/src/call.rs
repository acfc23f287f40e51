//! A `tools/call` as the proxy needs it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use checkrein_ledger::{KeyFields, exact, loose};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The parameters of a call; all else in them is passed on unread.
#[derive(Deserialize)]
pub(crate) struct Call<'a> {
    /// The tool.
    #[serde(borrow)]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "requestState")]
    request_state: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "inputResponses")]
    input_responses: Option<&'a RawValue>,
}

/// A list among the arguments of a call; equal texts are equal values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List {
    /// The argument.
    pub(crate) name: String,
    /// Its items.
    pub(crate) items: Vec<String>,
    /// All other arguments but the idempotency keys.
    pub(crate) others: String,
}

/// `_meta` keys that clients are known to give a call, and a re-send of it, the same value in.
const IDENTITIES: [&str; 4] =
    ["claudecode/toolUseId", "callId", "toolCallId", "x-codex-turn-metadata"];

/// Marks a call of the revision that has no sessions (MCP 2026-07-28, basic/index).
const MODERN_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

impl<'a> Call<'a> {
    /// Reads the parameters; `None` when they are not those of a call.
    pub(crate) fn read(params: Option<&'a str>) -> Option<Self> {
        serde_json::from_str(params?).ok()
    }

    /// The operation's exact and its loose form.
    pub(crate) fn operation(&self, keys: &KeyFields, only: Option<&[String]>) -> (String, String) {
        let arguments = self.arguments.map_or("{}", RawValue::get);
        let Ok(value) = serde_json::from_str::<Value>(arguments) else {
            return (format!("raw:{arguments}"), format!("raw:{arguments}"));
        };
        let identity = match (&value, only) {
            // Without any of the fields there is nothing to tell it by but all its arguments.
            (Value::Object(fields), Some(only))
                if only.iter().any(|name| fields.contains_key(name)) =>
            {
                Value::Object(pick(fields, only))
            }
            (Value::Object(fields), Some(_)) => Value::Object(keys.strip(fields)),
            (Value::Object(fields), None) => Value::Object(keys.strip(fields)),
            // Null is what some clients write for no arguments.
            (Value::Null, _) => Value::Object(Map::new()),
            (other, _) => (*other).clone(),
        };
        (exact(&identity), loose(&identity))
    }

    /// The arguments, empty when they are no object.
    pub(crate) fn arguments(&self) -> Map<String, Value> {
        let arguments = self.arguments.map_or("{}", RawValue::get);
        serde_json::from_str(arguments).unwrap_or_default()
    }

    /// The first list among the arguments, as written, and the same with its first items only:
    /// this many, or half of them. `None` when there is no list that can be cut.
    pub(crate) fn cut_list(&self, items: Option<u64>) -> Option<(&'a str, String)> {
        let arguments: BTreeMap<Cow<'a, str>, &'a RawValue> =
            serde_json::from_str(self.arguments?.get()).ok()?;
        let lists = arguments.values().filter_map(|value| {
            let written: Vec<&'a RawValue> = serde_json::from_str(value.get()).ok()?;
            (written.len() >= 2).then_some((value.get(), written))
        });
        let (list, written) = lists.min_by_key(|(list, _)| list.as_ptr())?;
        let most = written.len() - 1;
        let kept = items.and_then(|items| usize::try_from(items).ok()).unwrap_or(written.len() / 2);
        let kept: Vec<_> = written.iter().take(kept.clamp(1, most)).map(|it| it.get()).collect();
        Some((list, format!("[{}]", kept.join(","))))
    }

    /// Every list among the arguments.
    pub(crate) fn lists(&self, keys: &KeyFields) -> Vec<List> {
        let arguments = keys.strip(&self.arguments());
        let list = |(name, value): (&String, &Value)| {
            let items = value.as_array()?.iter().map(exact).collect();
            let mut others = arguments.clone();
            others.remove(name);
            Some(List { name: name.clone(), items, others: exact(&Value::Object(others)) })
        };
        arguments.iter().filter_map(list).collect()
    }

    /// What the upstream is to know again of the question it had answered with.
    pub(crate) fn state(&self) -> Option<String> {
        let state = self.request_state?.get();
        serde_json::from_str::<Value>(state).ok().as_ref().map(exact)
    }

    /// A digest of the arguments as they were written.
    pub(crate) fn digest(&self) -> String {
        let arguments = self.arguments.map_or("", RawValue::get);
        Sha256::digest(arguments.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What the client itself calls this call.
    pub(crate) fn identities(&self) -> Vec<(String, String)> {
        let Some(meta) = self.meta_fields() else { return Vec::new() };
        let known = IDENTITIES.iter().filter_map(|name| Some((*name, meta.get(*name)?)));
        known.map(|(name, value)| (name.to_owned(), value.to_string())).collect()
    }

    /// Whether it goes on with a call that was answered by a question (MCP 2026-07-28, mrtr).
    pub(crate) fn is_next_round(&self) -> bool {
        self.request_state.is_some() || self.input_responses.is_some()
    }

    /// Whether it belongs to the revision without sessions.
    pub(crate) fn is_modern(&self) -> bool {
        self.meta_fields().is_some_and(|meta| meta.contains_key(MODERN_VERSION))
    }

    fn meta_fields(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(self.meta?.get()).ok()
    }
}

fn pick(fields: &Map<String, Value>, only: &[String]) -> Map<String, Value> {
    let chosen = only.iter().filter_map(|name| Some((name.clone(), fields.get(name)?.clone())));
    chosen.collect()
}
