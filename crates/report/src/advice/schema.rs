//! What no caller can get right, because the tools leave no way.

use checkrein_ledger::{Class, KeyFields, Tool};
use checkrein_verdict::{Attempt, Run};

use super::{Advice, Layer};
use crate::document::Document;

/// Names of arguments by which servers know a repeated request, beside the default key field.
const KEY_NAMES: [&str; 6] =
    ["idempotency", "requestid", "clienttoken", "dedup", "clientreference", "externalid"];

pub(super) fn of(run: &Run, document: &Document) -> Vec<Advice> {
    let mut advice = Vec::new();
    let mut tools: Vec<&str> = Vec::new();
    for attempt in run.in_order() {
        if is_troubled(document, attempt) && !tools.contains(&attempt.tool.as_str()) {
            tools.push(&attempt.tool);
        }
    }
    for name in tools {
        let attempts: Vec<u64> = run
            .in_order()
            .into_iter()
            .filter(|it| it.tool == name && is_troubled(document, it))
            .map(|it| it.number)
            .collect();
        let tool = run.tools.iter().find(|tool| tool.name == name);
        if tool.is_some_and(lacks_key) {
            advice.push(Advice::new(
                Layer::Schema,
                "no-idempotency-key",
                format!(
                    "`{name}` takes no idempotency key, so the server cannot tell a repeat from a \
                     second wish. Give it an argument such as `idempotency_key`, say in its \
                     description that a repeat carries the same one, and answer a repeat with the \
                     first result."
                ),
                attempts.clone(),
            ));
        }
        if lacks_look_up(&run.tools) {
            advice.push(Advice::new(
                Layer::Schema,
                "no-look-up-without-an-id",
                format!(
                    "After `{name}` got no answer, no read tool could find its record: each one \
                     needs an id that only the lost answer had. Offer a search by what the caller \
                     knows."
                ),
                attempts,
            ));
        }
    }
    advice
}

/// Whether the agent was left not knowing, or the write was carried out too often.
fn is_troubled(document: &Document, attempt: &Attempt) -> bool {
    let is_in_repeat = document.repeats.iter().any(|it| {
        it.is_harmful && (it.attempt == attempt.number || it.repeats == Some(attempt.number))
    });
    attempt.class == Class::Write
        && attempt.continues.is_none()
        && (attempt.is_ghost_write() || is_in_repeat || (attempt.forwarded && attempt.is_unknown()))
}

fn lacks_key(tool: &Tool) -> bool {
    let keys = KeyFields::default();
    tool.inputs.as_ref().is_some_and(|inputs| {
        !inputs.names.iter().any(|name| {
            let bare = bare(name);
            keys.contains(name) || KEY_NAMES.iter().any(|known| bare.contains(known))
        })
    })
}

/// Whether every read tool whose arguments are known needs an id.
fn lacks_look_up(tools: &[Tool]) -> bool {
    let mut reads = tools.iter().filter(|tool| tool.class == Class::Read).peekable();
    reads.peek().is_some()
        && reads.all(|tool| {
            let required = tool.inputs.as_ref().map(|inputs| inputs.required.as_slice());
            required.is_some_and(|names| names.iter().any(|name| is_id(name)))
        })
}

fn is_id(name: &str) -> bool {
    let is_camel = name.ends_with("Id") || name.ends_with("ID");
    let lower = name.to_lowercase();
    is_camel || lower == "id" || lower.ends_with("_id") || lower.ends_with("-id")
}

fn bare(name: &str) -> String {
    name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}
