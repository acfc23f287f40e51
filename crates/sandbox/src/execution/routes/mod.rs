//! The routes, one file per group of the API.

mod approvals;
pub(super) mod executions;
pub(super) mod input_sets;
mod interrupts;
mod logs;
mod runs;
mod runtime_inputs;

use serde_json::Value;

use crate::crud::settle;
use crate::family::Answer;
use crate::reply::{FieldError, Reply};
use crate::request::Request;
use crate::router::Route;
use crate::scope::Scope;
use crate::store::{Key, Store};

/// The routes of this family.
pub(crate) fn all() -> Vec<Route> {
    [
        runs::routes(),
        interrupts::routes(),
        executions::routes(),
        runtime_inputs::routes(),
        input_sets::routes(),
        approvals::routes(),
        logs::routes(),
    ]
    .concat()
}

/// The project a request is about; it must be named.
fn project(request: &Request) -> Result<Scope, Reply> {
    let scope = request.scope();
    let named = [("orgIdentifier", &scope.org), ("projectIdentifier", &scope.project)];
    let missing: Vec<FieldError> = named
        .iter()
        .filter(|(_, value)| value.is_empty())
        .map(|(field, _)| FieldError::new(field, "must not be null"))
        .collect();
    if missing.is_empty() { Ok(scope) } else { Err(Reply::field_failure(&missing)) }
}

/// A query parameter that must be there.
fn needed<'a>(request: &'a Request, name: &str) -> Result<&'a str, Reply> {
    let missing = || Reply::field_failure(&[FieldError::new(name, "must not be null")]);
    request.query.first(name).ok_or_else(missing)
}

/// Texts of a list in a JSON body.
fn texts(body: &Value, field: &str) -> Vec<String> {
    let list = body.get(field).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect()
}

fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The pipelines `{inputSet|overlayInputSet}` documents belong to.
fn input_set_key(scope: &Scope, pipeline: &str, id: &str) -> Key {
    Key::new(input_sets::KIND, scope, id).under(pipeline)
}

/// The inputs that input sets give, overlays opened, in order.
fn inputs_of_sets(
    store: &Store,
    scope: &Scope,
    pipeline: &str,
    sets: &[String],
) -> Result<Vec<Value>, Reply> {
    let mut given = Vec::new();
    for id in sets {
        input_sets::collect(store, scope, pipeline, id, &mut given, true)?;
    }
    Ok(given)
}
