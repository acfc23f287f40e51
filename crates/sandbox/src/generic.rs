//! Every operation without behaviour of its own: a store that obeys its dialect.

use serde_json::{Map, Value, json};

use crate::audit::{self, Event};
use crate::family::{Answer, Fields};
use crate::paging::Page;
use crate::places;
use crate::reply::{Reply, ng_page, spring_page};
use crate::request::Request;
use crate::router::{Params, Pattern};
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store};
use crate::world::World;

/// Size of a page when none is asked for.
const PAGE_SIZE: usize = 50;
/// Pages larger than this are cut to it.
const LARGEST_PAGE: usize = 1000;
/// Path parameters that say where an entity lives, not which one it is.
const PLACES: [&str; 9] = [
    "org",
    "project",
    "account",
    "orgIdentifier",
    "projectIdentifier",
    "accountIdentifier",
    "org_id",
    "project_id",
    "account_id",
];
/// Fields that may hold an identifier, the likeliest first.
const ID_FIELDS: [&str; 7] = ["identifier", "id", "uuid", "identity", "name", "slug", "key"];

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Shows a page of entities.
    List,
    /// Shows one.
    Get,
    /// Adds one.
    Create,
    /// Changes one.
    Update,
    /// Removes one.
    Delete,
    /// Does something with one.
    Action,
}

/// How a dialect wraps what it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Envelope {
    /// The object or array itself.
    Bare,
    /// NG `data`: the object, or the array of a list.
    Data,
    /// NG `data`, and in it the object below a key.
    Wrapped(String),
    /// NG `data` with an NG page, items below a key when one is given.
    Page(Option<String>),
    /// NG `data` with a Spring page.
    SpringPage,
    /// The old manager's `resource`.
    Resource,
    /// An object with the items below a key and their number below `total`.
    Keyed(String),
}

/// One operation of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenericRoute {
    /// HTTP method.
    pub method: String,
    /// Path with `{name}` for what varies.
    pub path_template: String,
    /// Resource type; operations of the same type share their entities.
    pub kind: String,
    /// What it does.
    pub operation: Operation,
    /// How it answers.
    pub envelope: Envelope,
}

/// All of them, most specific path first.
#[derive(Debug)]
pub(crate) struct Generic {
    routes: Vec<(Pattern, GenericRoute)>,
}

impl Generic {
    pub(crate) fn new(routes: Vec<GenericRoute>) -> Self {
        let mut routes: Vec<_> =
            routes.into_iter().map(|route| (Pattern::parse(&route.path_template), route)).collect();
        routes.sort_by_cached_key(|(pattern, _)| pattern.rank());
        Self { routes }
    }

    /// The answer to a request that some route takes.
    pub(crate) fn answer(&self, world: &World, request: &Request) -> Option<Reply> {
        let (route, params) = self.routes.iter().find_map(|(pattern, route)| {
            (route.method == request.method).then_some(())?;
            Some((route, pattern.matches(&request.segments)?))
        })?;
        let can_be_made = self
            .routes
            .iter()
            .any(|(_, r)| r.kind == route.kind && r.operation == Operation::Create);
        let call = Call { world, request, route, can_be_made, at: place(route, request, &params) };
        Some(call.answer().unwrap_or_else(|refusal| refusal))
    }
}

/// Where a request points: scope, owners and identifier.
#[derive(Debug)]
struct Place {
    scope: Scope,
    parent: String,
    id: String,
}

fn place(route: &GenericRoute, request: &Request, params: &Params) -> Place {
    let named = |names: &[&str], asked: &str| {
        let in_path = names.iter().map(|name| params.get(name)).find(|value| !value.is_empty());
        in_path.unwrap_or(asked).to_owned()
    };
    let scope = Scope {
        org: named(&["org", "orgIdentifier", "org_id"], request.org()),
        project: named(&["project", "projectIdentifier", "project_id"], request.project()),
    };
    let names = route.path_template.split(['{', '}']).skip(1).step_by(2);
    let mut values: Vec<&str> =
        names.filter(|name| !PLACES.contains(name)).map(|name| params.get(name)).collect();
    let needs_id = !matches!(route.operation, Operation::List | Operation::Create);
    let id = if needs_id { values.pop() } else { None };
    let in_query = || ID_FIELDS.iter().find_map(|field| request.query.first(field));
    let id = id.or_else(|| in_query().filter(|_| needs_id)).unwrap_or_default().to_owned();
    Place { scope, parent: values.join("/"), id }
}

/// One request to a generic route.
struct Call<'a> {
    world: &'a World,
    request: &'a Request,
    route: &'a GenericRoute,
    can_be_made: bool,
    at: Place,
}

