//! Create, get, update, delete and list of any family.

use std::cmp::Ordering;

use serde_json::Value;

use crate::audit::{self, Event};
use crate::family::{Answer, Draft, Family, Fields, Levels, check_fields, page, place_of};
use crate::places;
use crate::references;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::Params;
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store, StoreError};
use crate::world::{ACCOUNT, World};

/// Handler of a create.
pub fn create<F: Family>(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let body = F::read(request)?;
        let scope = F::scope(request, params);
        let draft = draft::<F>(world, &store, request, &scope, body)?;
        let document = insert::<F>(world, &store, &draft)?;
        Ok(shown::<F>(F::written(world, &store, &document), &document))
    })
}

/// Handler of an update; the identifier is in the path, the body or both.
pub fn update<F: Family>(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let body = F::read(request)?;
        agree_on_id::<F>(params, &body)?;
        let scope = F::scope(request, params);
        let draft = draft::<F>(world, &store, request, &scope, body)?;
        let document = replace::<F>(world, &store, request, &draft)?;
        Ok(shown::<F>(F::written(world, &store, &document), &document))
    })
}

/// Handler of an upsert: a create, or the update of what is there.
pub fn upsert<F: Family>(world: &World, request: &Request, params: &Params) -> Reply {
    let is_there = || -> Result<bool, Reply> {
        let store = world.store();
        let body = F::read(request)?;
        let draft = draft::<F>(world, &store, request, &F::scope(request, params), body)?;
        Ok(store.get(&draft.key)?.is_some())
    };
    match is_there() {
        Ok(true) => update::<F>(world, request, params),
        Ok(false) => create::<F>(world, request, params),
        Err(refusal) => refusal,
    }
}

/// Handler of a get.
pub fn get<F: Family>(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let key = key::<F>(&store, request, params)?;
        let document = find::<F>(&store, &key)?;
        Ok(shown::<F>(F::view(world, &store, &document), &document))
    })
}

/// Handler of a delete.
pub fn delete<F: Family>(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let key = key::<F>(&store, request, params)?;
        remove::<F>(world, &store, request, &key)?;
        Ok(Reply::ng(Value::Bool(true)))
    })
}

/// Handler of a list.
pub fn list<F: Family>(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = F::scope(request, params);
        let found = search::<F>(&store, request, &scope)?;
        page::<F, _>(request, found, |document| F::item(world, &store, &document))
    })
}

/// Runs a handler whose refusals are replies too.
pub fn settle(work: impl FnOnce() -> Answer) -> Reply {
    work().unwrap_or_else(|refusal| refusal)
}

/// Adds an entity that was checked by [`draft`].
pub fn insert<F: Family>(world: &World, store: &Store, draft: &Draft) -> Result<Document, Reply> {
    let body = Value::Object(draft.body.clone());
    let document = match store.insert(&draft.key, &body, world.now_ms()) {
        Err(StoreError::Exists { .. }) => {
            let message = format!("{} already exists", place_of::<F>(&draft.key));
            return Err(Reply::ng_error(400, "DUPLICATE_FIELD", &message));
        }
        other => other?,
    };
    record::<F>(world, store, "CREATE", None, Some(&document))?;
    Ok(document)
}

/// Replaces an entity that was checked by [`draft`]; `If-Match` is honoured.
pub fn replace<F: Family>(
    world: &World,
    store: &Store,
    request: &Request,
    draft: &Draft,
) -> Result<Document, Reply> {
    let old = store.get(&draft.key)?.ok_or_else(|| missing::<F>(&draft.key, F::GONE_ON_UPDATE))?;
    F::guard(&old, false)?;
    honour_version(request, &old)?;
    let document = store.put(&draft.key, &Value::Object(draft.body.clone()), world.now_ms())?;
    record::<F>(world, store, "UPDATE", Some(&old), Some(&document))?;
    Ok(document)
}

