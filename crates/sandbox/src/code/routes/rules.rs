//! Protection rules of repositories and of the scopes above them.

use serde_json::{Map, Value, json};

use super::{bad, body, ordered, text};
use crate::code::pages::paged;
use crate::code::principal::{self, Principal};
use crate::code::repo::{Repo, missing};
use crate::code::rules::KIND;
use crate::crud::settle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store, StoreError};
use crate::world::World;

const STATES: [&str; 3] = ["active", "monitor", "disabled"];

const TYPES: [&str; 3] = ["branch", "tag", "push"];

/// The owner of rules that hang from a scope instead of a repository.
const SPACE: &str = "space";

pub(super) fn routes() -> Vec<Route> {
    const REPO_ALL: &str = "/code/api/v1/repos/{repo}/rules";
    const REPO_ONE: &str = "/code/api/v1/repos/{repo}/rules/{rule}";
    const SPACE_ALL: &str = "/code/api/v1/rules";
    const SPACE_ONE: &str = "/code/api/v1/rules/{rule}";
    let of = |all, one| {
        vec![
            Route::new("GET", all, list),
            Route::new("POST", all, create),
            Route::new("GET", one, get),
            Route::new("PATCH", one, update),
            Route::new("DELETE", one, remove),
        ]
    };
    [of(REPO_ALL, REPO_ONE), of(SPACE_ALL, SPACE_ONE)].concat()
}

/// The rules of a scope itself.
pub(crate) fn of_space(store: &Store, scope: &Scope) -> Result<Vec<Document>, StoreError> {
    store.list(&Filter::kind(KIND).scope(scope).parent(SPACE))
}

/// What the rules of a request hang from.
struct Owner {
    scope: Scope,
    parent: String,
    repo_path: Option<String>,
    space_path: String,
}

impl Owner {
    fn wanted(
        world: &World,
        store: &Store,
        request: &Request,
        params: &Params,
    ) -> Result<Self, Reply> {
        if params.get("repo").is_empty() {
            let scope = request.scope();
            crate::places::require(store, &scope)
                .map_err(|_| missing("space", &format!("{}/{}", scope.org, scope.project)))?;
            let space_path = space_path(world, &scope);
            return Ok(Self { scope, parent: SPACE.to_owned(), repo_path: None, space_path });
        }
        let repo = Repo::wanted(world, store, request, params)?;
        Ok(Self {
            scope: repo.scope.clone(),
            parent: repo.facts.id.to_string(),
            repo_path: Some(repo.path()),
            space_path: space_path(world, &repo.scope),
        })
    }

    fn key(&self, id: &str) -> Key {
        Key::new(KIND, &self.scope, id).under(&self.parent)
    }
}

fn space_path(world: &World, scope: &Scope) -> String {
    let parts = [world.account.as_str(), &scope.org, &scope.project];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

fn shown(rule: &Document) -> Value {
    let mut body = rule.body.clone();
    if let Some(fields) = body.as_object_mut() {
        fields.insert("created".to_owned(), json!(rule.created_ms));
        fields.insert("updated".to_owned(), json!(rule.updated_ms));
        fields.insert("created_by".to_owned(), principal::shown(Some(Principal::caller().id)));
        fields.insert("users".to_owned(), users(&rule.body));
        fields.insert("user_groups".to_owned(), json!({}));
        fields.insert("repositories".to_owned(), json!({}));
    }
    body
}

/// The people a rule names, by number.
fn users(rule: &Value) -> Value {
    let ids = rule.pointer("/definition/bypass/user_ids").and_then(Value::as_array);
    let named = ids.into_iter().flatten().filter_map(Value::as_u64);
    let people: Map<String, Value> =
        named.map(|id| (id.to_string(), principal::shown(Some(id)))).collect();
    Value::Object(people)
}

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let owner = Owner::wanted(world, &store, request, params)?;
        let filter = Filter::kind(KIND).scope(&owner.scope).parent(&owner.parent);
        let mut found = store.list(&filter)?;
        if request.query.flag("inherited") {
            let here = owner.repo_path.is_some().then(|| owner.scope.clone());
            for scope in here.into_iter().chain(owner.scope.above()) {
                found.extend(of_space(&store, &scope)?);
            }
        }
        let term = request.query.first("query").unwrap_or_default().to_lowercase();
        let types = request.query.all("type");
        found.retain(|rule| {
            rule.key.id.to_lowercase().contains(&term)
                && (types.is_empty() || types.contains(&text(&rule.body, "type")))
        });
        match request.query.first("sort") {
            Some("created" | "created_at") => found.sort_by_key(|rule| rule.created_ms),
            Some("updated" | "updated_at") => found.sort_by_key(|rule| rule.updated_ms),
            _ => found.sort_by(|a, b| a.key.id.cmp(&b.key.id)),
        }
        let items = ordered(request, found, false).iter().map(shown).collect();
        Ok(paged(world, request, items))
    })
}

