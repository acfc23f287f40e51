//! The v1 form of pipelines: the same documents in snake case.

use serde_json::{Value, json};

use super::pipeline::{Pipeline, parsed, shown_git};
use super::text;
use crate::crud::{self, settle};
use crate::family::{Draft, Family as _, from_yaml};
use crate::paging::PageStyle;
use crate::pipeline_yaml;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Document, Key, Store};
use crate::world::World;

fn view(document: &Document) -> Value {
    let body = &document.body;
    json!({
        "pipeline_yaml": text(document, "yaml"), "template_applied_pipeline_yaml": null,
        "identifier": document.key.id, "name": body.get("name"),
        "description": body.get("description"), "tags": body.get("tags"),
        "org": document.key.org, "project": document.key.project,
        "modules": pipeline_yaml::modules(&parsed(document)),
        "git_details": shown_git(document), "valid": true, "yaml_error_wrapper": null,
        "created": document.created_ms, "updated": document.updated_ms,
    })
}

fn item(world: &World, store: &Store, document: &Document) -> Value {
    let summary = Pipeline::item(world, store, document);
    let field = |name: &str| summary.get(name).cloned().unwrap_or_default();
    json!({
        "identifier": document.key.id, "name": field("name"),
        "description": field("description"), "tags": field("tags"),
        "org": document.key.org, "project": document.key.project,
        "created": document.created_ms, "updated": document.updated_ms,
        "modules": field("modules"), "stage_count": field("numOfStages"),
        "stage_names": field("stageNames"), "store_type": field("storeType"),
        "git_details": field("gitDetails"), "connector_ref": field("connectorRef"),
        "valid": true, "recent_execution_info": field("recentExecutionsInfo"),
    })
}

fn draft(world: &World, store: &Store, request: &Request, params: &Params) -> Result<Draft, Reply> {
    let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
    let field = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
    if field("pipeline_yaml").is_empty() {
        return Err(super::refuse("pipeline_yaml", "must not be null"));
    }
    let mut fields = from_yaml(field("pipeline_yaml"), "pipeline")?;
    for name in ["identifier", "name"] {
        let said = fields.get(name).and_then(Value::as_str).unwrap_or_default();
        if field(name).is_empty() {
            return Err(super::refuse(name, "must not be null"));
        }
        if said != field(name) {
            return Err(Reply::invalid(&format!(
                "{name} [{}] in the body does not match {name} [{said}] in the YAML",
                field(name)
            )));
        }
    }
    for name in ["description", "tags"] {
        if let Some(value) = body.get(name).filter(|value| !value.is_null()) {
            fields.insert(name.to_owned(), value.clone());
        }
    }
    fields.insert("storeType".to_owned(), json!("INLINE"));
    crud::draft::<Pipeline>(world, store, request, &params.scope(), fields)
}

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let found = crud::search::<Pipeline>(&store, request, &params.scope())?;
        let page = PageStyle::v1().read(request)?;
        let total = found.len();
        let shown = page.slice(found);
        let items = shown.iter().map(|one| item(world, &store, one)).collect();
        Ok(Reply::v1_list(items, page, total))
    })
}

fn key(store: &Store, params: &Params) -> Result<Key, Reply> {
    let scope = params.scope();
    crate::places::require(store, &scope)?;
    Ok(Key::new(Pipeline::KIND, &scope, params.get("id")))
}

fn get(world: &World, _: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let document = crud::find::<Pipeline>(&store, &key(&store, params)?)?;
        Ok(Reply::bare(&view(&document)).with_etag(document.version))
    })
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let draft = draft(world, &store, request, params)?;
        let document = crud::insert::<Pipeline>(world, &store, &draft)?;
        let answer = json!({"identifier": document.key.id, "governance_metadata": null});
        Ok(Reply::json_with(201, &answer).with_etag(document.version))
    })
}

fn update(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let draft = draft(world, &store, request, params)?;
        if draft.key.id != params.get("id") {
            return Err(Reply::invalid(&format!(
                "The identifier [{}] in the path does not match [{}] in the YAML",
                params.get("id"),
                draft.key.id
            )));
        }
        let document = crud::replace::<Pipeline>(world, &store, request, &draft)?;
        let answer = json!({"identifier": document.key.id, "governance_metadata": null});
        Ok(Reply::bare(&answer).with_etag(document.version))
    })
}

fn delete(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        crud::remove::<Pipeline>(world, &store, request, &key(&store, params)?)?;
        Ok(Reply::no_content())
    })
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/v1/orgs/{org}/projects/{project}/pipelines";
    const ONE: &str = "/v1/orgs/{org}/projects/{project}/pipelines/{id}";
    vec![
        Route::new("GET", PATH, list),
        Route::new("POST", PATH, create),
        Route::new("GET", ONE, get),
        Route::new("PUT", ONE, update),
        Route::new("DELETE", ONE, delete),
    ]
}