/// Removes an entity; refuses while others refer to it, unless `forceDelete=true`.
pub fn remove<F: Family>(
    world: &World,
    store: &Store,
    request: &Request,
    key: &Key,
) -> Result<Document, Reply> {
    let old = find::<F>(store, key)?;
    F::guard(&old, true)?;
    honour_version(request, &old)?;
    if !request.query.flag("forceDelete") {
        let referrers = references::count(store, key)?;
        if referrers > 0 {
            let message = format!(
                "The {} {} cannot be deleted as it is being referenced in {referrers} entities. \
                 To delete it, remove the references first or use forceDelete=true",
                F::NOUN.to_lowercase(),
                key.id
            );
            return Err(Reply::ng_error(400, "ENTITY_REFERENCE_EXCEPTION", &message));
        }
    }
    store.remove(key)?;
    F::removed(world, store, &old)?;
    record::<F>(world, store, "DELETE", Some(&old), None)?;
    Ok(old)
}

/// The entity at a key, or the family's own "not found".
pub fn find<F: Family>(store: &Store, key: &Key) -> Result<Document, Reply> {
    store.get(key)?.ok_or_else(|| gone::<F>(key))
}

/// The family's own "not found".
pub fn gone<F: Family>(key: &Key) -> Reply {
    missing::<F>(key, F::GONE)
}

fn missing<F: Family>(key: &Key, (status, code): (u16, &str)) -> Reply {
    let message = F::absence(ACCOUNT, key);
    Reply::ng_error(status, code, &message)
}

/// Checks a body by the family's table and says where it goes.
pub fn draft<F: Family>(
    world: &World,
    store: &Store,
    request: &Request,
    scope: &Scope,
    mut body: Fields,
) -> Result<Draft, Reply> {
    check_fields::<F>(&body)?;
    let scope = agree_on_scope(scope, &body)?;
    allow_level::<F>(&scope)?;
    places::require(store, &scope)?;
    fill(&mut body);
    let id = body.get(F::ID_FIELD).and_then(Value::as_str).unwrap_or_default();
    let key = Key::new(F::KIND, &scope, id).under(&F::parent(request, &body)?);
    let mut draft = Draft { key, body };
    F::check(world, store, &mut draft)?;
    Ok(draft)
}

/// The key a path names, in a scope that is there.
pub fn key<F: Family>(store: &Store, request: &Request, params: &Params) -> Result<Key, Reply> {
    let scope = F::scope(request, params);
    allow_level::<F>(&scope)?;
    places::require(store, &scope)?;
    let parent = F::parent(request, &Fields::new())?;
    Ok(Key::new(F::KIND, &scope, params.get("id")).under(&parent))
}

/// Every entity a list request asks for, sorted; not yet cut to a page.
pub fn search<F: Family>(
    store: &Store,
    request: &Request,
    scope: &Scope,
) -> Result<Vec<Document>, Reply> {
    allow_level::<F>(scope)?;
    places::require(store, scope)?;
    let mut here = Filter::kind(F::KIND).scope(scope);
    let parent = F::parent(request, &Fields::new())?;
    if !parent.is_empty() {
        here = here.parent(&parent);
    }
    let mut found = store.list(&here)?;
    if request.query.flag(F::PARENT_SCOPES_FLAG) {
        for above in scope.above() {
            found.extend(store.list(&Filter::kind(F::KIND).scope(&above))?);
        }
    }
    let filter = request.filter();
    let term = search_term(request, &filter);
    found.retain(|document| mentions(document, &term) && F::lists(document, request, &filter));
    sort(&mut found, request);
    Ok(found)
}

fn search_term(request: &Request, filter: &Value) -> String {
    let in_body = filter.get("searchTerm").and_then(Value::as_str);
    let term = request.query.first("searchTerm").or(request.query.first("search_term"));
    term.or(in_body).unwrap_or_default().to_lowercase()
}

fn mentions(document: &Document, term: &str) -> bool {
    if term.is_empty() || document.key.id.to_lowercase().contains(term) {
        return true;
    }
    let says = |field: &str| {
        let text = document.body.get(field).and_then(Value::as_str).unwrap_or_default();
        text.to_lowercase().contains(term)
    };
    let tags = document.body.get("tags").and_then(Value::as_object);
    says("name")
        || says("email")
        || tags.is_some_and(|tags| tags.keys().any(|tag| tag.to_lowercase().contains(term)))
}

