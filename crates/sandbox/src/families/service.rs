//! Services.

use serde_json::{Value, json};

use super::{agreeing_yaml, governance_pass, placed, refuse};
use crate::crud;
use crate::family::{Draft, Family, wrapped};
use crate::paging::PageStyle;
use crate::reply::Reply;
use crate::router::Route;
use crate::rules::IdRule;
use crate::store::{Document, Store};
use crate::world::World;
use crate::yaml;

/// How a service may be deployed.
const DEPLOYMENT_TYPES: [&str; 18] = [
    "Kubernetes",
    "NativeHelm",
    "Ssh",
    "WinRm",
    "ECS",
    "AzureWebApp",
    "AzureFunction",
    "ServerlessAwsLambda",
    "TAS",
    "Asg",
    "GoogleCloudFunctions",
    "AwsLambda",
    "AWS_SAM",
    "AwsSam",
    "GoogleCloudRun",
    "CustomDeployment",
    "Elastigroup",
    "Salesforce",
];

pub(super) struct Service;

impl Family for Service {
    const KIND: &'static str = "service";
    const NOUN: &'static str = "Service";
    const RESOURCE_TYPE: &'static str = "SERVICE";
    const MODULE: &'static str = "CD";
    const WRAPPER: &'static str = "service";
    const ID_RULE: IdRule = IdRule::Yaml;
    const PAGE_STYLE: PageStyle = PageStyle::short(100);
    const PARENT_SCOPES_FLAG: &'static str = "includeAllServicesAccessibleAtScope";
    const IS_VERSIONED: bool = true;
    const GONE_ON_UPDATE: (u16, &'static str) = (400, "INVALID_REQUEST");

    fn check(_: &World, _: &Store, draft: &mut Draft) -> Result<(), Reply> {
        let Some(inner) = agreeing_yaml(&draft.body, "service", &["identifier", "name"])? else {
            let written = json!({"service": {
                "name": draft.text("name"), "identifier": draft.key.id,
                "tags": draft.body.get("tags"),
            }});
            draft.body.insert("yaml".to_owned(), json!(yaml::write(&written)));
            return Ok(());
        };
        let kind = inner.get("serviceDefinition").and_then(|definition| definition.get("type"));
        let kind = kind.and_then(Value::as_str);
        if kind.is_some_and(|kind| !DEPLOYMENT_TYPES.contains(&kind)) {
            let error = format!("must be one of {}", DEPLOYMENT_TYPES.join(", "));
            return Err(refuse("service.serviceDefinition.type", &error));
        }
        Ok(())
    }

    fn view(world: &World, _: &Store, document: &Document) -> Value {
        let mut view = wrapped::<Self>(document);
        let mut entity = placed(world, document);
        entity.insert("deleted".to_owned(), json!(false));
        entity.insert("version".to_owned(), json!(document.version));
        entity.entry("storeType").or_insert_with(|| json!("INLINE"));
        if let Some(fields) = view.as_object_mut() {
            fields.insert("service".to_owned(), Value::Object(entity));
            let valid = json!({"valid": true, "invalidYaml": null});
            fields.insert("entityValidityDetails".to_owned(), valid);
            fields.insert("governanceMetadata".to_owned(), governance_pass());
        }
        view
    }
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/servicesV2";
    const ONE: &str = "/ng/api/servicesV2/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<Service>),
        Route::new("POST", PATH, crud::create::<Service>),
        Route::new("PUT", PATH, crud::update::<Service>),
        Route::new("PUT", "/ng/api/servicesV2/upsert", crud::upsert::<Service>),
        Route::new("GET", ONE, crud::get::<Service>),
        Route::new("DELETE", ONE, crud::delete::<Service>),
    ]
}
