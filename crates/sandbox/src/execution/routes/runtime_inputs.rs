//! What a pipeline asks for when it runs, and what input sets make of it.

use serde_json::{Map, Value, json};

use super::{inputs_of_sets, needed, project, settle, text, texts};
use crate::execution::inputs::merge::{combine, fill};
use crate::execution::inputs::placeholder::Placeholder;
use crate::execution::inputs::template::{inputs_of, template_of, with_stages};
use crate::execution::pipelines::{self, Pipeline};
use crate::pipeline_yaml;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Filter, Store};
use crate::world::World;
use crate::yaml;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new("POST", "/pipeline/api/inputSets/template", template),
        Route::new("POST", "/pipeline/api/inputSets/merge", merge),
        Route::new(
            "POST",
            "/v1/orgs/{org}/projects/{project}/pipelines/{pipeline}/inputs",
            template_v1,
        ),
    ]
}

fn has_sets(store: &Store, scope: &Scope, pipeline: &str) -> Result<bool, Reply> {
    let filter = Filter::kind(super::input_sets::KIND).scope(scope).parent(pipeline);
    Ok(store.count(&filter)? > 0)
}

fn modules(pipeline: &Pipeline) -> Value {
    let inner = pipeline.document.get("pipeline").cloned().unwrap_or_default();
    json!(pipeline_yaml::modules(&inner))
}

/// The template limited to the stages a body names.
fn asked_template(pipeline: &Pipeline, stages: &[String]) -> Option<Value> {
    let stages: Vec<&str> = stages.iter().map(String::as_str).collect();
    template_of(&with_stages(&pipeline.document, &stages))
}

fn template(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        let id = needed(request, "pipelineIdentifier")?;
        let pipeline = pipelines::wanted(&store, &scope, id)?;
        let template = asked_template(&pipeline, &texts(&request.filter(), "stageIdentifiers"));
        let metadata: Vec<Value> = template
            .iter()
            .flat_map(inputs_of)
            .map(|(path, value)| json!({"fqn": path, "input": value, "description": null}))
            .collect();
        Ok(Reply::ng(json!({
            "inputSetTemplateYaml": template.as_ref().map(yaml::write),
            "replacedExpressions": [], "modules": modules(&pipeline),
            "hasInputSets": has_sets(&store, &scope, id)?, "inputsMetadata": metadata,
        })))
    })
}

fn template_v1(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = params.scope();
        let pipeline = pipelines::wanted(&store, &scope, params.get("pipeline"))?;
        let template = asked_template(&pipeline, &texts(&request.filter(), "stage_ids"));
        let inputs: Map<String, Value> = template
            .iter()
            .flat_map(inputs_of)
            .map(|(path, value)| {
                let asked = Placeholder::read(&value).unwrap_or_default();
                let name = path.rsplit('.').next().unwrap_or(&path).to_owned();
                let shown = json!({
                    "type": "string", "required": asked.default.is_none(),
                    "default": asked.default, "allowed_values": asked.allowed, "path": path,
                });
                (name, shown)
            })
            .collect();
        Ok(Reply::bare(&json!({
            "inputs": inputs, "template_yaml": template.as_ref().map(yaml::write),
            "has_input_sets": has_sets(&store, &scope, &pipeline.id)?,
            "replaced_expressions": [], "replaced_expressions_per_stage": {},
            "modules": modules(&pipeline),
        })))
    })
}

fn merge(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = project(request)?;
        let id = needed(request, "pipelineIdentifier")?;
        let pipeline = pipelines::wanted(&store, &scope, id)?;
        let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
        let sets = texts(&body, "inputSetReferences");
        let mut given = inputs_of_sets(&store, &scope, id, &sets)?;
        let last = yaml::parse(text(&body, "lastYamlToMerge")).ok();
        given.extend(last);
        let all = given.iter().fold(json!({}), |sum, one| combine(&sum, one));
        let stages = texts(&body, "stageIdentifiers");
        let mut template = asked_template(&pipeline, &stages);
        if let Some(template) = template.as_mut() {
            fill(template, &all);
        }
        let complete = body.get("withMergedPipelineYaml").and_then(Value::as_bool).unwrap_or(false);
        let mut whole = pipeline.document.clone();
        fill(&mut whole, &all);
        Ok(Reply::ng(json!({
            "isErrorResponse": false, "pipelineYaml": template.as_ref().map(yaml::write),
            "completePipelineYaml": complete.then(|| yaml::write(&whole)),
            "inputSetErrorWrapper": null,
        })))
    })
}
