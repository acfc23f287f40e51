//! The audit trail: listed, and the YAML before and after each write.

use serde_json::{Value, json};

use super::refuse;
use crate::audit::KIND;
use crate::crud::settle;
use crate::paging::PageStyle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Document, Filter};
use crate::world::World;

/// How far back a list without times goes.
const DEFAULT_WINDOW_MS: i64 = 7 * 86_400_000;

fn list(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let filter = request.filter();
        let page = PageStyle::ng(50).read(request)?;
        let time = |field: &str| filter.get(field).and_then(Value::as_i64);
        let from = time("startTime").unwrap_or_else(|| world.now_ms() - DEFAULT_WINDOW_MS);
        let to = time("endTime").unwrap_or(i64::MAX);
        let mut found = store.list(&Filter::kind(KIND))?;
        found.retain(|event| (from..=to).contains(&event.created_ms) && is_wanted(event, &filter));
        found.reverse();
        found.sort_by_key(|event| std::cmp::Reverse(event.created_ms));
        let total = found.len();
        let items = page.slice(found).iter().map(view).collect();
        Ok(Reply::ng_page(items, page, total))
    })
}

fn view(event: &Document) -> Value {
    let mut view = event.body.clone();
    if let Some(fields) = view.as_object_mut() {
        fields.shift_remove("yaml");
    }
    view
}

fn is_wanted(event: &Document, filter: &Value) -> bool {
    let at = |path: &str| event.body.pointer(path).cloned().unwrap_or_default();
    let any = |field: &str, fits: &dyn Fn(&Value) -> bool| {
        let wanted = filter.get(field).and_then(Value::as_array);
        wanted.is_none_or(|wanted| wanted.is_empty() || wanted.iter().any(fits))
    };
    let resource = |wanted: &Value| {
        let fits = |field: &str| {
            wanted
                .get(field)
                .is_none_or(|one| one.is_null() || *one == at(&format!("/resource/{field}")))
        };
        fits("type") && fits("identifier")
    };
    let principal = |wanted: &Value| {
        wanted.get("identifier").is_none_or(|one| {
            *one == at("/authenticationInfo/principal/identifier")
                || *one == at("/authenticationInfo/labels/userId")
        })
    };
    let scope = |wanted: &Value| {
        ["orgIdentifier", "projectIdentifier"].iter().all(|field| {
            let asked = wanted.get(*field).filter(|asked| !asked.is_null());
            asked.is_none_or(|asked| *asked == at(&format!("/resourceScope/{field}")))
        })
    };
    any("scopes", &scope)
        && any("resources", &resource)
        && any("principals", &principal)
        && any("modules", &|wanted| *wanted == at("/module"))
        && any("actions", &|wanted| *wanted == at("/action"))
}

fn diff(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let Some(id) = request.query.first("auditId") else {
            return Err(refuse("auditId", "must not be null"));
        };
        let store = world.store();
        let found = store.list(&Filter::kind(KIND))?.into_iter().find(|event| event.key.id == id);
        let Some(event) = found else {
            let message = format!("Audit event [{id}] not found");
            return Err(Reply::ng_error(404, "ENTITY_NOT_FOUND", &message));
        };
        let yaml = |path: &str| event.body.pointer(path).cloned().filter(|yaml| yaml != "");
        Ok(Reply::ng(json!({"oldYaml": yaml("/yaml/old"), "newYaml": yaml("/yaml/new")})))
    })
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new("POST", "/audit/api/audits/list", list),
        Route::new("GET", "/audit/api/auditYaml", diff),
    ]
}
