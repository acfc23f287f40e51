//! Organizations.

use serde_json::{Value, json};

use super::field_true;
use crate::crud;
use crate::family::{Family, Levels, wrapped};
use crate::places;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store};
use crate::world::World;

struct Organization;

impl Family for Organization {
    const KIND: &'static str = places::ORGANIZATION;
    const NOUN: &'static str = "Organization";
    const RESOURCE_TYPE: &'static str = "ORGANIZATION";
    const WRAPPER: &'static str = "organization";
    const LEVELS: Levels = Levels::Account;
    const IS_VERSIONED: bool = true;
    const GONE: (u16, &'static str) = (404, "ENTITY_NOT_FOUND");

    fn absence(_: &str, key: &Key) -> String {
        format!("Organization with identifier [{}] not found", key.id)
    }

    fn scope(_: &Request, _: &Params) -> Scope {
        Scope::account()
    }

    fn guard(document: &Document, is_removal: bool) -> Result<(), Reply> {
        if is_removal && field_true(&document.body, "harnessManaged") {
            return Err(Reply::invalid(&format!(
                "Organization [{}] is managed by the platform and cannot be deleted",
                document.key.id
            )));
        }
        Ok(())
    }

    fn removed(_: &World, store: &Store, document: &Document) -> Result<(), Reply> {
        store.remove_scope(&Scope::organization(&document.key.id))?;
        Ok(())
    }

    fn view(_: &World, _: &Store, document: &Document) -> Value {
        let mut view = wrapped::<Self>(document);
        let managed = field_true(&document.body, "harnessManaged");
        if let Some(fields) = view.as_object_mut() {
            if let Some(entity) = fields.get_mut("organization").and_then(Value::as_object_mut) {
                entity.shift_remove("harnessManaged");
            }
            fields.insert("harnessManaged".to_owned(), json!(managed));
        }
        view
    }

    fn lists(document: &Document, request: &Request, _: &Value) -> bool {
        let wanted = request.query.all("identifiers");
        wanted.is_empty() || wanted.contains(&document.key.id.as_str())
    }
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/organizations";
    const ONE: &str = "/ng/api/organizations/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<Organization>),
        Route::new("POST", PATH, crud::create::<Organization>),
        Route::new("GET", ONE, crud::get::<Organization>),
        Route::new("PUT", ONE, crud::update::<Organization>),
        Route::new("DELETE", ONE, crud::delete::<Organization>),
    ]
}

/// Every organization there is, for lists that span all of them.
pub(super) fn all(store: &Store) -> Result<Vec<Document>, Reply> {
    Ok(store.list(&Filter::kind(places::ORGANIZATION))?)
}
