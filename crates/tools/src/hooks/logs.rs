//! Hooks of the `logs` toolset.

use std::time::Duration;

use checkrein_mcp::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use super::{Hook, HookCall};
use crate::failure::Failure;
use crate::run::log_key::{self, Wanted};
use crate::run::put;
use crate::target::text_of;

pub(super) const HOOKS: &[Hook] =
    &[Hook { name: "execution_log", run: |call| boxed(fetch(call)), reads_resource_id: true }];

/// The platform packs the archive while it is asked for it again …
const LOOKS: u32 = 3;
/// … and takes a few seconds for it.
const PAUSE: Duration = Duration::from_secs(3);

/// What a 404 of the log service means.
const NONE: &str = "Nothing is stored under that key: the run may have written no log yet, or its \
                    log has expired.";

fn boxed<'a>(
    future: impl Future<Output = Result<Value, Failure>> + Send + 'a,
) -> BoxFuture<'a, Result<Value, Failure>> {
    Box::pin(future)
}

/// The log of a run, a stage or a step: finds its key, has it packed, fetches and unpacks it.
async fn fetch(call: HookCall<'_>) -> Result<Value, Failure> {
    let prefix = prefix(&call).await?;
    let link = link(&call, &prefix).await?;
    if wants_link(&call.inputs) {
        return Ok(json!({ "download_url": link }));
    }
    let log = call.ask.fetch_log(&link).await.map_err(|error| Failure::said(error.to_string()))?;
    let mut result = json!({ "log_content": log.text });
    if let Some(left_out) = log.left_out {
        put(&mut result, "_left_out", left_out);
    }
    Ok(result)
}

fn wants_link(inputs: &Map<String, Value>) -> bool {
    match inputs.get("return_download_url") {
        Some(Value::Bool(wanted)) => *wanted,
        Some(Value::String(text)) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// The key under which the log is stored.
async fn prefix(call: &HookCall<'_>) -> Result<String, Failure> {
    // A run's identifier has no slash, a log key always has.
    let given = text_of(&call.inputs, "resource_id");
    let (key, run): (Option<String>, Option<String>) = match given {
        Some(text) if text.contains('/') => (Some(text), None),
        other => (None, other),
    };
    if let Some(prefix) = text_of(&call.inputs, "prefix").or(key) {
        return Ok(prefix);
    }
    let Some(run) = text_of(&call.inputs, "execution_id").or(run) else {
        return Err(Failure::said(
            "get of `execution_log` needs `execution_id`, the run whose log to read; pass it in \
             `params` or as `resource_id`, or pass the log's own key as `prefix`",
        ));
    };
    let mut inputs = Map::new();
    inputs.insert("execution_id".to_owned(), run.as_str().into());
    inputs.insert("render_full_graph".to_owned(), true.into());
    let execution = call.ask.operation("execution", "get", &inputs).await?;
    let place = |name: &str, usual: &Option<String>| {
        text_of(&call.inputs, name).or_else(|| usual.clone()).unwrap_or_default()
    };
    let wanted = Wanted {
        account: &call.defaults.account,
        org: &place("org_id", &call.defaults.org),
        project: &place("project_id", &call.defaults.project),
        run: &run,
        stage: call.text("stage_id"),
        stage_run: call.text("stage_execution_id"),
        step: call.text("step_id"),
    };
    log_key::find(&execution, &wanted).map_err(Failure::said)
}

/// The link to the packed log.
async fn link(call: &HookCall<'_>, prefix: &str) -> Result<String, Failure> {
    let mut inputs = call.inputs.clone();
    inputs.insert("prefix".to_owned(), prefix.into());
    let mut status = String::new();
    for look in 1..=LOOKS {
        let reply =
            call.ask.own(&inputs).await.map_err(|error| error.when_not_found(Some(NONE)))?;
        if let Some(link) = text_of_value(&reply, "link") {
            return Ok(link);
        }
        status = text_of_value(&reply, "status").unwrap_or_default();
        if status.eq_ignore_ascii_case("error") {
            let why = text_of_value(&reply, "message").unwrap_or_else(|| "no reason given".into());
            return Err(Failure::said(format!("the platform failed to pack the log: {why}")));
        }
        if look < LOOKS {
            tokio::select! {
                () = call.cancel.cancelled() => {
                    return Err(Failure::said("cancelled while the platform packs the log"));
                }
                () = sleep(PAUSE) => {}
            }
        }
    }
    let status = if status.is_empty() { "no status" } else { &status };
    Err(Failure::said(format!(
        "the platform is still packing the log ({status}); ask again in a few seconds"
    )))
}

fn text_of_value(reply: &Value, key: &str) -> Option<String> {
    reply.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests;
