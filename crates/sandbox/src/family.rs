//! What one kind of entity is: the table the common operations are driven by.

use serde_json::{Map, Value, json};

use crate::paging::PageStyle;
use crate::reply::{FieldError, Reply, ng_page, spring_page};
use crate::request::Request;
use crate::router::Params;
use crate::rules::{self, IdRule};
use crate::scope::Scope;
use crate::store::{Document, Key, Store};
use crate::world::World;

/// What a handler comes to: an answer, or a refusal that is an answer too.
pub type Answer = Result<Reply, Reply>;

/// Fields of an entity, in the order they are shown.
pub type Fields = Map<String, Value>;

/// Which scopes a family lives in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    /// Account, organization and project.
    Any,
    /// Projects only.
    Project,
    /// The account only.
    Account,
}

/// How a family wraps the pages of its lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// NG pages.
    Ng,
    /// Spring pages.
    Spring,
    /// The whole list, unpaged, as `data`.
    Whole,
}

/// An entity about to be written: where it goes and what it says.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Where it goes.
    pub key: Key,
    /// What it says.
    pub body: Fields,
}

impl Draft {
    /// A text field, or empty.
    pub fn text(&self, field: &str) -> &str {
        self.body.get(field).and_then(Value::as_str).unwrap_or_default()
    }
}

