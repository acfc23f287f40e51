//! Cases: calls as an agent makes them, each with the exact request it must become.
//!
//! They are checked by tests and by `checkrein catalog test`, shown as examples by
//! `harness_describe`, and serve the sandbox as its contract.

mod decode;
mod run;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::model::Method;
use crate::read::{Position, Problem, is_cases};

pub use run::{Mismatch, defaults, run, run_with, with_call};

/// The account of every case.
pub const ACCOUNT: &str = "acme";
/// The configured organization of every case.
pub const ORG: &str = "shop";
/// The configured project of every case.
pub const PROJECT: &str = "web";

/// One case.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The file it is in.
    pub file: PathBuf,
    /// Where in it.
    pub at: Position,
    /// What it shows, in a few words.
    pub title: String,
    /// The resource type.
    pub resource: String,
    /// The tool (`harness_list`).
    pub tool: String,
    /// The tool's arguments, but for `resource_type`.
    pub arguments: Map<String, Value>,
    /// What must come of it.
    pub expected: Expected,
}

/// What must come of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// This request.
    Request {
        /// The method.
        method: Method,
        /// The path, percent-encoded.
        path: String,
        /// The query, but for the account.
        query: Map<String, Value>,
        /// The body.
        body: ExpectedBody,
    },
    /// No request, and a message that holds this text.
    Refusal(String),
}

/// What a body must be.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectedBody {
    /// There is none.
    None,
    /// This JSON.
    Json(Value),
    /// This text; compared as YAML when the texts differ.
    Text(String),
    /// These parts of a form: texts, or the contents of files.
    Parts(Map<String, Value>),
}

/// Reads the cases files below a folder.
#[must_use]
pub fn read_dir(dir: &Path) -> (Vec<Case>, Vec<Problem>) {
    let (mut cases, mut problems) = (Vec::new(), Vec::new());
    for file in crate::read::yaml_files_below(dir) {
        if is_cases(&file) {
            let (more, wrong) = decode::file(&file);
            cases.extend(more);
            problems.extend(wrong);
        }
    }
    (cases, problems)
}

#[cfg(test)]
mod tests;