fn one_of(body: &Value, field: &str, known: &[&str]) -> Result<(), Reply> {
    match text(body, field) {
        given if known.contains(&given) => Ok(()),
        given => {
            let known = known.join(", ");
            Err(bad(&format!("Field '{field}' must be one of {known}, not '{given}'")))
        }
    }
}

/// Refuses what is not an object where one is needed.
fn check_parts(body: &Value) -> Result<(), Reply> {
    for field in ["pattern", "definition"] {
        if body.get(field).is_some_and(|part| !part.is_object() && !part.is_null()) {
            return Err(bad(&format!("Field '{field}' must be an object")));
        }
    }
    Ok(())
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let owner = Owner::wanted(world, &store, request, params)?;
        let body = body(request)?;
        let id = text(&body, "identifier");
        let is_fine = !id.is_empty()
            && id.len() <= 100
            && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if !is_fine {
            return Err(bad(&format!(
                "Identifier '{id}' is not valid: 1 to 100 letters, digits, '-', '_' and '.'"
            )));
        }
        one_of(&body, "type", &TYPES)?;
        one_of(&body, "state", &STATES)?;
        check_parts(&body)?;
        if body.get("definition").is_none_or(Value::is_null) {
            return Err(bad("Field 'definition' is required"));
        }
        let field = |name: &str| body.get(name).cloned().unwrap_or_else(|| json!({}));
        let rule = json!({
            "identifier": id, "type": text(&body, "type"), "state": text(&body, "state"),
            "description": text(&body, "description"), "pattern": field("pattern"),
            "repo_target": field("repo_target"), "definition": field("definition"),
            "repo_path": owner.repo_path, "space_path": owner.space_path,
            "scope": owner.scope.level(),
        });
        match store.insert(&owner.key(id), &rule, world.now_ms()) {
            Err(StoreError::Exists { .. }) => {
                Err(Reply::code_error(409, &format!("rule '{id}' already exists")))
            }
            other => Ok(Reply::json_with(201, &shown(&other?))),
        }
    })
}

fn found(
    world: &World,
    store: &Store,
    request: &Request,
    params: &Params,
) -> Result<Document, Reply> {
    let owner = Owner::wanted(world, store, request, params)?;
    let id = params.get("rule");
    store.get(&owner.key(id))?.ok_or_else(|| missing("rule", id))
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        Ok(Reply::bare(&shown(&found(world, &store, request, params)?)))
    })
}

fn update(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let mut rule = found(world, &store, request, params)?;
        let body = body(request)?;
        check_parts(&body)?;
        if body.get("state").is_some() {
            one_of(&body, "state", &STATES)?;
        }
        for field in ["state", "description", "pattern", "definition", "repo_target"] {
            let given = body.get(field).filter(|value| !value.is_null());
            if let (Some(fields), Some(value)) = (rule.body.as_object_mut(), given) {
                fields.insert(field.to_owned(), value.clone());
            }
        }
        Ok(Reply::bare(&shown(&store.put(&rule.key, &rule.body, world.now_ms())?)))
    })
}

fn remove(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let rule = found(world, &store, request, params)?;
        store.remove(&rule.key)?;
        Ok(Reply::no_content())
    })
}
