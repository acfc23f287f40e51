//! One set of inputs out of everything a call says, each source winning over the one before it.

use checkrein_catalog::model::{Operation, ResourceType, Scope};
use serde_json::{Map, Value};

use crate::arguments::{Arguments, scope_named};
use crate::failure::Failure;
use crate::nearest::{did_you_mean, listed};
use crate::pasted_url::PastedUrl;

/// Inputs every type has without declaring them.
const EVERYWHERE: &[&str] = &["page", "size", "org_id", "project_id", "body", "resource_id"];

/// What a call means, before its identifiers are settled.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) values: Map<String, Value>,
    pub(crate) scope: Option<Scope>,
    /// What the caller named under `params` and `filters`, to tell a conflict from a default.
    pub(crate) named: Map<String, Value>,
}

/// Merges, weakest first: the pasted URL, the tool's own arguments named in `own`, `params`, and
/// `filters` where the tool has them.
pub(crate) fn merge(
    resource: &ResourceType,
    url: &PastedUrl,
    arguments: &mut Arguments,
    own: &[&str],
) -> Result<Inputs, Failure> {
    let mut values = from_url(resource, url);
    for name in own {
        if let Some(value) = arguments.take(name).filter(|value| !is_blank(value)) {
            values.insert((*name).to_owned(), value);
        }
    }
    let mut named_scope = arguments.text("resource_scope").map(str::to_owned);
    let mut named = arguments.take_object("params");
    named.extend(arguments.take_object("filters"));
    if let Some(Value::String(scope)) = named.shift_remove("resource_scope") {
        named_scope = Some(scope);
    }
    values.extend(named.clone());
    let scope = scope_named(named_scope.as_deref().unwrap_or_default())
        .map_err(|error| Failure::said(error.to_string()))?;
    let scope = scope.or(url.scope.filter(|scope| resource.scopes.contains(scope)));
    Ok(Inputs { values, scope, named })
}

/// What the URL says, as far as it can be about this type.
fn from_url(resource: &ResourceType, url: &PastedUrl) -> Map<String, Value> {
    // `template_v1` is shown on the page of a `template`.
    let is_its_page = url.resource_type.is_some_and(|shown| {
        resource
            .name
            .strip_prefix(shown)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with("_v"))
    });
    let mut values = Map::new();
    for (name, value) in &url.inputs {
        // The account is configured; a page of another one must not redirect the request.
        let skip = *name == "account_id" || (*name == "resource_id" && !is_its_page);
        if !skip {
            values.insert((*name).to_owned(), value.clone().into());
        }
    }
    values
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(str::is_empty)
}

/// Refuses filters the type does not know, with the ones its list does.
pub(crate) fn check_filters(
    resource: &ResourceType,
    operation: &Operation,
    given: &Map<String, Value>,
) -> Result<(), Failure> {
    let known = |name: &str| {
        resource.inputs.contains_key(name) || EVERYWHERE.contains(&name) || name == "search_term"
    };
    let Some(unknown) = given.keys().find(|name| !known(name)) else { return Ok(()) };
    let filters = operation.filters.iter().chain(&resource.ids).map(String::as_str);
    Err(Failure::said(format!(
        "unknown filter `{unknown}` for `{}`{} Its filters: {}",
        resource.name,
        did_you_mean(unknown, filters.clone()),
        listed(filters)
    )))
}

/// Names among `given` that the list does not read, though the type knows them: the agent would
/// believe that they had narrowed it.
pub(crate) fn unused_filters(
    resource: &ResourceType,
    operation: &Operation,
    given: &Map<String, Value>,
) -> Vec<String> {
    let is_used = |name: &String| {
        operation.filters.contains(name)
            || resource.ids.contains(name)
            || EVERYWHERE.contains(&name.as_str())
    };
    given.keys().filter(|name| !is_used(name)).cloned().collect()
}

/// Names among `given` that nothing of the type reads.
pub(crate) fn ignored(resource: &ResourceType, given: &Map<String, Value>) -> Vec<String> {
    given
        .keys()
        .filter(|name| !resource.inputs.contains_key(*name) && !EVERYWHERE.contains(&name.as_str()))
        .cloned()
        .collect()
}

/// Spells filter values as the platform does (`cd` becomes `CD`); a comma list is spelled item by
/// item, and a value nobody declared stays as it is.
pub(crate) fn spell_values(
    resource: &ResourceType,
    operation: &Operation,
    values: &mut Map<String, Value>,
) {
    for name in &operation.filters {
        let Some(input) = resource.inputs.get(name).filter(|input| !input.values.is_empty()) else {
            continue;
        };
        let Some(Value::String(text)) = values.get_mut(name) else { continue };
        let spell = |word: &str| {
            let declared = input.values.iter().find(|value| value.eq_ignore_ascii_case(word));
            declared.map_or_else(|| word.to_owned(), Clone::clone)
        };
        let whole = spell(text);
        *text = if whole == *text && text.contains(',') {
            let spelled: Vec<String> = text.split(',').map(|word| spell(word.trim())).collect();
            let changed = spelled.iter().zip(text.split(',')).any(|(new, old)| new != old.trim());
            if changed { spelled.join(",") } else { text.clone() }
        } else {
            whole
        };
    }
}

#[cfg(test)]
mod tests;
