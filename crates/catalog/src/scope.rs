//! Which organization and project a call happens in, and every value its programs can see.

use serde_json::{Map, Value};

use crate::call::{Call, CallError};
use crate::model::{ResourceType, Scope};

/// A call whose scope is settled and whose filter values are spelled as the platform spells them.
pub(crate) struct Settled<'a> {
    /// The call.
    pub(crate) call: &'a Call<'a>,
    /// The organization that the scope reaches.
    pub(crate) org: Option<String>,
    /// The project that the scope reaches.
    pub(crate) project: Option<String>,
    /// Inputs that differ from what the caller wrote.
    respelled: Map<String, Value>,
}

impl<'a> Settled<'a> {
    /// Settles a call, or says what its scope lacks.
    pub(crate) fn new(call: &'a Call<'a>) -> Result<Self, CallError> {
        refuse_unsupported(call)?;
        let (org, project) = place(call);
        let settled = Self { call, org, project, respelled: respelled(call) };
        settled.refuse_incomplete()?;
        Ok(settled)
    }

    fn refuse_incomplete(&self) -> Result<(), CallError> {
        let call = self.call;
        let asks = call.scope.is_some() || (call.is_list() && !call.resource.scope_optional);
        let scope = call.effective_scope();
        let mut names = Vec::new();
        if asks && scope != Scope::Account && self.org.is_none() {
            names.push("org_id".to_owned());
        }
        if asks && scope == Scope::Project && self.project.is_none() {
            names.push("project_id".to_owned());
        }
        if names.is_empty() {
            return Ok(());
        }
        let known = scope_words(call.resource);
        Err(CallError::ScopeIncomplete { call: call.name(), scope, names, known })
    }

    /// The organization for a query that falls back to the configured one whatever the scope.
    pub(crate) fn org_or_configured(&self) -> Option<String> {
        let given = self.org.clone().or_else(|| input_text(self.call, "org_id"));
        given.or_else(|| self.call.defaults.org.clone())
    }

    /// What a program finds under `$name`.
    pub(crate) fn variable(&self, name: &str) -> Option<Value> {
        let text = |text: &Option<String>| text.clone().map(Value::String);
        match name {
            "account" => Some(Value::String(self.call.defaults.account.clone())),
            "org" => text(&self.org),
            "project" => text(&self.project),
            "scope" => self.scope_word().map(Value::from),
            "op" => Some(Value::from(self.call.op_name)),
            "resource_scope" => self.call.scope.map(|scope| Value::from(scope.word())),
            "org_id" if self.call.scope.is_some() => text(&self.org),
            "project_id" if self.call.scope.is_some() => text(&self.project),
            name => self.input(name).cloned(),
        }
    }

    /// The scope asked for, else the type's own unless it leaves that open.
    fn scope_word(&self) -> Option<&'static str> {
        if self.call.scope.is_none() && self.call.resource.scope_optional {
            return None;
        }
        Some(self.call.effective_scope().word())
    }

    /// An input that is there and not null.
    pub(crate) fn input(&self, name: &str) -> Option<&Value> {
        let value = self.respelled.get(name).or_else(|| self.call.inputs.get(name));
        value.filter(|value| !value.is_null())
    }
}

/// Organization and project of a call: the caller's, else the configured ones, as far as its scope
/// reaches. A type with an optional scope takes the caller's only, unless a scope is asked for.
fn place(call: &Call<'_>) -> (Option<String>, Option<String>) {
    let (org, project) = (input_text(call, "org_id"), input_text(call, "project_id"));
    if call.scope.is_none() && call.resource.scope_optional {
        return (org, project);
    }
    let org = org.or_else(|| call.defaults.org.clone());
    let project = project.or_else(|| call.defaults.project.clone());
    match call.effective_scope() {
        Scope::Account => (None, None),
        Scope::Org => (org, None),
        Scope::Project => (org, project),
    }
}

/// The words of a type's scopes.
pub(crate) fn scope_words(resource: &ResourceType) -> Vec<String> {
    resource.scopes.iter().map(|scope| scope.word().to_owned()).collect()
}

fn refuse_unsupported(call: &Call<'_>) -> Result<(), CallError> {
    match call.scope {
        Some(scope) if !call.resource.scopes.contains(&scope) => Err(CallError::UnsupportedScope {
            resource: call.resource.name.clone(),
            scope,
            known: scope_words(call.resource),
        }),
        _ => Ok(()),
    }
}

/// An input as text; blank counts as absent.
fn input_text(call: &Call<'_>, name: &str) -> Option<String> {
    let text = scalar_text(call.inputs.get(name)?)?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The text of a scalar; null, arrays and objects have none.
pub(crate) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Known filter values in the platform's own spelling; unknown ones stay as they are, because the
/// platform may know more than the catalogue.
fn respelled(call: &Call<'_>) -> Map<String, Value> {
    let mut respelled = Map::new();
    for name in &call.operation.filters {
        let Some(input) = call.resource.inputs.get(name).filter(|input| !input.values.is_empty())
        else {
            continue;
        };
        let spelling = |text: &str| -> Option<String> {
            input.values.iter().find(|value| value.eq_ignore_ascii_case(text)).cloned()
        };
        let new = match call.inputs.get(name) {
            Some(Value::String(text)) => Value::String(respell_text(text, spelling)),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| match item {
                    Value::String(text) => Value::String(respell_text(text, spelling)),
                    other => other.clone(),
                })
                .collect(),
            _ => continue,
        };
        if Some(&new) != call.inputs.get(name) {
            respelled.insert(name.clone(), new);
        }
    }
    respelled
}

fn respell_text(text: &str, spelling: impl Fn(&str) -> Option<String>) -> String {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let new: Vec<String> =
        words.iter().map(|word| spelling(word).unwrap_or_else(|| (*word).to_owned())).collect();
    // Only a text with a known word in another spelling is touched at all.
    let changed = words.iter().zip(&new).any(|(old, new)| old != new);
    if changed { new.join(",") } else { text.to_owned() }
}
