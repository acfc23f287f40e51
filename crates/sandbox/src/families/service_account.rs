//! Service accounts.

use serde_json::{Value, json};

use super::{access, refuse};
use crate::crud::{self, settle};
use crate::family::{Draft, Family, Pages, page};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Document, Store};
use crate::world::World;

struct ServiceAccount;

impl Family for ServiceAccount {
    const KIND: &'static str = "service_account";
    const NOUN: &'static str = "Service Account";
    const RESOURCE_TYPE: &'static str = "SERVICE_ACCOUNT";
    const REQUIRED: &'static [&'static str] = &["identifier", "name", "email"];
    const PAGES: Pages = Pages::Whole;

    fn check(world: &World, _: &Store, draft: &mut Draft) -> Result<(), Reply> {
        if !draft.text("email").contains('@') {
            return Err(refuse("email", "must be a well-formed email address"));
        }
        let scope = world.scope_json(&draft.key.scope());
        for (field, value) in scope.as_object().into_iter().flatten() {
            draft.body.insert(field.clone(), value.clone());
        }
        Ok(())
    }

    fn lists(document: &Document, request: &Request, _: &Value) -> bool {
        let wanted = request.query.all("identifiers");
        wanted.is_empty() || wanted.contains(&document.key.id.as_str())
    }
}

/// The paged form of the list.
struct Aggregate;

impl Family for Aggregate {
    const KIND: &'static str = ServiceAccount::KIND;
    const NOUN: &'static str = ServiceAccount::NOUN;
    const RESOURCE_TYPE: &'static str = ServiceAccount::RESOURCE_TYPE;
}

fn aggregate(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = Aggregate::scope(request, params);
        let mut items = Vec::new();
        for account in crud::search::<Aggregate>(&store, request, &scope)? {
            let principal = ("SERVICE_ACCOUNT", account.key.id.as_str());
            items.push(json!({
                "serviceAccount": account.body, "createdAt": account.created_ms,
                "lastModifiedAt": account.updated_ms, "tokensCount": 0,
                "roleAssignmentsMetadataDTO": access::assignments_of(&store, &scope, principal)?,
            }));
        }
        page::<Aggregate, _>(request, items, |item| item)
    })
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/serviceaccount";
    const ONE: &str = "/ng/api/serviceaccount/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<ServiceAccount>),
        Route::new("GET", "/ng/api/serviceaccount/aggregate", aggregate),
        Route::new("POST", PATH, crud::create::<ServiceAccount>),
        Route::new("GET", ONE, crud::get::<ServiceAccount>),
        Route::new("PUT", ONE, crud::update::<ServiceAccount>),
        Route::new("DELETE", ONE, crud::delete::<ServiceAccount>),
    ]
}
