//! Deployment freezes: windows of a scope, and its one global freeze.

use serde_json::{Value, json};

use super::freeze::Window;
use super::{placed, refuse, text};
use crate::crud::{self, settle};
use crate::family::{Draft, Family, Fields, read_yaml};
use crate::paging::PageStyle;
use crate::places;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::rules::IdRule;
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store, StoreError};
use crate::world::World;
use crate::yaml;

const STATUSES: [&str; 2] = ["Enabled", "Disabled"];
/// Identifier of the global freeze of a scope.
const GLOBAL: &str = "_GLOBAL_";

struct FreezeWindow;

impl Family for FreezeWindow {
    const KIND: &'static str = "freeze_window";
    const NOUN: &'static str = "Freeze";
    const RESOURCE_TYPE: &'static str = "DEPLOYMENT_FREEZE";
    const MODULE: &'static str = "CD";
    const ID_RULE: IdRule = IdRule::Yaml;
    const REQUIRED: &'static [&'static str] = &["identifier", "name", "status"];
    const PAGE_STYLE: PageStyle = PageStyle::short(50);

    fn read(request: &Request) -> Result<Fields, Reply> {
        read_yaml(request, "freeze")
    }

    fn check(world: &World, _: &Store, draft: &mut Draft) -> Result<(), Reply> {
        if !STATUSES.contains(&draft.text("status")) {
            return Err(refuse(
                "freeze.status",
                &format!("must be one of {}", STATUSES.join(", ")),
            ));
        }
        let windows = draft.body.get("windows").and_then(Value::as_array);
        let is_global = draft.key.id == GLOBAL;
        let count = windows.map(Vec::len).unwrap_or_default();
        // A global freeze that is switched off needs no window.
        if count == 0 && is_global && draft.text("status") == "Disabled" {
            return Ok(());
        }
        let Some([window]) = windows.map(Vec::as_slice) else {
            return Err(Reply::invalid(&format!(
                "A freeze must have exactly one window, this one has {count}"
            )));
        };
        let window = Window::read(window).map_err(|fault| Reply::invalid(&fault))?;
        if window.current_or_next(world.now_ms()).is_none() {
            return Err(Reply::invalid("The end of the freeze window lies in the past"));
        }
        Ok(())
    }

    fn view(world: &World, _: &Store, document: &Document) -> Value {
        let body = placed(world, document);
        let field = |name: &str| body.get(name).cloned().unwrap_or_default();
        let (scope, is_global) = (document.key.scope(), document.key.id == GLOBAL);
        let level = if scope.level() == "organization" { "org" } else { scope.level() };
        json!({
            "accountId": world.account, "type": if is_global { "GLOBAL" } else { "MANUAL" },
            "status": field("status"), "name": field("name"),
            "description": field("description"), "tags": field("tags"),
            "orgIdentifier": field("orgIdentifier"),
            "projectIdentifier": field("projectIdentifier"), "windows": field("windows"),
            "currentOrUpcomingWindow": next_window(document, world.now_ms()).map(
                |(start, end)| json!({"startTime": start, "endTime": end})
            ),
            "identifier": document.key.id, "createdAt": document.created_ms,
            "lastUpdatedAt": document.updated_ms, "freezeScope": level, "yaml": field("yaml"),
        })
    }

    fn lists(document: &Document, _: &Request, filter: &Value) -> bool {
        let wanted = filter.get("freezeStatus").and_then(Value::as_str);
        document.key.id != GLOBAL
            && super::listed_in(filter, "freezeIdentifiers", &document.key.id)
            && wanted.is_none_or(|wanted| wanted.is_empty() || wanted == text(document, "status"))
    }
}

fn next_window(document: &Document, now_ms: i64) -> Option<(i64, i64)> {
    let windows = document.body.get("windows").and_then(Value::as_array)?;
    Window::read(windows.first()?).ok()?.current_or_next(now_ms)
}

/// The freezes that hold at a moment in a scope or above it: name and `entityConfigs` of each.
pub fn open_freezes(
    store: &Store,
    scope: &Scope,
    now: i64,
) -> Result<Vec<(String, Value)>, StoreError> {
    let mut open = Vec::new();
    for level in std::iter::once(scope.clone()).chain(scope.above()) {
        for freeze in store.list(&Filter::kind(FreezeWindow::KIND).scope(&level))? {
            let holds =
                next_window(&freeze, now).is_some_and(|(from, to)| (from..to).contains(&now));
            if holds && text(&freeze, "status") == "Enabled" {
                let rules = freeze.body.get("entityConfigs").cloned().unwrap_or_default();
                open.push((text(&freeze, "name").to_owned(), rules));
            }
        }
    }
    Ok(open)
}

