//! What an operation stands in, and which inputs it was seen to use.

use indexmap::IndexMap;

use super::functions::Functions;
use super::problem::{Position, unknown};
use super::reader::Reader;
use super::resource::IMPLICIT;
use super::tree::Node;
use crate::jq;
use crate::model::{Dialect, Input, Jq};

/// What an operation stands in.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// The inputs its type declares, then those its family shares.
    pub(crate) inputs: &'a IndexMap<String, Input>,
    /// The type's identifiers.
    pub(crate) ids: &'a [String],
    /// Definitions that stand in front of every program of the file.
    pub(crate) functions: &'a Functions,
    /// Its family, when that is known.
    pub(crate) dialect: Option<&'a Dialect>,
    /// Its own name.
    pub(crate) name: &'a str,
    /// Whether `harness_execute` runs it.
    pub(crate) is_action: bool,
}

/// The inputs that were seen while an operation was read.
pub(crate) struct Uses<'a> {
    scene: Scene<'a>,
    seen: Vec<String>,
}

impl<'a> Uses<'a> {
    /// Nothing seen yet.
    pub(crate) fn new(scene: Scene<'a>) -> Self {
        Self { scene, seen: Vec::new() }
    }

    /// The inputs seen so far.
    pub(crate) fn seen(&self) -> &[String] {
        &self.seen
    }

    /// Notes the use of an input, and whether it exists at all.
    pub(crate) fn input(&mut self, reader: &mut Reader<'_>, name: &str, at: Position) {
        if !self.scene.inputs.contains_key(name) && !IMPLICIT.contains(&name) {
            let known = self.scene.inputs.keys().map(String::as_str).chain(IMPLICIT);
            let message = unknown("input", name, known);
            reader.problem(at, format!("{message}; declare it under `inputs`"));
        }
        self.note(name);
    }

    fn note(&mut self, name: &str) {
        if !self.seen.iter().any(|known| known == name) {
            self.seen.push(name.to_owned());
        }
    }

    /// Reads a program, checks it and notes the inputs it reads.
    pub(crate) fn program(&mut self, reader: &mut Reader<'_>, node: &Node) -> Option<Jq> {
        let source = reader.text(node, "a jq program")?;
        let known: Vec<&str> = self
            .scene
            .inputs
            .keys()
            .map(String::as_str)
            .chain(IMPLICIT)
            .chain(jq::CONTEXT)
            .collect();
        let own = source;
        let source = self.scene.functions.before(&own);
        let flaws = jq::check(&source, &known);
        if !flaws.is_empty() {
            // The definitions in front were checked where they stand.
            let shift = source.len() - own.len();
            let flaws = flaws
                .into_iter()
                .map(|flaw| jq::Flaw { offset: flaw.offset.saturating_sub(shift), ..flaw });
            reader.flaws(node, &own, flaws.collect());
            return None;
        }
        for (name, _) in jq::free_variables(&source).unwrap_or_default() {
            if !jq::CONTEXT.contains(&name.as_str()) {
                self.note(&name);
            }
        }
        Some(Jq(source))
    }
}
