//! Projects.

use serde_json::{Value, json};

use super::organization;
use crate::crud::{self, settle};
use crate::family::{Draft, Family, Levels, page, wrapped};
use crate::places;
use crate::reply::{FieldError, Reply};
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Document, Key, Store};
use crate::world::World;

/// Modules a project may switch on.
const MODULES: [&str; 17] = [
    "CD",
    "CI",
    "CV",
    "CF",
    "CE",
    "STO",
    "CHAOS",
    "SRM",
    "IACM",
    "CET",
    "IDP",
    "CODE",
    "CORE",
    "PMS",
    "TEMPLATESERVICE",
    "SSCA",
    "DBOPS",
];
/// Colour of a project that chose none.
const COLOUR: &str = "#0063F7";
/// Organization of a request that names none.
const ORGANIZATION: &str = "default";

struct Project;

impl Family for Project {
    const KIND: &'static str = places::PROJECT;
    const NOUN: &'static str = "Project";
    const RESOURCE_TYPE: &'static str = "PROJECT";
    const WRAPPER: &'static str = "project";
    const LEVELS: Levels = Levels::Account;
    const IS_VERSIONED: bool = true;

    /// A project is kept in its organization, which is `default` when none is named.
    fn scope(request: &Request, _: &Params) -> Scope {
        let in_body = request.json().ok().and_then(|body| {
            let project = body.get("project").unwrap_or(&body);
            project.get("orgIdentifier").and_then(Value::as_str).map(str::to_owned)
        });
        let asked = request.query.first("orgIdentifier").map(str::to_owned);
        Scope::organization(&asked.or(in_body).unwrap_or_else(|| ORGANIZATION.to_owned()))
    }

    fn absence(_: &str, key: &Key) -> String {
        format!("Project with orgIdentifier [{}] and identifier [{}] not found", key.org, key.id)
    }

    fn check(_: &World, _: &Store, draft: &mut Draft) -> Result<(), Reply> {
        draft.body.insert("orgIdentifier".to_owned(), json!(draft.key.org));
        if draft.text("color").is_empty() {
            draft.body.insert("color".to_owned(), json!(COLOUR));
        }
        let modules = draft.body.get("modules").and_then(Value::as_array);
        let unknown = modules
            .into_iter()
            .flatten()
            .find(|module| !module.as_str().is_some_and(|module| MODULES.contains(&module)));
        if let Some(unknown) = unknown {
            let error = format!("{unknown} is not one of {}", MODULES.join(", "));
            return Err(Reply::field_failure(&[FieldError::new("modules", &error)]));
        }
        if modules.is_none() {
            draft.body.insert("modules".to_owned(), json!([]));
        }
        Ok(())
    }

    fn removed(_: &World, store: &Store, document: &Document) -> Result<(), Reply> {
        store.remove_scope(&Scope::project(&document.key.org, &document.key.id))?;
        Ok(())
    }

    fn view(_: &World, _: &Store, document: &Document) -> Value {
        let mut view = wrapped::<Self>(document);
        if let Some(fields) = view.as_object_mut() {
            fields.insert("isFavorite".to_owned(), json!(false));
        }
        view
    }

    fn lists(document: &Document, request: &Request, _: &Value) -> bool {
        let wanted = request.query.all("identifiers");
        let module = request.query.first("moduleType").unwrap_or_default();
        let has_module = || {
            let modules = document.body.get("modules").and_then(Value::as_array);
            modules.is_some_and(|modules| modules.iter().any(|m| m == module))
        };
        let lacks = request.query.first("hasModule") == Some("false");
        (wanted.is_empty() || wanted.contains(&document.key.id.as_str()))
            && (module.is_empty() || has_module() != lacks)
            // Nobody has a favourite in a fresh sandbox.
            && !request.query.flag("onlyFavorites")
    }
}

/// Without an organization the projects of all of them are listed.
fn list(world: &World, request: &Request, params: &Params) -> Reply {
    if request.query.first("orgIdentifier").is_some() {
        return crud::list::<Project>(world, request, params);
    }
    settle(|| {
        let store = world.store();
        let mut found = Vec::new();
        for organization in organization::all(&store)? {
            let scope = Scope::organization(&organization.key.id);
            found.extend(crud::search::<Project>(&store, request, &scope)?);
        }
        crud::sort(&mut found, request);
        page::<Project, _>(request, found, |document| Project::view(world, &store, &document))
    })
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/projects";
    const ONE: &str = "/ng/api/projects/{id}";
    vec![
        Route::new("GET", PATH, list),
        Route::new("POST", PATH, crud::create::<Project>),
        Route::new("GET", ONE, crud::get::<Project>),
        Route::new("PUT", ONE, crud::update::<Project>),
        Route::new("DELETE", ONE, crud::delete::<Project>),
    ]
}
