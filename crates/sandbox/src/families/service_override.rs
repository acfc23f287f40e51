//! Service overrides: what an environment changes about services or infrastructures.

use serde_json::{Value, json};

use super::{placed, refuse, require, text};
use crate::crud;
use crate::family::{Draft, Family, Fields, read_json};
use crate::paging::PageStyle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::Route;
use crate::rules::IdRule;
use crate::store::{Document, Store};
use crate::world::World;

/// Type of override, and which references it needs beside the environment.
const TYPES: [(&str, &[&str]); 4] = [
    ("ENV_GLOBAL_OVERRIDE", &[]),
    ("ENV_SERVICE_OVERRIDE", &["serviceRef"]),
    ("INFRA_GLOBAL_OVERRIDE", &["infraIdentifier"]),
    ("INFRA_SERVICE_OVERRIDE", &["infraIdentifier", "serviceRef"]),
];

struct ServiceOverride;

impl Family for ServiceOverride {
    const KIND: &'static str = "service_override";
    const NOUN: &'static str = "Service Override";
    const RESOURCE_TYPE: &'static str = "SERVICE_OVERRIDE";
    const MODULE: &'static str = "CD";
    const ID_RULE: IdRule = IdRule::Free;
    const REQUIRED: &'static [&'static str] = &["environmentRef", "type"];
    const PAGE_STYLE: PageStyle = PageStyle::short(100);

    /// The platform names an override after what it joins.
    fn read(request: &Request) -> Result<Fields, Reply> {
        let mut fields = read_json::<Self>(request)?;
        let parts = ["environmentRef", "serviceRef", "infraIdentifier"];
        let said = parts.iter().filter_map(|part| fields.get(*part).and_then(Value::as_str));
        let id = said.collect::<Vec<_>>().join("_").replace('.', "_");
        fields.insert("identifier".to_owned(), json!(id));
        Ok(fields)
    }

    fn check(_: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        let kind = draft.text("type");
        let Some((_, needed)) = TYPES.iter().find(|(name, _)| *name == kind) else {
            let known: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
            return Err(refuse("type", &format!("must be one of {}", known.join(", "))));
        };
        for field in *needed {
            if draft.text(field).is_empty() {
                return Err(refuse(field, &format!("must not be null for type {kind}")));
            }
        }
        let scope = draft.key.scope();
        require(store, "environment", &scope, draft.text("environmentRef"))?;
        if !draft.text("serviceRef").is_empty() {
            require(store, "service", &scope, draft.text("serviceRef"))?;
        }
        for field in ["description", "tags"] {
            draft.body.shift_remove(field);
        }
        Ok(())
    }

    fn view(world: &World, _: &Store, document: &Document) -> Value {
        let mut view = placed(world, document);
        view.insert("createdAt".to_owned(), json!(document.created_ms));
        view.insert("lastModifiedAt".to_owned(), json!(document.updated_ms));
        Value::Object(view)
    }

    fn lists(document: &Document, request: &Request, _: &Value) -> bool {
        [
            ("environmentIdentifier", "environmentRef"),
            ("serviceIdentifier", "serviceRef"),
            ("type", "type"),
        ]
        .iter()
        .all(|(asked, field)| {
            request.query.first(asked).is_none_or(|asked| asked == text(document, field))
        })
    }
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/serviceOverrides";
    const ONE: &str = "/ng/api/serviceOverrides/{id}";
    const OLD_LIST: &str = "/ng/api/environmentsV2/serviceOverrides";
    vec![
        Route::new("GET", OLD_LIST, crud::list::<ServiceOverride>),
        Route::new("POST", "/ng/api/serviceOverrides/v2/list", crud::list::<ServiceOverride>),
        Route::new("GET", PATH, crud::list::<ServiceOverride>),
        Route::new("POST", PATH, crud::create::<ServiceOverride>),
        Route::new("PUT", PATH, crud::update::<ServiceOverride>),
        Route::new("POST", "/ng/api/serviceOverrides/upsert", crud::upsert::<ServiceOverride>),
        Route::new("GET", ONE, crud::get::<ServiceOverride>),
        Route::new("DELETE", ONE, crud::delete::<ServiceOverride>),
    ]
}
