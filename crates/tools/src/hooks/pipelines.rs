//! Hooks of the `pipelines` toolset.

use checkrein_mcp::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Hook, HookCall};
use crate::failure::Failure;
use crate::run::{prepare, put, template};
use crate::wait;

pub(super) const HOOKS: &[Hook] = &[
    Hook { name: "pipeline_run", run: |call| boxed(run(call)), reads_resource_id: false },
    Hook { name: "pipeline_retry", run: |call| boxed(retry(call)), reads_resource_id: false },
    Hook { name: "started_run", run: |call| boxed(start(call)), reads_resource_id: false },
    Hook {
        name: "runtime_input_template",
        run: |call| boxed(asked(call)),
        reads_resource_id: false,
    },
];

/// The platform's answer when a run of this pipeline cannot be retried.
const METHOD_NOT_ALLOWED: u16 = 405;
/// A page of the console could not show more open places than this either.
const MAX_LISTED: usize = 100;

fn boxed<'a, T>(future: impl Future<Output = T> + Send + 'a) -> BoxFuture<'a, T> {
    Box::pin(future)
}

/// Starts a pipeline with inputs that fit it, and stays until the run ends when that is wanted.
async fn run(mut call: HookCall<'_>) -> Result<Value, Failure> {
    let resolution = prepare::prepare(&mut call).await?;
    let mut result = call.ask.own(&call.inputs).await?;
    if let Some(resolution) = resolution {
        put(&mut result, "_inputResolution", resolution);
    }
    wait::stay(&call, result).await
}

/// Starts something that only needs to be waited for.
async fn start(call: HookCall<'_>) -> Result<Value, Failure> {
    let result = call.ask.own(&call.inputs).await?;
    wait::stay(&call, result).await
}

/// Retries a run; where the platform has no retry for it, the pipeline is run anew.
async fn retry(call: HookCall<'_>) -> Result<Value, Failure> {
    let error = match call.ask.own(&call.inputs).await {
        Ok(result) => return wait::stay(&call, result).await,
        Err(error) => error,
    };
    let refused = error.platform().and_then(|error| error.status) == Some(METHOD_NOT_ALLOWED);
    if !refused {
        return Err(error);
    }
    let Some(pipeline) = pipeline_of(&call).await? else { return Err(error) };
    let mut inputs = call.inputs.clone();
    inputs.shift_remove("execution_id");
    inputs.insert("pipeline_id".to_owned(), pipeline.as_str().into());
    let mut result = call.ask.operation("pipeline", "run", &inputs).await?;
    let note = format!("the platform does not retry this run, so `{pipeline}` was started anew");
    put(&mut result, "_note", note);
    wait::stay(&call, result).await
}

/// The pipeline of the run to retry.
async fn pipeline_of(call: &HookCall<'_>) -> Result<Option<String>, Failure> {
    if let Some(pipeline) = call.text("pipeline_id") {
        return Ok(Some(pipeline.to_owned()));
    }
    let Some(execution) = call.text("execution_id") else { return Ok(None) };
    let mut inputs = Map::new();
    inputs.insert("execution_id".to_owned(), execution.into());
    let execution = call.ask.operation("execution", "get", &inputs).await?;
    let pipeline = execution.pointer("/pipelineExecutionSummary/pipelineIdentifier");
    Ok(pipeline.and_then(Value::as_str).map(str::to_owned))
}

/// The template, and beside it what it asks for, one by one.
async fn asked(call: HookCall<'_>) -> Result<Value, Failure> {
    let mut result = call.ask.own(&call.inputs).await?;
    let text = result.get("inputSetTemplateYaml").and_then(Value::as_str).unwrap_or_default();
    // A template this server cannot read is still shown as it is.
    let template = checkrein_catalog::yaml::from_text(text).unwrap_or_default();
    let places = template::places(&template);
    if !places.is_empty() {
        let names = template::names(&places);
        let listed = places.iter().zip(names).take(MAX_LISTED).map(|(place, name)| {
            let mut listed = json!({ "name": name, "required": !place.wants.is_optional() });
            if let Some(default) = &place.wants.default {
                put(&mut listed, "default", default.as_str());
            }
            if !place.wants.allowed.is_empty() {
                put(&mut listed, "allowed", place.wants.allowed.clone());
            }
            listed
        });
        let listed = listed.collect::<Vec<_>>();
        put(&mut result, "_inputs", listed);
    }
    Ok(result)
}

#[cfg(test)]
mod tests;
