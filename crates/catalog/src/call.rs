//! What a caller asks for, and what can be wrong with it.

use serde_json::{Map, Value};

use crate::jq::JqError;
use crate::model::{Dialect, Operation, ResourceType, Scope};

/// What the server fills in when a call names no organization or project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Defaults {
    /// The account every request belongs to.
    pub account: String,
    /// The configured organization.
    pub org: Option<String>,
    /// The configured project.
    pub project: Option<String>,
}

/// One operation of one resource type with its inputs.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The type.
    pub resource: &'a ResourceType,
    /// `list`, `get`, `create`, `update`, `delete` or the name of an action.
    pub op_name: &'a str,
    /// The operation.
    pub operation: &'a Operation,
    /// The family of the type.
    pub dialect: &'a Dialect,
    /// The inputs, all merged.
    pub inputs: &'a Map<String, Value>,
    /// The scope the caller asked for (`resource_scope`).
    pub scope: Option<Scope>,
    /// The configured scope.
    pub defaults: &'a Defaults,
}

impl Call<'_> {
    /// Whether the call lists things.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.op_name == "list"
    }

    /// The scope it happens in: the one asked for, else the type's first.
    #[must_use]
    pub fn effective_scope(&self) -> Scope {
        self.scope.or_else(|| self.resource.scopes.first().copied()).unwrap_or(Scope::Project)
    }

    /// `service.update`, for messages.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}.{}", self.resource.name, self.op_name)
    }
}

/// What was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacking {
    /// Identifiers of the resource or of what it lies in.
    Identifiers,
    /// Filters of a list.
    Filters,
    /// Other inputs.
    Inputs,
    /// The body itself.
    Body,
    /// Fields of the body.
    Fields,
}

/// Why no request was made. The text is for the agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Something was left out.
    #[error("{call} needs {}; {}", quoted(.names), mend(*.what, .names))]
    Missing {
        /// `service.get`.
        call: String,
        /// The kind of thing.
        what: Lacking,
        /// Their names.
        names: Vec<String>,
    },
    /// The type does not exist in this scope.
    #[error("{resource} has no `{scope}` scope; use {}", quoted(.known))]
    UnsupportedScope {
        /// The type.
        resource: String,
        /// The scope asked for.
        scope: Scope,
        /// Its scopes.
        known: Vec<String>,
    },
    /// The scope asked for is not one.
    #[error("unknown resource_scope `{0}`; use `account`, `org` or `project`")]
    UnknownScope(String),
    /// Organization or project are neither given nor configured.
    #[error(
        "{call} at {scope} scope needs {}; pass it, or set a default for the server{}",
        quoted(.names), other_scopes(.known)
    )]
    ScopeIncomplete {
        /// `service.list`.
        call: String,
        /// The scope.
        scope: Scope,
        /// What is missing.
        names: Vec<String>,
        /// The scopes of the type.
        known: Vec<String>,
    },
    /// A value would leave its path segment.
    #[error(
        "`{name}` of {call} must not be `{value}`: as a path segment it would name another \
             resource; pass the plain identifier"
    )]
    Hostile {
        /// `service.get`.
        call: String,
        /// The input.
        name: String,
        /// The value.
        value: String,
    },
    /// Two places name different things.
    #[error(
        "`{input}` is `{given}`, but the body says `{key}: {found}`; make them agree or drop one"
    )]
    Conflict {
        /// The input.
        input: String,
        /// Its value.
        given: String,
        /// The key in the body.
        key: String,
        /// The value there.
        found: String,
    },
    /// The body is not what the operation takes.
    #[error("the body of {call} {why}")]
    Body {
        /// `service.create`.
        call: String,
        /// What is wrong, and the mend.
        why: String,
    },
    /// The catalogue refused the inputs, in its own words.
    #[error("{0}")]
    Refused(String),
}

impl CallError {
    /// What a program of the catalogue said.
    pub(crate) fn of_program(call: &Call<'_>, error: JqError) -> Self {
        match error {
            JqError::Missing(names) => missing(call, Lacking::Inputs, names),
            JqError::Raised(text) => Self::Refused(text),
            JqError::Broken(_) => Self::Refused(format!("{}: {error}", call.name())),
        }
    }
}

/// The error that names what was left out, with the place the caller can put it.
pub(crate) fn missing(call: &Call<'_>, what: Lacking, names: Vec<String>) -> CallError {
    let is_field = |name: &String| call.operation.fields.iter().any(|field| field.name == *name);
    let what = match what {
        Lacking::Inputs if names == ["body"] => Lacking::Body,
        Lacking::Inputs if names.iter().all(is_field) => Lacking::Fields,
        Lacking::Inputs if call.is_list() => Lacking::Filters,
        Lacking::Inputs if names.iter().all(|name| call.resource.ids.contains(name)) => {
            identifiers(call, &names)
        }
        Lacking::Identifiers => identifiers(call, &names),
        what => what,
    };
    CallError::Missing { call: call.name(), what, names }
}

/// Identifiers that `resource_id` can stand for, else plain inputs.
fn identifiers(call: &Call<'_>, names: &[String]) -> Lacking {
    let ids = &call.resource.ids;
    let stands_for = match call.op_name {
        "list" | "create" => None,
        "get" | "update" | "delete" => ids.last(),
        _ => {
            let in_path =
                |id: &&String| call.operation.request.path.names().any(|name| name == *id);
            ids.first().filter(in_path).or_else(|| ids.iter().rev().find(in_path)).or(ids.first())
        }
    };
    if names.iter().any(|name| Some(name) == stands_for) {
        Lacking::Identifiers
    } else {
        Lacking::Inputs
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn mend(what: Lacking, names: &[String]) -> &'static str {
    match what {
        Lacking::Identifiers if names.len() == 1 => "pass it as `resource_id` or in `params`",
        Lacking::Identifiers => "pass them in `params` (the last may be the `resource_id`)",
        Lacking::Filters => "pass it in `filters`",
        Lacking::Inputs => "pass it in `params`",
        Lacking::Body => "pass it as `body`",
        Lacking::Fields => "put it into `body`",
    }
}

fn other_scopes(known: &[String]) -> String {
    if known.len() < 2 {
        return String::new();
    }
    format!("; or pick another `resource_scope` ({})", known.join(", "))
}
