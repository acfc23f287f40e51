//! Running pipelines: plain, by stages, from a YAML of one's own, again, and as a retry.

use serde_json::{Value, json};

use super::{Answer, inputs_of_sets, needed, project, settle, text, texts};
use crate::execution::engine::compile::stage_ids;
use crate::execution::engine::status::Status;
use crate::execution::pipelines::{self, Pipeline, body_value};
use crate::execution::record::{self, Live, Record};
use crate::execution::start::{Start, start};
use crate::execution::summary::stages_of;
use crate::execution::windows;
use crate::ids;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::Store;
use crate::world::{CALLER, World};
use crate::yaml;

pub(super) fn routes() -> Vec<Route> {
    const V1: &str = "/v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/execute";
    vec![
        Route::new("POST", "/pipeline/api/pipeline/execute/{id}", run),
        Route::new("POST", "/pipeline/api/pipeline/execute/{id}/inputSetList", run_with_sets),
        Route::new("POST", "/pipeline/api/pipeline/execute/{id}/stages", run_stages),
        Route::new("POST", "/pipeline/api/pipeline/execute/rerun/{execution}/{id}", rerun),
        Route::new("PUT", "/pipeline/api/pipeline/execute/retry/{execution}", retry),
        Route::new("POST", "/pipeline/api/pipeline/execute/retry/{id}", retry_pipeline),
        Route::new("GET", "/pipeline/api/pipeline/execute/retryHistory/{execution}", retry_history),
        Route::new("POST", "/pipeline/api/pipeline/execute/preflightCheck", preflight),
        Route::new(
            "GET",
            "/pipeline/api/pipeline/execute/getPreflightCheckResponse",
            preflight_result,
        ),
        Route::new("POST", V1, run_v1),
        Route::new(
            "POST",
            "/v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/execute/dynamic",
            run_dynamic,
        ),
        Route::new(
            "POST",
            "/pipeline/api/v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/execute/dynamic",
            run_dynamic,
        ),
        Route::new(
            "POST",
            "/pipeline/api/v1/orgs/{org}/projects/{project}/pipelines/execute/dynamic",
            run_dynamic,
        ),
    ]
}

/// The answer to a run that has begun.
fn begun(world: &World, record: &Record) -> Reply {
    Reply::ng(json!({
        "planExecution": {
            "uuid": record.id, "createdAt": record.start_ms,
            "planId": record::derived_id(&record.id, usize::MAX),
            "setupAbstractions": {
                "accountId": world.account, "orgIdentifier": record.org,
                "projectIdentifier": record.project,
            },
            "validUntil": null, "status": Status::Running.engine(), "startTs": record.start_ms,
            "metadata": {
                "runSequence": record.run_sequence, "pipelineIdentifier": record.pipeline,
                "executionUuid": record.id,
                "triggerInfo": {
                    "triggerType": "MANUAL",
                    "triggeredBy": {
                        "uuid": CALLER.uuid, "identifier": CALLER.name,
                        "extraInfo": {"email": CALLER.email},
                    },
                    "isRerun": record.rerun_of.is_some() || record.retry_of.is_some(),
                },
                "executionMode": "NORMAL", "moduleType": record.modules.last(),
            },
            "lastUpdatedAt": record.start_ms, "version": 0,
            "nodeType": "PLAN_EXECUTION",
        },
        "gitDetails": null,
    }))
}

fn new_start(world: &World, request: &Request, scope: &Scope, pipeline: Pipeline) -> Start {
    let mut start = Start::of(scope, pipeline, world.now_ms());
    let notes = request.query.first("notesForPipelineExecution").or(request.query.first("notes"));
    start.notes = notes.unwrap_or_default().to_owned();
    start.stages = request.query.all("stagesToExecute").into_iter().map(str::to_owned).collect();
    start.input_sets =
        request.query.all("inputSetIdentifiers").into_iter().map(str::to_owned).collect();
    start
}

/// Begins a run whose input sets, if any, come before the inputs given with it.
fn go(world: &World, store: &Store, mut run: Start, given: Option<Value>) -> Answer {
    run.given = inputs_of_sets(store, &run.scope, &run.pipeline.id, &run.input_sets)?;
    run.given.extend(given);
    let record = start(world, store, run.clone(), &windows(store, &run.scope, run.at_ms)?)?;
    Ok(begun(world, &record))
}

