//! Several queries in one call; one that fails does not stop the others.

use checkrein_mcp::Caller;
use serde_json::{Map, Value, json};

use crate::Tools;
use crate::dispatch::Job;
use crate::failure::Failure;

/// More in one call would outlast the patience of most clients.
pub(super) const MOST_QUERIES: usize = 20;

/// The field that makes an action one that takes queries.
const QUERY: &str = "query_string";
/// What a query may say beside its text.
const SETTINGS: [&str; 2] = ["timeout_ms", "max_results"];

/// Refuses queries for an action that takes none.
pub(super) fn check(job: &Job<'_>) -> Result<(), Failure> {
    if job.operation.fields.iter().any(|field| field.name == QUERY) {
        return Ok(());
    }
    Err(Failure::said(format!(
        "`queries` goes with an action whose body has `{QUERY}`; `{}` of resource_type `{}` has \
         none (hql_query has)",
        job.op_name, job.resource.name
    )))
}

/// Runs them one after the other.
pub(super) async fn run(tools: &Tools, job: &Job<'_>, queries: &[Value], caller: &Caller) -> Value {
    let mut results = Vec::with_capacity(queries.len());
    for query in queries {
        if caller.cancel.is_cancelled() {
            break;
        }
        results.push(run_one(tools, job, query, caller).await);
    }
    let succeeded = results.iter().filter(|result| result["success"] == true).count();
    json!({
        "results": results,
        "summary": {
            "total": queries.len(),
            "succeeded": succeeded,
            "failed": queries.len() - succeeded,
        },
    })
}

async fn run_one(tools: &Tools, job: &Job<'_>, query: &Value, caller: &Caller) -> Value {
    let Some(text) = query.get(QUERY).and_then(Value::as_str) else {
        return json!({ "success": false, "error": format!("`{QUERY}` is missing or no text") });
    };
    let mut body = Map::new();
    body.insert(QUERY.to_owned(), text.into());
    for name in SETTINGS {
        if let Some(value) = query.get(name) {
            body.insert(name.to_owned(), value.clone());
        }
    }
    let mut one = job.clone();
    one.inputs.insert("body".to_owned(), body.into());
    let mut said = Map::new();
    said.insert(QUERY.to_owned(), text.into());
    match tools.dispatch.run(one, caller, None).await {
        Ok(value) => {
            said.insert("success".to_owned(), true.into());
            said.extend(crate::answer::object(value));
        }
        Err(failure) => {
            said.insert("success".to_owned(), false.into());
            said.insert("error".to_owned(), failure.to_string().into());
        }
    }
    said.into()
}
