//! The query of a request: account, scope, paging, then what the operation states. A later
//! mention of a key replaces an earlier one.

use serde_json::Value;

use super::{Query, computed};
use crate::call::CallError;
use crate::model::QueryValue;
use crate::scope::{Settled, scalar_text};

/// Log paths take the account under a name of their own.
const LOG_SERVICE: &str = "/log-service/";

/// Builds the query of a request to this path.
pub(super) fn build(settled: &Settled<'_>, path: &str) -> Result<Query, CallError> {
    let call = settled.call;
    let mut query = Query::new();
    if !call.dialect.header_scoped {
        add_account(settled, path, &mut query);
    }
    add_scope(settled, &mut query);
    if call.is_list() {
        for (key, value) in &call.dialect.paging {
            set(&mut query, key, texts(settled, value)?);
        }
    }
    for (key, value) in &call.operation.query {
        let values = texts(settled, value)?;
        if values.is_empty() && call.is_list() && call.dialect.paging.contains_key(key) {
            query.shift_remove(key);
        }
        set(&mut query, key, values);
    }
    Ok(query)
}

fn add_account(settled: &Settled<'_>, path: &str, query: &mut Query) {
    let account = &settled.call.defaults.account;
    for key in ["accountIdentifier", "routingId"] {
        set(query, key, vec![account.clone()]);
    }
    if path.contains(LOG_SERVICE) {
        set(query, "accountID", vec![account.clone()]);
    }
}

fn add_scope(settled: &Settled<'_>, query: &mut Query) {
    let call = settled.call;
    if let Some(key) = &call.dialect.account_param {
        set(query, key, vec![call.defaults.account.clone()]);
    }
    let falls_back = call.operation.org_fallback;
    let org = if falls_back { settled.org_or_configured() } else { settled.org.clone() };
    let places =
        [(&call.dialect.org_param, org), (&call.dialect.project_param, settled.project.clone())];
    for (key, value) in places {
        if let Some((key, value)) = key.as_ref().zip(value) {
            set(query, key, vec![value]);
        }
    }
}

fn set(query: &mut Query, key: &str, values: Vec<String>) {
    if !values.is_empty() {
        query.insert(key.to_owned(), values);
    }
}

fn texts(settled: &Settled<'_>, value: &QueryValue) -> Result<Vec<String>, CallError> {
    let input = |name: &str| settled.variable(name).map_or_else(Vec::new, |value| flat(&value));
    Ok(match value {
        QueryValue::Literal(text) if text.is_empty() => Vec::new(),
        QueryValue::Literal(text) => vec![text.clone()],
        QueryValue::Input(name) => input(name),
        QueryValue::InputOr(name, or) => {
            let given = input(name);
            if given.is_empty() { vec![or.clone()] } else { given }
        }
        QueryValue::OneBased(name) => input(name).into_iter().map(one_based).collect(),
        QueryValue::Computed(program) => flat(&computed(settled, program)?),
    })
}

/// One text per value that says something; an array repeats the key.
fn flat(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(flat).collect(),
        Value::Object(_) => vec![value.to_string()],
        scalar => scalar_text(scalar).into_iter().filter(|text| !text.is_empty()).collect(),
    }
}

fn one_based(text: String) -> String {
    let next = text.parse::<i64>().ok().and_then(|number| number.checked_add(1));
    next.map_or(text, |number| number.to_string())
}