/// One kind of entity.
pub trait Family {
    /// Kind in the store.
    const KIND: &'static str;
    /// What messages call it.
    const NOUN: &'static str;
    /// What audit events call it.
    const RESOURCE_TYPE: &'static str;
    /// Module of its audit events.
    const MODULE: &'static str = "CORE";
    /// The key that wraps it in requests and replies, or empty.
    const WRAPPER: &'static str = "";
    /// The key that must wrap it in requests; most take the bare entity too.
    const WRAPPER_IS_NEEDED: bool = false;
    /// Name of the field with the identifier.
    const ID_FIELD: &'static str = "identifier";
    /// Rule of its identifier.
    const ID_RULE: IdRule = IdRule::Common;
    /// Fields that must be there and not blank.
    const REQUIRED: &'static [&'static str] = &["identifier", "name"];
    /// Scopes it lives in.
    const LEVELS: Levels = Levels::Any;
    /// Paging parameters of its list.
    const PAGE_STYLE: PageStyle = PageStyle::ng(50);
    /// Envelope of its list.
    const PAGES: Pages = Pages::Ng;
    /// The query flag that adds the entities of the scopes above to a list.
    const PARENT_SCOPES_FLAG: &'static str = "includeParentScopes";
    /// True when `ETag` and `If-Match` guard it.
    const IS_VERSIONED: bool = false;
    /// Status and code when it is not there.
    const GONE: (u16, &'static str) = (404, "ENTITY_NOT_FOUND");

    /// Status and code when an update meets nothing.
    const GONE_ON_UPDATE: (u16, &'static str) = Self::GONE;

    /// The scope a request is about.
    fn scope(request: &Request, params: &Params) -> Scope {
        let _ = params;
        request.scope()
    }

    /// The owner inside the scope, from query or body; most have none.
    fn parent(request: &Request, body: &Fields) -> Result<String, Reply> {
        let _ = (request, body);
        Ok(String::new())
    }

    /// The fields of the entity in a request body.
    fn read(request: &Request) -> Result<Fields, Reply> {
        read_json::<Self>(request)
    }

    /// Rules beyond identifier, name and required fields; may complete the draft.
    fn check(world: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        let _ = (world, store, draft);
        Ok(())
    }

    /// Whether it may be changed or removed at all (`managed` ones may not).
    fn guard(document: &Document, is_removal: bool) -> Result<(), Reply> {
        let _ = (document, is_removal);
        Ok(())
    }

    /// What is said when it is not there.
    fn absence(account: &str, key: &Key) -> String {
        let _ = account;
        format!("{} doesn't exist or has been deleted.", place_of::<Self>(key))
    }

    /// What goes with it when it is removed.
    fn removed(world: &World, store: &Store, document: &Document) -> Result<(), Reply> {
        let _ = (world, store, document);
        Ok(())
    }

    /// The entity as replies show it.
    fn view(world: &World, store: &Store, document: &Document) -> Value {
        let _ = (world, store);
        wrapped::<Self>(document)
    }

    /// The entity as lists show it.
    fn item(world: &World, store: &Store, document: &Document) -> Value {
        Self::view(world, store, document)
    }

    /// What create and update answer; most show the entity.
    fn written(world: &World, store: &Store, document: &Document) -> Value {
        Self::view(world, store, document)
    }

    /// Whether a list with these parameters and this body shows it.
    fn lists(document: &Document, request: &Request, filter: &Value) -> bool {
        let _ = (document, request, filter);
        true
    }
}

/// `{wrapper: entity, createdAt, lastModifiedAt}`, or the bare entity of a family without wrapper.
pub fn wrapped<F: Family + ?Sized>(document: &Document) -> Value {
    if F::WRAPPER.is_empty() {
        return document.body.clone();
    }
    let mut view = Fields::new();
    view.insert(F::WRAPPER.to_owned(), document.body.clone());
    view.insert("createdAt".to_owned(), json!(document.created_ms));
    view.insert("lastModifiedAt".to_owned(), json!(document.updated_ms));
    Value::Object(view)
}

/// A JSON body, without its wrapper.
pub fn read_json<F: Family + ?Sized>(request: &Request) -> Result<Fields, Reply> {
    let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
    let Value::Object(mut fields) = body else {
        return Err(Reply::unreadable("a JSON object is expected"));
    };
    if F::WRAPPER.is_empty() {
        return Ok(fields);
    }
    match fields.remove(F::WRAPPER) {
        Some(Value::Object(inner)) => Ok(inner),
        Some(_) => Err(Reply::unreadable(&format!("`{}` must be an object", F::WRAPPER))),
        None if F::WRAPPER_IS_NEEDED => {
            Err(Reply::field_failure(&[FieldError::new(F::WRAPPER, "must not be null")]))
        }
        None => Ok(fields),
    }
}

/// A YAML body below `root`, with the text itself as field `yaml`.
pub fn read_yaml(request: &Request, root: &str) -> Result<Fields, Reply> {
    from_yaml(&request.yaml_text(), root)
}

/// The fields below `root` in a YAML text, with the text itself as field `yaml`.
pub fn from_yaml(text: &str, root: &str) -> Result<Fields, Reply> {
    let document = crate::yaml::parse(text).map_err(|error| {
        Reply::ng_error(400, "INVALID_YAML_ERROR", &format!("Invalid YAML: {error}"))
    })?;
    let Some(Value::Object(fields)) = document.get(root) else {
        return Err(Reply::invalid(&format!("Invalid YAML: the root element `{root}` is missing")));
    };
    let mut fields = fields.clone();
    fields.insert("yaml".to_owned(), json!(text));
    Ok(fields)
}

/// Checks the fields of a draft by the table of its family.
pub fn check_fields<F: Family + ?Sized>(body: &Fields) -> Result<(), Reply> {
    let mut faults = Vec::new();
    for field in F::REQUIRED {
        match body.get(*field) {
            None | Some(Value::Null) => faults.push(FieldError::new(field, "must not be null")),
            Some(Value::String(text)) if text.trim().is_empty() => {
                faults.push(FieldError::new(field, "cannot be empty"));
            }
            Some(_) => {}
        }
    }
    if let Some(id) = body.get(F::ID_FIELD).filter(|id| !id.is_null()) {
        let fault = match id.as_str() {
            Some("") => None,
            Some(id) => F::ID_RULE.fault(id),
            None => Some("must be text".to_owned()),
        };
        faults.extend(fault.map(|fault| FieldError::new(F::ID_FIELD, &fault)));
    }
    if let Some(name) = body.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) {
        faults.extend(rules::name_fault(name).map(|fault| FieldError::new("name", &fault)));
    }
    faults.extend(rules::shared_faults(&Value::Object(body.clone())));
    if faults.is_empty() { Ok(()) } else { Err(Reply::field_failure(&faults)) }
}

/// The reply of a list: cut to the page, only then shown, and wrapped as the family does.
pub fn page<F: Family, T>(request: &Request, found: Vec<T>, show: impl Fn(T) -> Value) -> Answer {
    if F::PAGES == Pages::Whole {
        return Ok(Reply::ng(found.into_iter().map(show).collect()));
    }
    let page = F::PAGE_STYLE.read(request)?;
    let total = found.len();
    let items = page.slice(found).into_iter().map(show).collect();
    Ok(Reply::ng(match F::PAGES {
        Pages::Spring => spring_page(items, page, total),
        Pages::Ng | Pages::Whole => ng_page(items, page, total),
    }))
}

/// `Pipeline [x] under Project[p], Organization [o]`, as messages name an entity.
pub fn place_of<F: Family + ?Sized>(key: &Key) -> String {
    let Key { id, org, project, .. } = key;
    match key.scope().level() {
        "account" => format!("{} [{id}] in the account", F::NOUN),
        "organization" => format!("{} [{id}] under Organization [{org}]", F::NOUN),
        _ => format!("{} [{id}] under Project[{project}], Organization [{org}]", F::NOUN),
    }
}
