//! The file store: files and folders, sent as multipart.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::{refuse, text};
use crate::crud::{self, settle};
use crate::family::{Draft, Family, Fields, read_json};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store};
use crate::world::{CALLER, World};

/// The folder everything lies in.
const ROOT: &str = "Root";
const USAGES: [&str; 4] = ["MANIFEST_FILE", "CONFIG", "SCRIPT", "MANIFEST"];
/// Kind of the documents that hold what files contain.
const CONTENT: &str = "file_store_content";
/// A folder may lie no deeper than this.
const DEEPEST: usize = 64;

struct FileStore;

impl Family for FileStore {
    const KIND: &'static str = "file_store";
    const NOUN: &'static str = "File or folder";
    const RESOURCE_TYPE: &'static str = "FILE";
    const REQUIRED: &'static [&'static str] = &["identifier", "name", "type", "parentIdentifier"];

    fn read(request: &Request) -> Result<Fields, Reply> {
        let mut fields =
            if request.parts.is_empty() { read_json::<Self>(request)? } else { form(request) };
        if fields.get("identifier").is_none_or(Value::is_null) {
            let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
            let id: String =
                name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            fields.insert("identifier".to_owned(), json!(id));
        }
        Ok(fields)
    }

    fn check(_: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        if !["FILE", "FOLDER"].contains(&draft.text("type")) {
            return Err(refuse("type", "must be FILE or FOLDER"));
        }
        let usage = draft.text("fileUsage").to_owned();
        if !usage.is_empty() && !USAGES.contains(&usage.as_str()) {
            return Err(refuse("fileUsage", &format!("must be one of {}", USAGES.join(", "))));
        }
        let scope = draft.key.scope();
        let parent = draft.text("parentIdentifier").to_owned();
        if parent == draft.key.id {
            return Err(refuse("parentIdentifier", "must not be the folder itself"));
        }
        let folder = store.get(&Key::new(Self::KIND, &scope, &parent))?;
        if parent != ROOT && folder.is_none_or(|folder| text(&folder, "type") != "FOLDER") {
            return Err(Reply::invalid(&format!("Folder with identifier [{parent}] not found")));
        }
        let path = format!("{}/{}", path_of(store, &scope, &parent)?, draft.text("name"));
        draft.body.insert("path".to_owned(), json!(path));
        let siblings = store.list(&Filter::kind(Self::KIND).scope(&scope))?;
        let is_taken = siblings.iter().any(|other| {
            other.key.id != draft.key.id
                && text(other, "parentIdentifier") == parent
                && text(other, "name") == draft.text("name")
        });
        if is_taken {
            let message = format!("{path} already exists, use another name");
            return Err(Reply::ng_error(400, "DUPLICATE_FIELD", &message));
        }
        Ok(())
    }

    fn removed(_: &World, store: &Store, document: &Document) -> Result<(), Reply> {
        let scope = document.key.scope();
        let mut folders = vec![document.key.id.clone()];
        while let Some(folder) = folders.pop() {
            store.remove(&Key::new(CONTENT, &scope, &folder))?;
            for inside in store.list(&Filter::kind(Self::KIND).scope(&scope))? {
                if text(&inside, "parentIdentifier") == folder {
                    store.remove(&inside.key)?;
                    folders.push(inside.key.id);
                }
            }
        }
        Ok(())
    }

    fn view(world: &World, _: &Store, document: &Document) -> Value {
        let body = super::placed(world, document);
        let field = |name: &str| body.get(name).cloned().unwrap_or_default();
        let person = json!({"name": CALLER.name, "email": CALLER.email});
        json!({
            "accountIdentifier": world.account, "orgIdentifier": field("orgIdentifier"),
            "projectIdentifier": field("projectIdentifier"), "identifier": document.key.id,
            "name": field("name"), "fileUsage": field("fileUsage"), "type": field("type"),
            "parentIdentifier": field("parentIdentifier"), "description": field("description"),
            "tags": field("tags"), "mimeType": field("mimeType"), "path": field("path"),
            "draft": false, "size": field("size"), "createdBy": person.clone(),
            "lastModifiedBy": person, "lastModifiedAt": document.updated_ms,
        })
    }

    fn lists(document: &Document, request: &Request, _: &Value) -> bool {
        let wanted = request.query.all("identifiers");
        wanted.is_empty() || wanted.contains(&document.key.id.as_str())
    }
}

/// The fields of a multipart form; the content goes its own way.
fn form(request: &Request) -> Fields {
    let mut fields = Map::new();
    for part in request.parts.iter().filter(|part| part.name != "content") {
        let text = String::from_utf8_lossy(&part.bytes).into_owned();
        if part.name != "tags" {
            fields.insert(part.name.clone(), json!(text));
            continue;
        }
        // Tags come as JSON text: `[{"key":…,"value":…}]`.
        let pairs: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
        let tag = |pair: &Value| {
            let key = pair.get("key").and_then(Value::as_str)?.to_owned();
            Some((key, pair.get("value").cloned().unwrap_or(json!(""))))
        };
        fields.insert("tags".to_owned(), Value::Object(pairs.iter().filter_map(tag).collect()));
    }
    if let Some(content) = request.parts.iter().find(|part| part.name == "content") {
        fields.insert("size".to_owned(), json!(content.bytes.len()));
    }
    fields
}