/// Newest change first, unless `sort`, `order` or `sortOrders` say otherwise.
pub fn sort(found: &mut [Document], request: &Request) {
    let asked = request.query.first("sort").or(request.query.first("sortOrders")).unwrap_or("");
    let (field, direction) = asked.split_once(',').unwrap_or((asked, ""));
    let direction = request.query.first("order").unwrap_or(direction);
    let by_name = |a: &Document| {
        let name = a.body.get("name").and_then(Value::as_str).unwrap_or(&a.key.id);
        name.to_lowercase()
    };
    let is_text = matches!(field, "name" | "identifier");
    let order = |a: &Document, b: &Document| match field {
        "name" => by_name(a).cmp(&by_name(b)),
        "identifier" => a.key.id.cmp(&b.key.id),
        "created" | "createdAt" => a.created_ms.cmp(&b.created_ms),
        _ => a.updated_ms.cmp(&b.updated_ms),
    };
    let descends = match direction.to_ascii_uppercase().as_str() {
        "ASC" => false,
        "DESC" => true,
        _ => !is_text,
    };
    // Equal keys keep the order of insertion, or its reverse.
    if descends {
        found.reverse();
        found.sort_by(|a, b| order(b, a));
    } else {
        found.sort_by(|a: &Document, b: &Document| -> Ordering { order(a, b) });
    }
}

fn shown<F: Family>(data: Value, document: &Document) -> Reply {
    let reply = Reply::ng(data);
    if F::IS_VERSIONED { reply.with_etag(document.version) } else { reply }
}

fn agree_on_id<F: Family>(params: &Params, body: &Fields) -> Result<(), Reply> {
    let in_path = params.get("id");
    let in_body = body.get(F::ID_FIELD).and_then(Value::as_str).unwrap_or(in_path);
    if in_path.is_empty() || in_path == in_body {
        return Ok(());
    }
    let message = format!(
        "The identifier [{in_path}] in the path does not match the identifier [{in_body}] in the \
         {}",
        F::NOUN.to_lowercase()
    );
    Err(Reply::invalid(&message))
}

fn agree_on_scope(scope: &Scope, body: &Fields) -> Result<Scope, Reply> {
    let mut agreed = scope.clone();
    for (field, level) in
        [("orgIdentifier", &mut agreed.org), ("projectIdentifier", &mut agreed.project)]
    {
        let said = body.get(field).and_then(Value::as_str).unwrap_or_default();
        if said.is_empty() || said == level {
            continue;
        }
        if !level.is_empty() {
            let message =
                format!("{field} [{level}] in the query does not match [{said}] in the body");
            return Err(Reply::invalid(&message));
        }
        said.clone_into(level);
    }
    Ok(agreed)
}

fn allow_level<F: Family>(scope: &Scope) -> Result<(), Reply> {
    match F::LEVELS {
        Levels::Project => places::is_project(scope),
        Levels::Any | Levels::Account => Ok(()),
    }
}

fn fill(body: &mut Fields) {
    for (field, absent) in [("description", Value::Null), ("tags", Value::Object(Fields::new()))] {
        if body.get(field).is_none_or(Value::is_null) {
            body.insert(field.to_owned(), absent);
        }
    }
}

fn honour_version(request: &Request, document: &Document) -> Result<(), Reply> {
    let Some(wanted) = request.header("if-match") else { return Ok(()) };
    let wanted = wanted.trim().trim_start_matches("W/").trim_matches('"');
    if wanted.is_empty() || wanted == "*" || wanted == document.version.to_string() {
        return Ok(());
    }
    Err(Reply::stale_version())
}

fn record<F: Family>(
    world: &World,
    store: &Store,
    action: &str,
    old: Option<&Document>,
    new: Option<&Document>,
) -> Result<(), StoreError> {
    let Some(document) = new.or(old) else { return Ok(()) };
    let id = document.key.id.as_str();
    let yaml = |document: Option<&Document>| document.map(audit_yaml).unwrap_or_default();
    let event = Event {
        action,
        resource_type: F::RESOURCE_TYPE,
        id,
        name: document.body.get("name").and_then(Value::as_str).unwrap_or(id),
        scope: document.key.scope(),
        module: F::MODULE,
        old_yaml: yaml(old),
        new_yaml: yaml(new),
    };
    audit::record(world, store, &event).map(|_| ())
}

fn audit_yaml(document: &Document) -> String {
    match document.body.get("yaml").and_then(Value::as_str) {
        Some(yaml) if !yaml.is_empty() => yaml.to_owned(),
        _ => crate::yaml::write(&document.body),
    }
}
