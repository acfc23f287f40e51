//! What would mend what was seen, each at its own layer.
//!
//! A prompt is changed only for what a model decides. What a client does on its own needs a setting
//! or a server that can bear it; what no caller can get right needs another tool schema.

mod client;
mod prompt;
mod schema;

use checkrein_verdict::{Cause, Code, Repeat, Run};
use serde::{Deserialize, Serialize};

use crate::document::Document;

/// Where a mend belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The agent's instructions.
    Prompt,
    /// The settings of the client that carries the model's calls.
    Client,
    /// The tools as the server declares them.
    Schema,
    /// The server itself.
    Upstream,
}

/// A piece of advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advice {
    /// Where the mend belongs.
    pub layer: Layer,
    /// What it is about, for machines.
    pub topic: String,
    /// What was seen and what to do, in a sentence or two.
    pub detail: String,
    /// Text to put into the agent's instructions, in each language; empty at other layers.
    pub patches: Vec<Patch>,
    /// The attempts it rests on.
    pub attempts: Vec<u64>,
}

/// Text for the agent's instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// Its language.
    pub language: Language,
    /// The text.
    pub text: String,
}

/// A language of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    En,
    /// German.
    De,
}

/// Everything that would mend this run.
pub(crate) fn of(run: &Run, document: &Document) -> Vec<Advice> {
    let mut advice = prompt::of(run, document);
    advice.extend(client::of(run, document));
    advice.extend(schema::of(run, document));
    advice.extend(upstream(document));
    advice
}

impl Advice {
    fn new(layer: Layer, topic: &str, detail: impl Into<String>, attempts: Vec<u64>) -> Self {
        Self {
            layer,
            topic: topic.to_owned(),
            detail: detail.into(),
            patches: Vec::new(),
            attempts,
        }
    }
}

/// The repeats of one cause that did harm or may have.
fn troubling(document: &Document, cause: Cause) -> impl Iterator<Item = &Repeat> {
    let is_in = |code: Code, attempt: u64| {
        let reasons = document.reasons.iter().filter(move |reason| reason.code == code);
        reasons.flat_map(|reason| &reason.attempts).any(|it| *it == attempt)
    };
    document.repeats.iter().filter(move |repeat| {
        repeat.cause == cause
            && (repeat.is_harmful || is_in(Code::PossibleDuplicate, repeat.attempt))
    })
}

fn upstream(document: &Document) -> Option<Advice> {
    let doubled: Vec<u64> =
        troubling(document, Cause::UpstreamDouble).map(|repeat| repeat.attempt).collect();
    (!doubled.is_empty()).then(|| {
        Advice::new(
            Layer::Upstream,
            "doubled-by-the-upstream",
            "The upstream's own state shows more records than calls that reached it. Neither the \
             agent nor its client can mend that: look for a retry or a queue inside the server.",
            doubled,
        )
    })
}