fn run(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        let pipeline = pipelines::wanted(&store, &scope, params.get("id"))?;
        let given = body_value(request)?;
        go(world, &store, new_start(world, request, &scope, pipeline), Some(given))
    })
}

fn run_with_sets(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        let pipeline = pipelines::wanted(&store, &scope, params.get("id"))?;
        let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
        let mut run = new_start(world, request, &scope, pipeline);
        run.input_sets = texts(&body, "inputSetReferences");
        run.stages = texts(&body, "stageIdentifiers");
        let last = body.get("lastYamlToMerge").and_then(Value::as_str);
        let last = last.and_then(|text| yaml::parse(text).ok());
        go(world, &store, run, last)
    })
}

fn run_stages(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        let pipeline = pipelines::wanted(&store, &scope, params.get("id"))?;
        let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
        let mut run = new_start(world, request, &scope, pipeline);
        run.stages = texts(&body, "stageIdentifiers");
        if run.stages.is_empty() {
            return Err(Reply::invalid("`stageIdentifiers` is empty; name the stages to run"));
        }
        let given = parsed(text(&body, "runtimeInputYaml"))?;
        go(world, &store, run, given)
    })
}

fn parsed(text: &str) -> Result<Option<Value>, Reply> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value = yaml::parse(text).map_err(|error| {
        Reply::ng_error(400, "INVALID_YAML_ERROR", &format!("the inputs are not YAML: {error}"))
    })?;
    Ok(Some(value))
}

fn run_v1(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = params.scope();
        let pipeline = pipelines::wanted(&store, &scope, params.get("pipeline"))?;
        let body = body_value(request)?;
        let given = parsed(text(&body, "inputs_yaml"))?.map(|given| as_v0(&given));
        let mut run = new_start(world, request, &scope, pipeline);
        run.input_sets = texts(&body, "input_set_refs");
        run.notes = text(&body, "notes").to_owned();
        go(world, &store, run, given).map(|reply| details(&reply))
    })
}

/// Inputs of the newer YAML, `inputs: {tag: v1}`, as variables of the older one.
fn as_v0(given: &Value) -> Value {
    if given.get("pipeline").is_some() {
        return given.clone();
    }
    let named = given.get("inputs").unwrap_or(given).as_object();
    let variables: Vec<Value> = named
        .into_iter()
        .flatten()
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    json!({"pipeline": {"variables": variables}})
}

fn details(begun: &Reply) -> Reply {
    let body = begun.json().unwrap_or_default();
    let execution = body.pointer("/data/planExecution/uuid").cloned().unwrap_or_default();
    Reply::bare(&json!({
        "execution_details": {"execution_id": execution, "status": Status::Running.engine()},
    }))
}

fn run_dynamic(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = params.scope();
        let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
        let text = text(&body, "yaml");
        if text.trim().is_empty() {
            return Err(Reply::invalid("`yaml` is missing; send the whole pipeline YAML"));
        }
        let mut pipeline = pipelines::from_yaml(params.get("pipeline"), text)?;
        if pipeline.id.is_empty() {
            let named = pipeline.document.pointer("/pipeline/identifier").and_then(Value::as_str);
            pipeline.id = named.unwrap_or_default().to_owned();
        }
        // The stored pipeline decides who may run it, so it must be there.
        pipelines::wanted(&store, &scope, &pipeline.id)?;
        let mut run = new_start(world, request, &scope, pipeline);
        run.is_dynamic = true;
        go(world, &store, run, None).map(|reply| details(&reply))
    })
}

fn rerun(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        let live = record::wanted(world, &store, &scope, params.get("execution"))?;
        let pipeline = pipelines::wanted(&store, &scope, params.get("id"))?;
        belongs(&live, &pipeline.id)?;
        let mut run = new_start(world, request, &scope, pipeline);
        run.rerun_of = Some(live.record.id.clone());
        let fresh = (!request.is_bodiless()).then(|| body_value(request)).transpose()?;
        go(world, &store, run, fresh.or(live.program.inputs.clone()))
    })
}

fn belongs(live: &Live, pipeline: &str) -> Result<(), Reply> {
    if live.record.pipeline == pipeline {
        return Ok(());
    }
    Err(Reply::invalid(&format!(
        "execution `{}` belongs to pipeline `{}`, not `{pipeline}`",
        live.record.id, live.record.pipeline
    )))
}