fn ids(request: &Request) -> Result<Vec<String>, Reply> {
    let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
    let Value::Array(ids) = body else {
        return Err(Reply::unreadable("an array of freeze identifiers is expected"));
    };
    let text = |id: Value| id.as_str().map(str::to_owned);
    ids.into_iter()
        .map(|id| text(id).ok_or_else(|| Reply::unreadable("freeze identifiers must be text")))
        .collect()
}

/// Runs `change` on each named freeze and reports those that failed beside those that did not.
fn each(
    world: &World,
    request: &Request,
    change: impl Fn(&Store, Document) -> Result<Document, Reply>,
) -> Reply {
    settle(|| {
        let store = world.store();
        places::require(&store, &request.scope())?;
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        for id in ids(request)? {
            let key = Key::new(FreezeWindow::KIND, &request.scope(), &id);
            let changed =
                crud::find::<FreezeWindow>(&store, &key).and_then(|old| change(&store, old));
            match changed {
                Ok(document) => done.push(FreezeWindow::view(world, &store, &document)),
                Err(refusal) => {
                    let said = refusal.json().and_then(|body| body.get("message").cloned());
                    failed.push(json!({"id": id, "name": null, "errorMessage": said}));
                }
            }
        }
        Ok(Reply::ng(json!({
            "noOfSuccess": done.len(), "noOfFailed": failed.len(),
            "successfulFreezeResponseDTOList": done, "freezeErrorResponseDTOList": failed,
        })))
    })
}

fn toggle(world: &World, request: &Request, _: &Params) -> Reply {
    let Some(status) = request.query.first("status").filter(|status| STATUSES.contains(status))
    else {
        return refuse("status", &format!("must be one of {}", STATUSES.join(", ")));
    };
    each(world, request, |store, old| with_status(world, store, request, old, status))
}

fn with_status(
    world: &World,
    store: &Store,
    request: &Request,
    old: Document,
    status: &str,
) -> Result<Document, Reply> {
    let mut parsed = yaml::parse(text(&old, "yaml")).unwrap_or_default();
    if let Some(freeze) = parsed.get_mut("freeze").and_then(Value::as_object_mut) {
        freeze.insert("status".to_owned(), json!(status));
    }
    let fields = crate::family::from_yaml(&yaml::write(&parsed), "freeze")?;
    let draft = crud::draft::<FreezeWindow>(world, store, request, &old.key.scope(), fields)?;
    crud::replace::<FreezeWindow>(world, store, request, &draft)
}

fn delete_many(world: &World, request: &Request, _: &Params) -> Reply {
    each(world, request, |store, old| crud::remove::<FreezeWindow>(world, store, request, &old.key))
}

fn get_global(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = request.scope();
        places::require(&store, &scope)?;
        let key = Key::new(FreezeWindow::KIND, &scope, GLOBAL);
        let now = world.now_ms();
        let document = store.get(&key)?.unwrap_or_else(|| never_set(key, now));
        Ok(Reply::ng(FreezeWindow::view(world, &store, &document)))
    })
}

/// A scope whose global freeze was never touched has one that is switched off.
fn never_set(key: Key, now_ms: i64) -> Document {
    let freeze = json!({"name": "Global Freeze", "identifier": GLOBAL, "status": "Disabled"});
    let mut body = freeze.clone();
    if let Some(fields) = body.as_object_mut() {
        fields.insert("windows".to_owned(), json!([]));
        fields.insert("yaml".to_owned(), json!(yaml::write(&json!({"freeze": freeze}))));
    }
    Document { key, version: 0, created_ms: now_ms, updated_ms: now_ms, body }
}

fn manage_global(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let mut fields = FreezeWindow::read(request)?;
        fields.insert("identifier".to_owned(), json!(GLOBAL));
        fields.entry("name").or_insert_with(|| json!("Global Freeze"));
        let scope = request.scope();
        let draft = crud::draft::<FreezeWindow>(world, &store, request, &scope, fields)?;
        let document = match store.get(&draft.key)? {
            Some(_) => crud::replace::<FreezeWindow>(world, &store, request, &draft)?,
            None => crud::insert::<FreezeWindow>(world, &store, &draft)?,
        };
        Ok(Reply::ng(FreezeWindow::view(world, &store, &document)))
    })
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/freeze";
    const ONE: &str = "/ng/api/freeze/{id}";
    vec![
        Route::new("POST", "/ng/api/freeze/list", crud::list::<FreezeWindow>),
        Route::new("POST", "/ng/api/freeze/updateFreezeStatus", toggle),
        Route::new("POST", "/ng/api/freeze/delete", delete_many),
        Route::new("GET", "/ng/api/freeze/getGlobalFreeze", get_global),
        Route::new("POST", "/ng/api/freeze/manageGlobalFreeze", manage_global),
        Route::new("POST", PATH, crud::create::<FreezeWindow>),
        Route::new("GET", ONE, crud::get::<FreezeWindow>),
        Route::new("PUT", ONE, crud::update::<FreezeWindow>),
        Route::new("DELETE", ONE, crud::delete::<FreezeWindow>),
    ]
}
