//! Makes the inputs of a run complete before it starts, or says what is missing.

use checkrein_catalog::model::{Method, Retry, Risk};
use checkrein_catalog::request::{WireBody, WireRequest};
use checkrein_catalog::yaml;
use serde_json::{Map, Value, json};

use super::resolve::{Resolution, Unresolved, resolve};
use super::template_cache::Key;
use super::{input_sets, put, remote, shorthand};
use crate::failure::Failure;
use crate::hooks::HookCall;
use crate::nearest::{did_you_mean, listed};

/// How many input sets are suggested.
const SUGGESTED: usize = 5;

/// Completes `call.inputs` for the request and returns what the result says about it.
pub(crate) async fn prepare(call: &mut HookCall<'_>) -> Result<Option<Value>, Failure> {
    let Some(pipeline) = call.text("pipeline_id").map(str::to_owned) else { return Ok(None) };
    let inputs = call.inputs.get("inputs").cloned().filter(|inputs| !inputs.is_null());
    let document = match &inputs {
        Some(Value::String(text)) => yaml::from_text(text).ok().filter(Value::is_object),
        _ => None,
    };
    remote::complete(&mut call.inputs, document.as_ref());
    let base = input_sets(call, &pipeline).await?;

    match (inputs, document) {
        // Without sets the caller's own document goes as it is.
        (Some(Value::Object(object)), _) if !object.contains_key("pipeline") => {
            flat(call, &pipeline, &object, base).await.map(Some)
        }
        (Some(Value::String(_)), Some(Value::Object(object)))
            if !object.contains_key("pipeline") =>
        {
            flat(call, &pipeline, &object, base).await.map(Some)
        }
        (inputs, document) => {
            let own = document.or(inputs.filter(Value::is_object));
            match (base, own) {
                (Some(mut whole), own) => {
                    if let Some(over) = own {
                        super::merge::merge(&mut whole, over);
                    }
                    set_inputs(call, &whole);
                }
                // Text is sent as it is, while an object is the catalogue's to put a scope into.
                (None, Some(own)) if call.text("inputs").is_none() => {
                    call.inputs.insert("inputs".to_owned(), own.to_string().into());
                }
                (None, _) => {}
            }
            Ok(None)
        }
    }
}

/// Flat inputs: fitted into what the pipeline asks for.
async fn flat(
    call: &mut HookCall<'_>,
    pipeline: &str,
    given: &Map<String, Value>,
    base: Option<Value>,
) -> Result<Value, Failure> {
    let expanded = shorthand::expand(&call.operation.shorthands, given)
        .map_err(|error| Failure::said(format!("`inputs`: {error}")))?;
    let Some(template) = template(call, pipeline).await? else {
        call.inputs.insert("inputs".to_owned(), "".into());
        let mut note = json!({ "mode": "nothing_asked" });
        add_unused(&mut note, given.keys().cloned().collect());
        return Ok(note);
    };
    match resolve(&template, &expanded, base.as_ref()) {
        Ok(resolution) => {
            set_inputs(call, &resolution.inputs);
            Ok(note(resolution, base.is_some()))
        }
        Err(Unresolved::NotAllowed { name, value, allowed }) => {
            let allowed = || allowed.iter().map(String::as_str);
            Err(Failure::said(format!(
                "`{pipeline}` was not started: `{name}` takes {}, and not `{value}`{}",
                listed(allowed()),
                did_you_mean(&value, allowed())
            )))
        }
        Err(Unresolved::Missing(names)) => Err(missing(call, pipeline, names).await),
    }
}

fn note(resolution: Resolution, over_sets: bool) -> Value {
    let mode = if over_sets { "input_set_with_overrides" } else { "auto_resolved" };
    let mut note = json!({ "mode": mode, "matched": resolution.matched });
    if !resolution.defaulted.is_empty() {
        put(&mut note, "defaulted", resolution.defaulted);
    }
    add_unused(&mut note, resolution.unused);
    note
}

fn add_unused(note: &mut Value, unused: Vec<String>) {
    if !unused.is_empty() {
        put(note, "_unused", unused);
    }
}

fn set_inputs(call: &mut HookCall<'_>, inputs: &Value) {
    call.inputs.insert("inputs".to_owned(), yaml::to_text(inputs).into());
}