fn retry(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        let live = record::wanted(world, &store, &scope, params.get("execution"))?;
        try_again(world, &store, request, &live)
    })
}

fn retry_pipeline(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        let live = record::wanted(world, &store, &scope, needed(request, "planExecutionId")?)?;
        belongs(&live, params.get("id"))?;
        try_again(world, &store, request, &live)
    })
}

fn try_again(world: &World, store: &Store, request: &Request, live: &Live) -> Answer {
    let status = live.status();
    let old = &live.record;
    if !status.is_retryable() || !status.is_final() || old.parent.is_some() {
        return Err(Reply::invalid(&format!(
            "execution `{}` has status {}; only failed, expired, rejected or aborted executions can be retried",
            old.id,
            status.shown()
        )));
    }
    let scope = old.scope();
    let pipeline = match old.is_dynamic {
        true => Pipeline {
            id: old.pipeline.clone(),
            name: old.name.clone(),
            tags: old.tags.clone(),
            document: live.program.document.clone(),
        },
        false => pipelines::wanted(store, &scope, &old.pipeline)?,
    };
    let asked: Vec<String> =
        request.query.all("retryStages").into_iter().map(str::to_owned).collect();
    let mut run = Start::of(&scope, pipeline, world.now_ms());
    run.stages = match request.query.flag("runAllStages") {
        true => Vec::new(),
        false => stages_from(live, &asked),
    };
    run.is_dynamic = old.is_dynamic;
    let first = old.first_try.clone().unwrap_or_else(|| old.id.clone());
    run.retry = Some((old.id.clone(), first, old.failed_before + 1));
    let fresh = (!request.is_bodiless()).then(|| body_value(request)).transpose()?;
    let fresh = fresh.filter(|given| given.get("pipeline").is_some());
    go(world, store, run, fresh.or(live.program.inputs.clone()))
}

/// The stages from the first one to retry to the last: those asked for, else those that failed.
fn stages_from(live: &Live, asked: &[String]) -> Vec<String> {
    let stages = stages_of(&live.program.plan, live.top);
    let is_first = |at: &usize| {
        let id = live.program.plan.node(*at).map(|node| &node.identifier);
        match asked.is_empty() {
            true => live.states.status(*at).stops(),
            false => id.is_some_and(|id| asked.contains(id)),
        }
    };
    let first = stages.iter().position(is_first).unwrap_or_default();
    if first == 0 {
        return Vec::new();
    }
    let pipeline = live.program.document.get("pipeline").cloned().unwrap_or_default();
    let known = stage_ids(&pipeline);
    let ids = stages.iter().skip(first).filter_map(|at| live.program.plan.node(*at));
    ids.map(|node| node.identifier.clone()).filter(|id| known.contains(id)).collect()
}

fn retry_history(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        let live = record::wanted(world, &store, &scope, params.get("execution"))?;
        let first = live.record.first_try.clone().unwrap_or_else(|| live.record.id.clone());
        let all = record::all(&store, &scope, Some(&live.record.pipeline))?;
        let same =
            |record: &Record| record.id == first || record.first_try.as_ref() == Some(&first);
        let mut infos = Vec::new();
        for tried in all.into_iter().filter(same) {
            let Some(tried) = record::live(&store, tried, world.now_ms())? else { continue };
            infos.push(json!({
                "uuid": tried.record.id, "startTs": tried.start_ms(), "endTs": tried.end_ms(),
                "status": tried.status().shown(),
            }));
        }
        let latest = infos.first().and_then(|info| info.get("uuid")).cloned();
        Ok(Reply::ng(json!({
            "errorMessage": null, "latestExecutionId": latest, "executionInfos": infos,
        })))
    })
}

fn preflight(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        pipelines::wanted(&store, &scope, needed(request, "pipelineIdentifier")?)?;
        Ok(Reply::ng(json!(ids::short())))
    })
}

fn preflight_result(_: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        needed(request, "preflightCheckId")?;
        let passed = json!({"status": "SUCCESS", "label": null});
        Ok(Reply::ng(json!({
            "pipelineInputWrapperResponse": passed, "connectorWrapperResponse": passed,
            "status": "SUCCESS", "errorInfo": null,
        })))
    })
}