impl Call<'_> {
    fn answer(&self) -> Answer {
        let store = self.world.store();
        places::require(&store, &self.at.scope)?;
        match self.route.operation {
            Operation::List => self.list(&store),
            Operation::Get => self.get(&store),
            Operation::Create => self.create(&store),
            Operation::Update => self.update(&store),
            Operation::Delete => self.delete(&store),
            Operation::Action => self.act(&store),
        }
    }

    fn kind(&self) -> String {
        // Kinds of the generic store must not meet those of the families.
        format!("generic/{}", self.route.kind)
    }

    fn key(&self, id: &str) -> Key {
        Key::new(&self.kind(), &self.at.scope, id).under(&self.at.parent)
    }

    fn find(&self, store: &Store) -> Result<Document, Reply> {
        store.get(&self.key(&self.at.id))?.ok_or_else(|| self.gone())
    }

    fn gone(&self) -> Reply {
        let noun = self.route.kind.replace('_', " ");
        let message = format!("{noun} with identifier [{}] not found", self.at.id);
        match self.route.envelope {
            Envelope::Bare | Envelope::Keyed(_) => {
                Reply::json_with(404, &json!({"message": message, "code": "NOT_FOUND"}))
            }
            _ => Reply::ng_error(404, "ENTITY_NOT_FOUND", &message),
        }
    }

    fn list(&self, store: &Store) -> Answer {
        let filter = Filter::kind(&self.kind()).scope(&self.at.scope).parent(&self.at.parent);
        let mut found = store.list(&filter)?;
        let term = ["searchTerm", "search_term", "search", "query", "name"]
            .iter()
            .find_map(|name| self.request.query.first(name))
            .unwrap_or_default()
            .to_lowercase();
        found.retain(|one| one.body.to_string().to_lowercase().contains(&term));
        let (total, page) = (found.len(), page(self.request));
        let items = page.slice(found).into_iter().map(|one| one.body).collect();
        Ok(self.wrap_list(items, page, total))
    }

    fn wrap_list(&self, items: Vec<Value>, page: Page, total: usize) -> Reply {
        match &self.route.envelope {
            Envelope::Bare => Reply::v1_list(items, page, total),
            Envelope::Data => Reply::ng(Value::Array(items)),
            Envelope::Wrapped(key) => Reply::ng(json!({key.as_str(): items})),
            Envelope::Page(None) => Reply::ng(ng_page(items, page, total)),
            Envelope::Page(Some(key)) => {
                let items = items.into_iter().map(|item| json!({key.as_str(): item})).collect();
                Reply::ng(ng_page(items, page, total))
            }
            Envelope::SpringPage => Reply::ng(spring_page(items, page, total)),
            Envelope::Resource => Reply::rest_resource(Value::Array(items)),
            Envelope::Keyed(key) => Reply::bare(&json!({
                key.as_str(): items, "total": total, "totalCount": total,
                "limit": page.size, "offset": page.index * page.size,
                "pagination": {
                    "index": page.index, "limit": page.size, "totalItems": total,
                    "totalPages": page.pages(total),
                },
            })),
        }
    }

    fn wrap(&self, item: Value) -> Reply {
        match &self.route.envelope {
            Envelope::Bare | Envelope::Keyed(_) => Reply::bare(&item),
            Envelope::Data | Envelope::SpringPage | Envelope::Page(None) => Reply::ng(item),
            Envelope::Wrapped(key) | Envelope::Page(Some(key)) => {
                Reply::ng(json!({key.as_str(): item}))
            }
            Envelope::Resource => Reply::rest_resource(item),
        }
    }

    fn get(&self, store: &Store) -> Answer {
        // A route without identifier shows something there is one of, such as an overview.
        if self.at.id.is_empty() {
            let found = store.get(&self.key(""))?;
            return Ok(self.wrap(found.map_or(json!({}), |found| found.body)));
        }
        Ok(self.wrap(self.find(store)?.body))
    }

    fn create(&self, store: &Store) -> Answer {
        let mut body = self.body()?;
        let id = identifier(&body).unwrap_or_else(|| self.world.fresh_id());
        if !ID_FIELDS.iter().any(|field| body.contains_key(*field)) {
            body.insert("id".to_owned(), json!(id));
        }
        let key = self.key(&id);
        if store.get(&key)?.is_some() {
            let message = format!("{} [{id}] already exists", self.route.kind.replace('_', " "));
            return Err(match self.route.envelope {
                Envelope::Bare | Envelope::Keyed(_) => {
                    Reply::json_with(409, &json!({"message": message, "code": "CONFLICT"}))
                }
                _ => Reply::ng_error(400, "DUPLICATE_FIELD", &message),
            });
        }
        let document = store.insert(&key, &Value::Object(body), self.world.now_ms())?;
        self.record(store, "CREATE", &key.id, None, Some(&document.body))?;
        Ok(self.wrap(document.body))
    }

    fn update(&self, store: &Store) -> Answer {
        let body = self.body()?;
        let mut id = self.at.id.clone();
        if id.is_empty() {
            id = identifier(&body).unwrap_or_default();
        }
        let key = self.key(&id);
        let old = store.get(&key)?;
        if old.is_none() && self.can_be_made {
            return Err(self.gone());
        }
        let mut fields = Map::new();
        let before = old.as_ref().and_then(|old| old.body.as_object());
        for (name, value) in before.into_iter().flatten() {
            // A replacement keeps only what says which entity it is.
            if self.request.method == "PATCH" || ID_FIELDS.contains(&name.as_str()) {
                fields.insert(name.clone(), value.clone());
            }
        }
        for (name, value) in body {
            if value.is_null() && self.request.method == "PATCH" {
                fields.shift_remove(&name);
            } else {
                fields.insert(name, value);
            }
        }
        let document = store.put(&key, &Value::Object(fields), self.world.now_ms())?;
        let old = old.map(|old| old.body);
        self.record(store, "UPDATE", &id, old.as_ref(), Some(&document.body))?;
        Ok(self.wrap(document.body))
    }

    fn delete(&self, store: &Store) -> Answer {
        let old = self.find(store)?;
        store.remove(&old.key)?;
        self.record(store, "DELETE", &old.key.id, Some(&old.body), None)?;
        Ok(match self.route.envelope {
            Envelope::Bare | Envelope::Keyed(_) => Reply::no_content(),
            Envelope::Resource => Reply::rest_resource(json!(true)),
            _ => Reply::ng(json!(true)),
        })
    }

    fn act(&self, store: &Store) -> Answer {
        let found = store.get(&self.key(&self.at.id))?;
        if found.is_none() && self.can_be_made && !self.at.id.is_empty() {
            return Err(self.gone());
        }
        self.record(store, "UPDATE", &self.at.id, None, None)?;
        let answer = match found {
            Some(found) => found.body,
            None => json!({"id": self.at.id, "status": "SUCCESS"}),
        };
        Ok(self.wrap(answer))
    }

    /// The body as fields: JSON, YAML, the fields of a form, or nothing.
    fn body(&self) -> Result<Fields, Reply> {
        if !self.request.parts.is_empty() {
            let text = |bytes: &[u8]| json!(String::from_utf8_lossy(bytes));
            let parts = self.request.parts.iter();
            return Ok(parts.map(|part| (part.name.clone(), text(&part.bytes))).collect());
        }
        if self.request.is_bodiless() {
            return Ok(Fields::new());
        }
        match self.request.yaml_or_json() {
            Ok(Value::Object(fields)) => Ok(fields),
            Ok(other) => Ok(Map::from_iter([("value".to_owned(), other)])),
            Err(error) => Err(Reply::unreadable(&error.to_string())),
        }
    }

    fn record(
        &self,
        store: &Store,
        action: &str,
        id: &str,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Result<(), Reply> {
        let kind = self.route.kind.to_uppercase();
        let event = Event {
            action,
            resource_type: &kind,
            id,
            name: id,
            scope: self.at.scope.clone(),
            ..Event::default()
        };
        audit::record(self.world, store, &event.with_values(old, new))?;
        Ok(())
    }
}

/// The identifier in a body, or in the one object that wraps it.
fn identifier(body: &Fields) -> Option<String> {
    let own = ID_FIELDS.iter().find_map(|field| text_of(body.get(*field)?));
    own.or_else(|| {
        let mut wrapped = body.values().filter_map(Value::as_object);
        ID_FIELDS.iter().find_map(|field| text_of(wrapped.next()?.get(*field)?))
    })
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn page(request: &Request) -> Page {
    let number = |names: &[&str]| {
        let said = names.iter().find_map(|name| request.query.first(name));
        said.and_then(|said| said.parse::<usize>().ok())
    };
    let size = number(&["pageSize", "page_size", "size", "limit"]).unwrap_or(PAGE_SIZE);
    let size = size.clamp(1, LARGEST_PAGE);
    let offset = number(&["offset", "skip"]).map(|offset| offset / size);
    let index = offset.or(number(&["pageIndex", "page_index", "page", "pageNo"])).unwrap_or(0);
    Page { index, size }
}

#[cfg(test)]
mod tests;