fn path_of(store: &Store, scope: &Scope, folder: &str) -> Result<String, Reply> {
    let mut names = Vec::new();
    let mut at = folder.to_owned();
    while at != ROOT {
        let Some(document) = store.get(&Key::new(FileStore::KIND, scope, &at))? else { break };
        names.push(text(&document, "name").to_owned());
        text(&document, "parentIdentifier").clone_into(&mut at);
        if names.len() > DEEPEST {
            return Err(Reply::invalid("Folders are nested too deep"));
        }
    }
    names.reverse();
    Ok(names.iter().fold(String::new(), |path, name| format!("{path}/{name}")))
}

fn keep_content(
    world: &World,
    store: &Store,
    request: &Request,
    document: &Document,
) -> Result<(), Reply> {
    let Some(content) = request.parts.iter().find(|part| part.name == "content") else {
        return Ok(());
    };
    let key = Key::new(CONTENT, &document.key.scope(), &document.key.id);
    store.put(&key, &json!(STANDARD.encode(&content.bytes)), world.now_ms())?;
    Ok(())
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let fields = FileStore::read(request)?;
        let scope = FileStore::scope(request, params);
        let draft = crud::draft::<FileStore>(world, &store, request, &scope, fields)?;
        let document = crud::insert::<FileStore>(world, &store, &draft)?;
        keep_content(world, &store, request, &document)?;
        Ok(Reply::ng(FileStore::view(world, &store, &document)))
    })
}

fn update(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let mut fields = FileStore::read(request)?;
        fields.insert("identifier".to_owned(), json!(params.get("id")));
        let scope = FileStore::scope(request, params);
        let draft = crud::draft::<FileStore>(world, &store, request, &scope, fields)?;
        let document = crud::replace::<FileStore>(world, &store, request, &draft)?;
        keep_content(world, &store, request, &document)?;
        Ok(Reply::ng(FileStore::view(world, &store, &document)))
    })
}

fn download(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let key = crud::key::<FileStore>(&store, request, params)?;
        crud::find::<FileStore>(&store, &key)?;
        let content = store.get(&Key::new(CONTENT, &key.scope(), &key.id))?;
        let content = content.as_ref().and_then(|content| content.body.as_str());
        let bytes = STANDARD.decode(content.unwrap_or_default()).unwrap_or_default();
        Ok(Reply::raw(200, "application/octet-stream", bytes))
    })
}

/// The node of a folder with what lies directly in it.
fn folder(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = request.scope();
        crate::places::require(&store, &scope)?;
        let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
        let Some(id) = body.get("identifier").and_then(Value::as_str) else {
            return Err(refuse("identifier", "must not be null"));
        };
        let key = Key::new(FileStore::KIND, &scope, id);
        let folder = if id == ROOT { None } else { Some(crud::find::<FileStore>(&store, &key)?) };
        let usage = request.query.first("fileUsage");
        let mut children = store.list(&Filter::kind(FileStore::KIND).scope(&scope))?;
        children.retain(|one| {
            text(one, "parentIdentifier") == id
                && usage.is_none_or(|usage| usage == text(one, "fileUsage"))
        });
        let name = folder.as_ref().map_or(ROOT, |folder| text(folder, "name"));
        let parent = folder.as_ref().map(|folder| text(folder, "parentIdentifier"));
        let children: Vec<Value> = children.iter().map(node).collect();
        Ok(Reply::ng(json!({
            "identifier": id, "name": name, "type": "FOLDER", "parentIdentifier": parent,
            "children": children,
        })))
    })
}

fn node(document: &Document) -> Value {
    let mut node = json!({
        "identifier": document.key.id, "name": text(document, "name"),
        "type": text(document, "type"), "parentIdentifier": text(document, "parentIdentifier"),
        "path": text(document, "path"), "lastModifiedAt": document.updated_ms,
        "lastModifiedBy": {"name": CALLER.name, "email": CALLER.email},
    });
    if let Some(fields) = node.as_object_mut().filter(|_| text(document, "type") == "FILE") {
        for field in ["fileUsage", "mimeType"] {
            let value = document.body.get(field).cloned().unwrap_or_default();
            fields.insert(field.to_owned(), value);
        }
    }
    node
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/file-store";
    const ONE: &str = "/ng/api/file-store/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<FileStore>),
        Route::new("POST", PATH, create),
        Route::new("POST", "/ng/api/file-store/folder", folder),
        Route::new("GET", "/ng/api/file-store/files/{id}/download", download),
        Route::new("GET", ONE, crud::get::<FileStore>),
        Route::new("PUT", ONE, update),
        Route::new("DELETE", ONE, crud::delete::<FileStore>),
    ]
}
