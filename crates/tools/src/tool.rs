//! One tool: how it is listed and what it runs.

use checkrein_mcp::{Annotations, Answer, BoxFuture, Caller, ToolInfo};
use serde_json::{Map, Value, json};

use crate::Tools;
use crate::arguments::{Argument, Arguments, Is, input_schema};

/// One tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The first sentence has to be enough; the list of tools is paid for in every session.
    pub(crate) about: &'static str,
    pub(crate) arguments: &'static [&'static Argument],
    pub(crate) annotations: Annotations,
    pub(crate) output: Output,
    pub(crate) run: for<'a> fn(&'a Tools, Arguments, &'a Caller) -> BoxFuture<'a, Answer>,
}

/// The shape of a result, as far as a program can rely on it.
#[derive(Clone, Copy)]
pub(crate) enum Output {
    /// `items` and `total`.
    List,
    /// Some object.
    Object,
}

impl Tool {
    pub(crate) fn info(&self) -> ToolInfo {
        ToolInfo {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            description: self.about.to_owned(),
            input_schema: input_schema(self.arguments),
            output_schema: Some(self.output.schema()),
            annotations: self.annotations,
        }
    }
}

impl Output {
    /// Nothing is required, because an error is an object of another shape and some clients check
    /// that too.
    fn schema(self) -> Map<String, Value> {
        let schema = match self {
            Self::Object => json!({ "type": "object" }),
            Self::List => json!({
                "type": "object",
                "properties": { "items": { "type": "array" }, "total": { "type": "number" } },
            }),
        };
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }
}

/// Reads the platform and changes nothing.
pub(crate) const READS: Annotations =
    Annotations { read_only: true, destructive: false, idempotent: true, open_world: true };

// Arguments that several tools share.

pub(crate) const RESOURCE_TYPE: Argument =
    Argument::new("resource_type", Is::Text, "Type as harness_describe names it");
pub(crate) const RESOURCE_ID: Argument = Argument::new("resource_id", Is::Text, "");
pub(crate) const URL: Argument =
    Argument::new("url", Is::Text, "Harness console page; fills in the rest");
pub(crate) const RESOURCE_SCOPE: Argument = Argument::new("resource_scope", Is::Scope, "");
pub(crate) const ORG_ID: Argument = Argument::new("org_id", Is::Text, "");
pub(crate) const PROJECT_ID: Argument = Argument::new("project_id", Is::Text, "");
pub(crate) const PARAMS: Argument = Argument::new("params", Is::Object, "Other inputs of the type");
pub(crate) const CONFIRM: Argument = Argument::new("confirm", Is::Flag, "The user agreed");
pub(crate) const BODY: Argument =
    Argument::new("body", Is::ObjectOrText, "Fields, or the YAML definition").required();
