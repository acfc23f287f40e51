//! Infrastructure definitions, kept below their environment.

use serde_json::{Value, json};

use super::{agreeing_yaml, placed, refuse, require, text};
use crate::crud;
use crate::family::{Draft, Family, Fields, wrapped};
use crate::paging::PageStyle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::rules::IdRule;
use crate::store::{Document, Store};
use crate::world::World;

/// What an infrastructure may be.
const TYPES: [&str; 20] = [
    "KubernetesDirect",
    "KubernetesGcp",
    "KubernetesAzure",
    "KubernetesAws",
    "KubernetesRancher",
    "Pdc",
    "SshWinRmAzure",
    "SshWinRmAws",
    "ServerlessAwsLambda",
    "AzureWebApp",
    "AzureFunction",
    "ECS",
    "Elastigroup",
    "TAS",
    "Asg",
    "CustomDeployment",
    "GoogleCloudFunctions",
    "GoogleCloudRun",
    "AwsLambda",
    "AWS_SAM",
];

struct Infrastructure;

impl Family for Infrastructure {
    const KIND: &'static str = "infrastructure";
    const NOUN: &'static str = "Infrastructure";
    const RESOURCE_TYPE: &'static str = "INFRASTRUCTURE";
    const MODULE: &'static str = "CD";
    const WRAPPER: &'static str = "infrastructure";
    const ID_RULE: IdRule = IdRule::Yaml;
    const REQUIRED: &'static [&'static str] =
        &["identifier", "name", "environmentRef", "type", "yaml"];
    const PAGE_STYLE: PageStyle = PageStyle::short(100);
    const IS_VERSIONED: bool = true;
    const GONE_ON_UPDATE: (u16, &'static str) = (400, "INVALID_REQUEST");

    fn parent(request: &Request, body: &Fields) -> Result<String, Reply> {
        let said = body.get("environmentRef").and_then(Value::as_str);
        match said.or(request.query.first("environmentIdentifier")) {
            Some(environment) => Ok(environment.to_owned()),
            None => Err(refuse("environmentIdentifier", "must not be null")),
        }
    }

    fn check(_: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        require(store, "environment", &draft.key.scope(), &draft.key.parent)?;
        if !TYPES.contains(&draft.text("type")) {
            return Err(refuse("type", &format!("must be one of {}", TYPES.join(", "))));
        }
        let alike = ["identifier", "name", "environmentRef", "type"];
        let Some(inner) = agreeing_yaml(&draft.body, "infrastructureDefinition", &alike)? else {
            return Err(refuse("yaml", "cannot be empty"));
        };
        for field in ["deploymentType", "type", "spec", "environmentRef"] {
            if inner.get(field).is_none_or(Value::is_null) {
                let field = format!("infrastructureDefinition.{field}");
                return Err(refuse(&field, "is missing but it is required"));
            }
        }
        let deployment = inner.get("deploymentType").cloned().unwrap_or_default();
        draft.body.insert("deploymentType".to_owned(), deployment);
        Ok(())
    }

    fn view(world: &World, _: &Store, document: &Document) -> Value {
        let mut view = wrapped::<Self>(document);
        let mut entity = placed(world, document);
        entity.entry("storeType").or_insert_with(|| json!("INLINE"));
        if let Some(fields) = view.as_object_mut() {
            fields.insert("infrastructure".to_owned(), Value::Object(entity));
            let valid = json!({"valid": true, "invalidYaml": null});
            fields.insert("entityValidityDetails".to_owned(), valid);
        }
        view
    }

    fn lists(document: &Document, request: &Request, _: &Value) -> bool {
        let wanted = request.query.first("deploymentType");
        wanted.is_none_or(|wanted| wanted == text(document, "deploymentType"))
    }
}

fn move_config(world: &World, request: &Request, params: &Params) -> Reply {
    super::move_config::<Infrastructure>(world, request, params, "identifier")
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/infrastructures";
    const ONE: &str = "/ng/api/infrastructures/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<Infrastructure>),
        Route::new("POST", PATH, crud::create::<Infrastructure>),
        Route::new("PUT", PATH, crud::update::<Infrastructure>),
        Route::new("PUT", "/ng/api/infrastructures/upsert", crud::upsert::<Infrastructure>),
        Route::new("POST", "/ng/api/infrastructures/move-config/{id}", move_config),
        Route::new("GET", ONE, crud::get::<Infrastructure>),
        Route::new("DELETE", ONE, crud::delete::<Infrastructure>),
    ]
}
