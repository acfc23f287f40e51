//! Triggers, kept below the pipeline they start.

use serde_json::{Value, json};

use super::{placed, refuse, text};
use crate::crud;
use crate::family::{Draft, Family, Fields, Levels, read_yaml};
use crate::paging::PageStyle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::rules::IdRule;
use crate::store::{Document, Key, Store};
use crate::world::World;

/// What may start a pipeline.
const SOURCES: [&str; 5] = ["Webhook", "Artifact", "Manifest", "Scheduled", "MultiRegionArtifact"];

struct Trigger;

impl Family for Trigger {
    const KIND: &'static str = "trigger";
    const NOUN: &'static str = "Trigger";
    const RESOURCE_TYPE: &'static str = "TRIGGER";
    const MODULE: &'static str = "PMS";
    const ID_RULE: IdRule = IdRule::Yaml;
    const REQUIRED: &'static [&'static str] = &[
        "identifier",
        "name",
        "orgIdentifier",
        "projectIdentifier",
        "pipelineIdentifier",
        "source",
    ];
    const LEVELS: Levels = Levels::Project;
    const PAGE_STYLE: PageStyle = PageStyle::short(25);
    const IS_VERSIONED: bool = true;

    fn parent(request: &Request, body: &Fields) -> Result<String, Reply> {
        let asked = request.query.first("targetIdentifier");
        let Some(asked) = asked else {
            return Err(refuse("targetIdentifier", "must not be null"));
        };
        let said = body.get("pipelineIdentifier").and_then(Value::as_str).unwrap_or(asked);
        if said != asked {
            return Err(Reply::invalid(&format!(
                "targetIdentifier [{asked}] does not match pipelineIdentifier [{said}] in the YAML"
            )));
        }
        Ok(asked.to_owned())
    }

    fn read(request: &Request) -> Result<Fields, Reply> {
        read_yaml(request, "trigger")
    }

    fn check(_: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        let pipeline = Key::new(super::pipeline::KIND, &draft.key.scope(), &draft.key.parent);
        if store.get(&pipeline)?.is_none() {
            return Err(crud::gone::<super::pipeline::Pipeline>(&pipeline));
        }
        let source = draft.body.get("source").cloned().unwrap_or_default();
        let kind = source.get("type").and_then(Value::as_str).unwrap_or_default();
        if !SOURCES.contains(&kind) {
            let error = format!("must be one of {}", SOURCES.join(", "));
            return Err(refuse("source.type", &error));
        }
        if kind == "Scheduled" {
            check_cron(&source)?;
        }
        let is_enabled = draft.body.get("enabled").and_then(Value::as_bool).unwrap_or(true);
        draft.body.insert("enabled".to_owned(), json!(is_enabled));
        Ok(())
    }

    fn view(world: &World, _: &Store, document: &Document) -> Value {
        let body = &document.body;
        let kind = body.get("source").and_then(|source| source.get("type"));
        json!({
            "name": text(document, "name"), "identifier": document.key.id,
            "description": body.get("description"), "type": kind,
            "accountIdentifier": world.account, "orgIdentifier": document.key.org,
            "projectIdentifier": document.key.project, "targetIdentifier": document.key.parent,
            "yaml": text(document, "yaml"), "version": document.version,
            "enabled": body.get("enabled"), "webhookUrl": webhook_url(world, document),
            "errorResponse": false, "errors": {},
        })
    }

    fn item(world: &World, _: &Store, document: &Document) -> Value {
        let body = placed(world, document);
        let field = |name: &str| body.get(name).cloned().unwrap_or_default();
        let url = webhook_url(world, document);
        json!({
            "name": field("name"), "identifier": document.key.id,
            "description": field("description"),
            "type": field("source").get("type"),
            "triggerStatus": {
                "status": "SUCCESS", "detailMessages": [], "pollingSubscriptionStatus": null,
                "validationStatus": {"statusResult": "SUCCESS", "detailedMessage": null},
                "webhookAutoRegistrationStatus": null, "webhookInfo": null,
            },
            "lastTriggerExecutionDetails": null, "webhookDetails": null, "buildDetails": null,
            "tags": field("tags"), "executions": [0, 0, 0, 0, 0, 0, 0], "yaml": field("yaml"),
            "webhookUrl": url, "webhookCurlCommand": null, "registrationStatus": "SUCCESS",
            "enabled": field("enabled"), "yamlVersion": "0", "isPipelineInputOutdated": false,
        })
    }
}

fn webhook_url(world: &World, document: &Document) -> Value {
    let kind = document.body.get("source").and_then(|source| source.get("type"));
    if kind.and_then(Value::as_str) != Some("Webhook") {
        return Value::Null;
    }
    json!(format!(
        "{}/gateway/pipeline/api/webhook/custom/v3?accountIdentifier={}&orgIdentifier={}\
         &projectIdentifier={}&pipelineIdentifier={}&triggerIdentifier={}",
        world.base_url,
        world.account,
        document.key.org,
        document.key.project,
        document.key.parent,
        document.key.id
    ))
}

fn check_cron(source: &Value) -> Result<(), Reply> {
    let cron = source.get("spec").and_then(|spec| spec.get("spec"));
    let expression = cron.and_then(|cron| cron.get("expression")).and_then(Value::as_str);
    let fields = expression.unwrap_or_default().split_whitespace().count();
    let is_quartz =
        cron.and_then(|cron| cron.get("type")).and_then(Value::as_str) == Some("QUARTZ");
    let fits = if is_quartz { (6..=7).contains(&fields) } else { fields == 5 };
    if fits {
        return Ok(());
    }
    let wanted = if is_quartz { "6 or 7 fields (QUARTZ)" } else { "5 fields (UNIX)" };
    Err(refuse("source.spec.spec.expression", &format!("is not a cron expression of {wanted}")))
}

fn details(world: &World, request: &Request, params: &Params) -> Reply {
    crud::settle(|| {
        let store = world.store();
        let key = crud::key::<Trigger>(&store, request, params)?;
        let document = crud::find::<Trigger>(&store, &key)?;
        Ok(Reply::ng(Trigger::item(world, &store, &document)).with_etag(document.version))
    })
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/pipeline/api/triggers";
    const ONE: &str = "/pipeline/api/triggers/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<Trigger>),
        Route::new("POST", PATH, crud::create::<Trigger>),
        Route::new("GET", ONE, crud::get::<Trigger>),
        Route::new("GET", "/pipeline/api/triggers/{id}/details", details),
        Route::new("PUT", ONE, crud::update::<Trigger>),
        Route::new("DELETE", ONE, crud::delete::<Trigger>),
    ]
}
