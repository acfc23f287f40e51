//! The tools an agent sees.
//!
//! A tool checks its arguments (`arguments`), finds the catalogue's entry (`choose`), merges
//! everything the call says into one set of inputs (`inputs`, `pasted_url`, `target`), asks
//! whether a write may pass (`confirm`) and hands the rest to `dispatch`, the only place that
//! turns inputs into requests. Every tool is one file and one line in `TOOLS`.

mod answer;
mod arguments;
mod choose;
mod confirm;
mod create;
mod delete;
mod describe;
mod dispatch;
mod execute;
mod failure;
mod get;
pub mod hooks;
mod inputs;
mod list;
mod nearest;
mod pasted_url;
mod run;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod shipped;
mod target;
mod tool;
mod update;
mod wait;

use checkrein_catalog::call::Defaults;
use checkrein_catalog::catalog::Catalog;
use checkrein_mcp::{Answer, BoxFuture, Caller, ServerInfo, ToolInfo, ToolSet};
use checkrein_platform::Client;
use serde_json::{Map, Value};

pub use confirm::AutoApprove;
pub use failure::{Failure, Said};

use crate::arguments::Arguments;
use crate::confirm::Gate;
use crate::dispatch::Dispatch;
use crate::hooks::TemplateCache;
use crate::tool::Tool;

/// The tools, in the order they are listed.
const TOOLS: &[&Tool] = &[
    &describe::TOOL,
    &list::TOOL,
    &get::TOOL,
    &create::TOOL,
    &update::TOOL,
    &delete::TOOL,
    &execute::TOOL,
];

/// What an agent should know before its first call; clients show the first 2 KB.
const INSTRUCTIONS: &str = "\
Reads and changes a Harness account: pipelines and their runs, services, environments, connectors, \
code, access and more. Every resource type works with the same few tools. harness_describe says \
which types there are, what they can do and which filters and fields they take; call it before you \
guess a name. A URL copied from the Harness console can stand in for type, identifiers, \
organization and project (`url`). Lists are short by default; `compact: false` gives everything. \
To run a pipeline: harness_execute with action `run`, and `wait: true` to stay until it ends. \
Writes may ask the user; when nobody can be asked, check with the user yourself and pass \
`confirm: true`. A failed write says how it ended in `_outcome`: after `unknown`, look before you \
try again.";

/// How the tools behave.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Account, organization and project of calls that name none.
    pub defaults: Defaults,
    /// Start of every deep link (`https://app.harness.io`).
    pub base_url: String,
    /// Refuse every write.
    pub read_only: bool,
    /// Up to which risk nobody is asked.
    pub auto_approve: AutoApprove,
    /// The version the server reports.
    pub version: String,
}

/// The tools over one catalogue and one account.
pub struct Tools {
    dispatch: Dispatch,
    gate: Gate,
    version: String,
}

impl Tools {
    /// The tools; nothing is sent before the first call.
    pub fn new(catalog: Catalog, client: Client, options: Options) -> Self {
        let gate = Gate { read_only: options.read_only, auto_approve: options.auto_approve };
        let dispatch = Dispatch {
            catalog,
            client,
            defaults: options.defaults,
            base_url: options.base_url.trim_end_matches('/').to_owned(),
            templates: TemplateCache::default(),
        };
        Self { dispatch, gate, version: options.version }
    }

    fn catalog(&self) -> &Catalog {
        &self.dispatch.catalog
    }
}

impl ToolSet for Tools {
    fn info(&self) -> ServerInfo {
        ServerInfo {
            name: "checkrein".to_owned(),
            title: "Checkrein".to_owned(),
            version: self.version.clone(),
            instructions: INSTRUCTIONS.to_owned(),
        }
    }

    fn tools(&self) -> Vec<ToolInfo> {
        TOOLS.iter().map(|tool| tool.info()).collect()
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        caller: Caller,
    ) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
                /// JSON-RPC 2.0 section 5.1, invalid params: what the protocol wants here.
                const UNKNOWN_TOOL: i32 = -32602;
                let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
                let message = format!("unknown tool `{name}`; known: {}", known.join(", "));
                return Answer::Protocol { code: UNKNOWN_TOOL, message };
            };
            match Arguments::read(tool.arguments, arguments) {
                Ok(arguments) => (tool.run)(self, arguments, &caller).await,
                Err(error) => Failure::said(error.to_string()).into_answer(),
            }
        })
    }
}

#[cfg(test)]
mod tests;
