//! Which identifier `resource_id` stands for.

use checkrein_catalog::model::{Operation, ResourceType};
use serde_json::{Map, Value};

use crate::failure::Failure;

/// The identifier of the thing itself: the innermost of the type's identifiers.
fn innermost(resource: &ResourceType) -> Option<&str> {
    resource.ids.last().map(String::as_str)
}

/// The text of an input; numbers count, empty text does not.
pub(crate) fn text_of(values: &Map<String, Value>, name: &str) -> Option<String> {
    match values.get(name)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// For `get`: fills in the innermost identifier when it is not there yet.
pub(crate) fn fill(resource: &ResourceType, values: &mut Map<String, Value>) {
    let (Some(id), Some(name)) = (text_of(values, "resource_id"), innermost(resource)) else {
        return;
    };
    if text_of(values, name).is_none() {
        values.insert(name.to_owned(), id.into());
    }
}

/// For `update` and `delete`: the identifier of what is to be changed; two different ones are a
/// conflict, because the wrong one would change the wrong thing.
pub(crate) fn settle(
    resource: &ResourceType,
    values: &mut Map<String, Value>,
    params: &Map<String, Value>,
    tool: &str,
) -> Result<Option<String>, Failure> {
    let Some(name) = innermost(resource) else { return Ok(text_of(values, "resource_id")) };
    let given = text_of(values, "resource_id");
    let in_params = text_of(params, name);
    if let (Some(given), Some(other)) = (&given, &in_params)
        && given != other
    {
        return Err(conflict(name, given, other));
    }
    let Some(id) = in_params.or(given).or_else(|| text_of(values, name)) else {
        return Err(Failure::said(format!(
            "{tool} of `{}` needs `resource_id` (its `{name}`); pass it as `resource_id`, in \
             `params` as `{name}`, or paste its `url`",
            resource.name
        )));
    };
    values.insert(name.to_owned(), id.clone().into());
    Ok(Some(id))
}

/// For an action: the identifier the action's path wants.
///
/// An action below something (`repos/{repo_id}/pulls/{pr_number}/close`) has its outermost
/// identifier in the path, and that is what `resource_id` fills; when another identifier is there
/// instead, it fills that; and when the outermost is taken already, the innermost.
pub(crate) fn aim(
    resource: &ResourceType,
    operation: &Operation,
    values: &mut Map<String, Value>,
    params: &Map<String, Value>,
) -> Result<(), Failure> {
    let (Some(id), Some(outermost)) =
        (text_of(values, "resource_id"), resource.ids.first().map(String::as_str))
    else {
        return Ok(());
    };
    let in_path: Vec<&str> = operation.request.path.names().collect();
    let special = if in_path.contains(&outermost) {
        None
    } else {
        resource.ids.iter().rev().map(String::as_str).find(|name| in_path.contains(name))
    };
    let taken = text_of(values, outermost).is_some_and(|other| other != id);
    let name = match special {
        Some(name) => name,
        None if taken && resource.ids.len() > 1 => innermost(resource).unwrap_or(outermost),
        None => outermost,
    };
    if let Some(other) = text_of(params, name).filter(|other| *other != id) {
        return Err(conflict(name, &id, &other));
    }
    values.insert(name.to_owned(), id.into());
    Ok(())
}

fn conflict(name: &str, given: &str, other: &str) -> Failure {
    Failure::said(format!(
        "`resource_id` is `{given}` but `params.{name}` is `{other}`; pass only one of them"
    ))
}

#[cfg(test)]
mod tests;