/// The input sets the caller names, as one document; they are then part of the inputs.
async fn input_sets(call: &mut HookCall<'_>, pipeline: &str) -> Result<Option<Value>, Failure> {
    // A text, unlike a list, is for the platform to read.
    let Some(Value::Array(ids)) = call.inputs.get("input_set_ids") else { return Ok(None) };
    let ids: Vec<_> = ids.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if ids.is_empty() {
        return Ok(None);
    }
    if ids.len() > input_sets::MAX_SETS {
        return Err(Failure::said(format!(
            "`input_set_ids` names {} input sets; a run takes at most {}",
            ids.len(),
            input_sets::MAX_SETS
        )));
    }
    let mut fragments = Vec::new();
    for id in &ids {
        let mut inputs = Map::new();
        inputs.insert("pipeline_id".to_owned(), pipeline.into());
        inputs.insert("input_set_id".to_owned(), id.as_str().into());
        for name in ["repo_name", "connector_ref", "store_type"] {
            if let Some(value) = call.inputs.get(name) {
                inputs.insert(name.to_owned(), value.clone());
            }
        }
        if let Some(branch) = remote::branch(&call.inputs) {
            inputs.insert("branch".to_owned(), branch.into());
        }
        let set = call.ask.operation("input_set", "get", &inputs).await?;
        let fragment = input_sets::fragment(&set).map_err(|why| {
            Failure::said(format!(
                "input set `{id}` of pipeline `{pipeline}` cannot be used: {why}"
            ))
        })?;
        fragments.push(fragment);
    }
    call.inputs.shift_remove("input_set_ids");
    Ok(Some(input_sets::merged(fragments)))
}

/// What the pipeline asks for; `None` when it asks for nothing.
async fn template(call: &HookCall<'_>, pipeline: &str) -> Result<Option<Value>, Failure> {
    let place = |name: &str, usual: &Option<String>| {
        call.text(name).map(str::to_owned).or_else(|| usual.clone())
    };
    let key = Key {
        pipeline: pipeline.to_owned(),
        org: place("org_id", &call.defaults.org),
        project: place("project_id", &call.defaults.project),
        branch: remote::branch(&call.inputs).map(str::to_owned),
    };
    if let Some(template) = call.templates.get(&key) {
        return Ok(template);
    }
    let reply = call.ask.send(&template_request(&call.defaults.account, &key)).await?.json()?;
    let reply = reply.get("data").unwrap_or(&reply);
    let text = reply.get("inputSetTemplateYaml").and_then(Value::as_str).unwrap_or_default();
    let template = yaml::from_text(text).map_err(|why| {
        Failure::said(format!(
            "the platform's template of inputs for `{pipeline}` is not YAML: {why}"
        ))
    })?;
    let template = Some(template).filter(Value::is_object);
    call.templates.put(key, template.clone());
    Ok(template)
}

fn template_request(account: &str, key: &Key) -> WireRequest {
    let given = [
        ("accountIdentifier", Some(account)),
        ("routingId", Some(account)),
        ("orgIdentifier", key.org.as_deref()),
        ("projectIdentifier", key.project.as_deref()),
        ("pipelineIdentifier", Some(key.pipeline.as_str())),
        ("branch", key.branch.as_deref()),
    ];
    WireRequest {
        method: Method::Post,
        path: "/pipeline/api/inputSets/template".to_owned(),
        query: given
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect(),
        headers: Vec::new(),
        body: WireBody::Json(b"{}".to_vec()),
        retry: Retry::Safe,
        risk: Risk::Read,
        binary: false,
    }
}

/// The error that names what is missing and the input sets that may have it.
async fn missing(call: &HookCall<'_>, pipeline: &str, names: Vec<String>) -> Failure {
    let mut inputs = Map::new();
    inputs.insert("pipeline_id".to_owned(), pipeline.into());
    inputs.insert("size".to_owned(), SUGGESTED.into());
    // Suggestions are a help and not the point: without them the error is still true.
    let sets = call.ask.operation("input_set", "list", &inputs).await.unwrap_or_default();
    let sets: Vec<_> = sets
        .get("items")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|set| set.get("identifier")?.as_str().map(str::to_owned))
        .take(SUGGESTED)
        .collect();
    let from_sets = match sets.is_empty() {
        true => String::new(),
        false => format!(
            ", or take them from one of its input sets with `input_set_ids`: {}",
            listed(sets.iter().map(String::as_str))
        ),
    };
    Failure::said(format!(
        "`{pipeline}` was not started: it asks for {}; pass them in `inputs`{from_sets}. \
         harness_get with resource_type `runtime_input_template` and resource_id `{pipeline}` \
         shows all it asks for",
        listed(names.iter().map(String::as_str))
    ))
    .with("unresolved", names)
    .with("suggested_input_sets", sets)
}

#[cfg(test)]
mod tests;
