//! The v1 form of templates: the same documents in snake case.

use serde_json::{Value, json};

use super::template::{self, Template};
use super::{field_true, text};
use crate::crud::{self, settle};
use crate::family::{Fields, from_yaml};
use crate::paging::PageStyle;
use crate::places;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::Document;
use crate::world::World;

fn view(world: &World, document: &Document, with_yaml: bool) -> Value {
    let body = super::placed(world, document);
    let field = |name: &str| body.get(name).cloned().unwrap_or_default();
    let mut view = json!({
        "account": world.account, "org": field("orgIdentifier"),
        "project": field("projectIdentifier"), "identifier": document.key.parent,
        "name": field("name"), "description": field("description"), "tags": field("tags"),
        "version_label": document.key.id, "entity_type": field("type"),
        "child_type": field("childType"), "scope": document.key.scope().level(),
        "version": document.version, "stable_template": template::is_stable(document),
        "store_type": "INLINE", "updated": document.updated_ms,
    });
    if let Some(fields) = view.as_object_mut().filter(|_| with_yaml) {
        fields.insert("yaml".to_owned(), json!(text(document, "yaml")));
    }
    view
}

fn read(request: &Request) -> Result<(Fields, bool), Reply> {
    let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
    let Some(yaml) = body.get("template_yaml").and_then(Value::as_str) else {
        return Err(super::refuse("template_yaml", "must not be null"));
    };
    Ok((from_yaml(yaml, "template")?, field_true(&body, "is_stable")))
}

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let found = crud::search::<Template>(&store, request, &params.scope())?;
        let kinds = request.query.all("entity_types");
        let wants_stable = request.query.first("type") == Some("STABLE_TEMPLATE");
        let shown: Vec<Value> = found
            .iter()
            .filter(|one| kinds.is_empty() || kinds.contains(&text(one, "type")))
            .filter(|one| !wants_stable || template::is_stable(one))
            .map(|one| view(world, one, false))
            .collect();
        let page = PageStyle::v1().read(request)?;
        let total = shown.len();
        Ok(Reply::v1_list(page.slice(shown), page, total))
    })
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = params.scope();
        places::require(&store, &scope)?;
        let in_path = Some(params.get("version")).filter(|label| !label.is_empty());
        let label = in_path.or(request.query.first("version_label"));
        let found = template::version(&store, &scope, params.get("id"), label)?;
        Ok(Reply::bare(&json!({"template": view(world, &found, true)})))
    })
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let (fields, is_stable) = read(request)?;
        let added = template::add(world, &store, request, &params.scope(), fields, is_stable)?;
        Ok(Reply::json_with(201, &view(world, &added, true)))
    })
}

fn update(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let (fields, is_stable) = read(request)?;
        let scope = params.scope();
        let at = (&scope, params.get("id"), params.get("version"));
        let changed = template::change(world, &store, request, at, fields)?;
        if is_stable {
            template::make_stable(world, &store, &changed.key)?;
        }
        Ok(Reply::bare(&view(world, &changed, true)))
    })
}

fn delete(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = params.scope();
        places::require(&store, &scope)?;
        let at = (&scope, params.get("id"), params.get("version"));
        template::take_away(world, &store, request, at)?;
        Ok(Reply::no_content())
    })
}

pub(super) fn routes() -> Vec<Route> {
    let mut routes = Vec::new();
    for (path, one, version) in [
        ("/v1/templates", "/v1/templates/{id}", "/v1/templates/{id}/versions/{version}"),
        (
            "/v1/orgs/{org}/templates",
            "/v1/orgs/{org}/templates/{id}",
            "/v1/orgs/{org}/templates/{id}/versions/{version}",
        ),
        (
            "/v1/orgs/{org}/projects/{project}/templates",
            "/v1/orgs/{org}/projects/{project}/templates/{id}",
            "/v1/orgs/{org}/projects/{project}/templates/{id}/versions/{version}",
        ),
    ] {
        routes.extend([
            Route::new("GET", path, list),
            Route::new("POST", path, create),
            Route::new("GET", one, get),
            Route::new("GET", version, get),
            Route::new("PUT", version, update),
            Route::new("DELETE", version, delete),
        ]);
    }
    routes
}
