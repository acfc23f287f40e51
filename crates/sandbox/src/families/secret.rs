//! Secrets: their metadata. The value is never kept, so it can never be read.

use serde_json::{Value, json};

use super::{governance_pass, listed_in, refuse, require, text};
use crate::crud;
use crate::family::{Draft, Family, Fields, read_json};
use crate::paging::PageStyle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::Route;
use crate::rules::IdRule;
use crate::store::{Document, Store};
use crate::world::World;

const TYPES: [&str; 4] = ["SecretText", "SecretFile", "SSHKey", "WinRmCredentials"];
const VALUE_TYPES: [&str; 3] = ["Inline", "Reference", "CustomSecretManagerValues"];

struct Secret;

impl Family for Secret {
    const KIND: &'static str = "secret";
    const NOUN: &'static str = "Secret";
    const RESOURCE_TYPE: &'static str = "SECRET";
    const WRAPPER: &'static str = "secret";
    const WRAPPER_IS_NEEDED: bool = true;
    const ID_RULE: IdRule = IdRule::Secret;
    const REQUIRED: &'static [&'static str] = &["identifier", "name", "type", "spec"];
    const PAGE_STYLE: PageStyle = PageStyle::ng(100);
    const PARENT_SCOPES_FLAG: &'static str = "includeAllSecretsAccessibleAtScope";
    const GONE: (u16, &'static str) = (400, "SECRET_NOT_FOUND");

    /// A file comes as multipart: its metadata is the field `spec`.
    fn read(request: &Request) -> Result<Fields, Reply> {
        let Some(part) = request.parts.iter().find(|part| part.name == "spec") else {
            return read_json::<Self>(request);
        };
        let inner = Request { body: part.bytes.clone(), ..Request::default() };
        read_json::<Self>(&inner)
    }

    fn check(_: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        let kind = draft.text("type").to_owned();
        if !TYPES.contains(&kind.as_str()) {
            return Err(refuse("secret.type", &format!("must be one of {}", TYPES.join(", "))));
        }
        let scope = draft.key.scope();
        let Some(Value::Object(spec)) = draft.body.get_mut("spec") else {
            return Err(refuse("secret.spec", "must be an object"));
        };
        spec.entry("type").or_insert_with(|| json!(kind));
        if !kind.starts_with("Secret") {
            return Ok(());
        }
        let manager = spec.get("secretManagerIdentifier").and_then(Value::as_str);
        let Some(manager) = manager.filter(|manager| !manager.is_empty()) else {
            return Err(refuse("secret.spec.secretManagerIdentifier", "must not be null"));
        };
        require(store, "connector", &scope, manager)?;
        if kind == "SecretText" {
            let value_type = spec.get("valueType").and_then(Value::as_str).unwrap_or_default();
            if !VALUE_TYPES.contains(&value_type) {
                let error = format!("must be one of {}", VALUE_TYPES.join(", "));
                return Err(refuse("secret.spec.valueType", &error));
            }
            spec.insert("value".to_owned(), Value::Null);
        }
        Ok(())
    }

    fn view(_: &World, _: &Store, document: &Document) -> Value {
        json!({
            "secret": document.body, "createdAt": document.created_ms,
            "updatedAt": document.updated_ms, "draft": false,
            "governanceMetadata": governance_pass(),
        })
    }

    fn lists(document: &Document, request: &Request, filter: &Value) -> bool {
        let manager = document.body.get("spec").and_then(|s| s.get("secretManagerIdentifier"));
        let manager = manager.and_then(Value::as_str).unwrap_or_default();
        let wanted = |name: &str, has: &str| {
            let said = filter.get(name).and_then(Value::as_str).unwrap_or_default();
            has.to_lowercase().contains(&said.to_lowercase())
        };
        let kinds = request.query.all("type");
        listed_in(filter, "secretTypes", text(document, "type"))
            && (kinds.is_empty() || kinds.contains(&text(document, "type")))
            && listed_in(filter, "secretManagerIdentifiers", manager)
            && wanted("secretName", text(document, "name"))
            && wanted("secretIdentifier", &document.key.id)
    }
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/v2/secrets";
    const ONE: &str = "/ng/api/v2/secrets/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<Secret>),
        Route::new("POST", "/ng/api/v2/secrets/list/secrets", crud::list::<Secret>),
        Route::new("POST", PATH, crud::create::<Secret>),
        Route::new("POST", "/ng/api/v2/secrets/files", crud::create::<Secret>),
        Route::new("PUT", "/ng/api/v2/secrets/files/{id}", crud::update::<Secret>),
        Route::new("GET", ONE, crud::get::<Secret>),
        Route::new("PUT", ONE, crud::update::<Secret>),
        Route::new("DELETE", ONE, crud::delete::<Secret>),
    ]
}
