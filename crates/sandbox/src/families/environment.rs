//! Environments.

use serde_json::{Value, json};

use super::{agreeing_yaml, governance_pass, placed, refuse, text};
use crate::crud;
use crate::family::{Draft, Family, wrapped};
use crate::paging::PageStyle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::rules::IdRule;
use crate::store::{Document, Filter, Store};
use crate::world::World;
use crate::yaml;

/// What an environment is for.
const TYPES: [&str; 2] = ["PreProduction", "Production"];
/// Colour of an environment that chose none.
const COLOUR: &str = "#0063F7";

pub(super) struct Environment;

impl Family for Environment {
    const KIND: &'static str = "environment";
    const NOUN: &'static str = "Environment";
    const RESOURCE_TYPE: &'static str = "ENVIRONMENT";
    const MODULE: &'static str = "CD";
    const WRAPPER: &'static str = "environment";
    const ID_RULE: IdRule = IdRule::Yaml;
    const REQUIRED: &'static [&'static str] = &["identifier", "name", "type"];
    const PAGE_STYLE: PageStyle = PageStyle::short(100);
    const PARENT_SCOPES_FLAG: &'static str = "includeAllAccessibleAtScope";
    const IS_VERSIONED: bool = true;
    const GONE_ON_UPDATE: (u16, &'static str) = (400, "INVALID_REQUEST");

    fn check(_: &World, _: &Store, draft: &mut Draft) -> Result<(), Reply> {
        if !TYPES.contains(&draft.text("type")) {
            return Err(refuse("type", &format!("must be one of {}", TYPES.join(", "))));
        }
        if draft.text("color").is_empty() {
            draft.body.insert("color".to_owned(), json!(COLOUR));
        }
        let said = agreeing_yaml(&draft.body, "environment", &["identifier", "name", "type"])?;
        if said.is_none() {
            let written = json!({"environment": {
                "name": draft.text("name"), "identifier": draft.key.id,
                "type": draft.text("type"), "tags": draft.body.get("tags"),
            }});
            draft.body.insert("yaml".to_owned(), json!(yaml::write(&written)));
        }
        Ok(())
    }

    fn removed(_: &World, store: &Store, document: &Document) -> Result<(), Reply> {
        let scope = document.key.scope();
        let inside = Filter::kind("infrastructure").scope(&scope).parent(&document.key.id);
        store.remove_all(&inside)?;
        Ok(())
    }

    fn view(world: &World, _: &Store, document: &Document) -> Value {
        let mut view = wrapped::<Self>(document);
        let mut entity = placed(world, document);
        entity.insert("deleted".to_owned(), json!(false));
        entity.insert("version".to_owned(), json!(document.version));
        entity.entry("storeType").or_insert_with(|| json!("INLINE"));
        if let Some(fields) = view.as_object_mut() {
            fields.insert("environment".to_owned(), Value::Object(entity));
            let valid = json!({"valid": true, "invalidYaml": null});
            fields.insert("entityValidityDetails".to_owned(), valid);
            fields.insert("governanceMetadata".to_owned(), governance_pass());
        }
        view
    }

    fn lists(document: &Document, request: &Request, _: &Value) -> bool {
        request.query.first("envType").is_none_or(|kind| kind == text(document, "type"))
    }
}

fn move_config(world: &World, request: &Request, params: &Params) -> Reply {
    super::move_config::<Environment>(world, request, params, "identifier")
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/environmentsV2";
    const ONE: &str = "/ng/api/environmentsV2/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<Environment>),
        Route::new("POST", PATH, crud::create::<Environment>),
        Route::new("PUT", PATH, crud::update::<Environment>),
        Route::new("PUT", "/ng/api/environmentsV2/upsert", crud::upsert::<Environment>),
        Route::new("POST", "/ng/api/environmentsV2/move-config/{id}", move_config),
        Route::new("GET", ONE, crud::get::<Environment>),
        Route::new("DELETE", ONE, crud::delete::<Environment>),
    ]
}
