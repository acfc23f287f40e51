//! Pipelines. The document holds `identifier`, `name`, `description`, `tags`, `storeType` and the
//! YAML as it was sent in `yaml`; whatever else is known of it is read from that text.

use serde_json::{Value, json};

use super::{governance_pass, listed_in, tag_matches};
use crate::crud::{self, settle};
use crate::execution;
use crate::family::{Draft, Family, Fields, Levels, Pages, from_yaml, read_yaml};
use crate::paging::PageStyle;
use crate::pipeline_yaml;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::rules::IdRule;
use crate::store::{Document, Filter, Store};
use crate::world::World;
use crate::yaml;

/// Kind of pipelines in the store.
pub const KIND: &str = "pipeline";

/// The family of pipelines.
pub(super) struct Pipeline;

impl Family for Pipeline {
    const KIND: &'static str = KIND;
    const NOUN: &'static str = "Pipeline";
    const RESOURCE_TYPE: &'static str = "PIPELINE";
    const MODULE: &'static str = "PMS";
    const ID_RULE: IdRule = IdRule::Yaml;
    const REQUIRED: &'static [&'static str] =
        &["identifier", "name", "orgIdentifier", "projectIdentifier"];
    const LEVELS: Levels = Levels::Project;
    const PAGE_STYLE: PageStyle = PageStyle::short(25);
    const PAGES: Pages = Pages::Spring;
    const IS_VERSIONED: bool = true;

    fn read(request: &Request) -> Result<Fields, Reply> {
        let mut fields = read_yaml(request, "pipeline")?;
        git_details(request, &mut fields);
        Ok(fields)
    }

    fn check(_: &World, _: &Store, draft: &mut Draft) -> Result<(), Reply> {
        pipeline_yaml::check(&draft.body)?;
        keep_summary(draft);
        Ok(())
    }

    fn removed(_: &World, store: &Store, document: &Document) -> Result<(), Reply> {
        for kind in ["trigger", "input_set"] {
            let of_pipeline =
                Filter::kind(kind).scope(&document.key.scope()).parent(&document.key.id);
            store.remove_all(&of_pipeline)?;
        }
        Ok(())
    }

    fn view(world: &World, store: &Store, document: &Document) -> Value {
        summary(world, store, document)
    }

    fn written(_: &World, _: &Store, document: &Document) -> Value {
        json!({
            "identifier": document.key.id, "governanceMetadata": governance_pass(),
            "publicAccessResponse": {"isPublic": false, "errorMessage": null},
        })
    }

    fn lists(document: &Document, request: &Request, filter: &Value) -> bool {
        let module = request.query.first("module").unwrap_or_default().to_lowercase();
        let has_module = || {
            let pipeline = parsed(document);
            pipeline_yaml::modules(&pipeline).iter().any(|known| *known == module)
        };
        let name = filter.get("name").and_then(Value::as_str).unwrap_or_default().to_lowercase();
        let called = document.body.get("name").and_then(Value::as_str).unwrap_or_default();
        listed_in(filter, "pipelineIdentifiers", &document.key.id)
            && called.to_lowercase().contains(&name)
            && tag_matches(document, filter.get("pipelineTags"))
            && (module.is_empty() || has_module())
    }
}

/// What stays in the document beside the YAML.
fn keep_summary(draft: &mut Draft) {
    let kept = [
        "identifier",
        "name",
        "description",
        "tags",
        "yaml",
        "storeType",
        "connectorRef",
        "repoName",
        "branch",
        "filePath",
    ];
    draft.body.retain(|field, _| kept.contains(&field.as_str()));
}

fn git_details(request: &Request, fields: &mut Fields) {
    let store_type = request.query.first("storeType").unwrap_or("INLINE");
    fields.insert("storeType".to_owned(), json!(store_type));
    for field in ["connectorRef", "repoName", "branch", "filePath"] {
        if let Some(value) = request.query.first(field) {
            fields.insert(field.to_owned(), json!(value));
        }
    }
}

/// The `pipeline` object of a stored pipeline.
pub fn parsed(document: &Document) -> Value {
    let text = document.body.get("yaml").and_then(Value::as_str).unwrap_or_default();
    let parsed = yaml::parse(text).unwrap_or_default();
    parsed.get("pipeline").cloned().unwrap_or_default()
}

pub(super) fn shown_git(document: &Document) -> Value {
    let field = |name: &str| document.body.get(name).cloned().unwrap_or_default();
    if document.body.get("storeType").and_then(Value::as_str) != Some("REMOTE") {
        return Value::Null;
    }
    json!({
        "branch": field("branch"), "repoName": field("repoName"), "filePath": field("filePath"),
        "objectId": null, "commitId": null, "repoIdentifier": null, "rootFolder": null,
    })
}

fn summary(world: &World, store: &Store, document: &Document) -> Value {
    let pipeline = parsed(document);
    let stages = pipeline_yaml::stages(&pipeline);
    let names: Vec<&Value> = stages.iter().filter_map(|stage| stage.get("name")).collect();
    let field = |name: &str| document.body.get(name).cloned().unwrap_or_default();
    let recent = execution::recent(world, store, &document.key.scope(), &document.key.id);
    let last = recent.first().cloned().unwrap_or_default();
    let failed = recent.iter().filter(|run| super::runs::is_broken(run)).count();
    json!({
        "name": field("name"), "identifier": document.key.id,
        "description": field("description"), "tags": field("tags"),
        "version": document.version, "numOfStages": stages.len(),
        "createdAt": document.created_ms, "lastUpdatedAt": document.updated_ms,
        "modules": pipeline_yaml::modules(&pipeline),
        "executionSummaryInfo": {
            "numOfErrors": [0, 0, 0, 0, 0, 0, failed],
            "deployments": [0, 0, 0, 0, 0, 0, recent.len()],
            "lastExecutionTs": last.get("startTs"), "lastExecutionStatus": last.get("status"),
            "lastExecutionId": last.get("planExecutionId"),
        },
        "filters": {}, "stageNames": names, "gitDetails": shown_git(document),
        "entityValidityDetails": {"valid": true, "invalidYaml": null},
        "storeType": field("storeType"), "connectorRef": field("connectorRef"),
        "isDraft": false, "yamlVersion": "0", "recentExecutionsInfo": recent,
    })
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let key = crud::key::<Pipeline>(&store, request, params)?;
        let document = crud::find::<Pipeline>(&store, &key)?;
        let field = |name: &str| document.body.get(name).cloned().unwrap_or_default();
        let is_resolved = request.query.flag("getTemplatesResolvedPipeline");
        let resolved = if is_resolved {
            super::template::resolved(&store, &key.scope(), &parsed(&document))?
        } else {
            Value::Null
        };
        let data = json!({
            "yamlPipeline": field("yaml"), "resolvedTemplatesPipelineYaml": resolved,
            "gitDetails": shown_git(&document),
            "entityValidityDetails": {"valid": true, "invalidYaml": null},
            "modules": pipeline_yaml::modules(&parsed(&document)),
            "governanceMetadata": null, "yamlSchemaErrorWrapper": null,
            "validateTemplateInputsResponse": null, "cacheResponse": null,
            "validationUuid": null, "storeType": field("storeType"),
            "connectorRef": field("connectorRef"), "allowDynamicExecutions": false,
            "isInlineHCEntity": false,
        });
        Ok(Reply::ng(data).with_etag(document.version))
    })
}

fn get_summary(world: &World, request: &Request, params: &Params) -> Reply {
    crud::get::<Pipeline>(world, request, params)
}

/// Reads the YAML from a repository of the sandbox's code service.
fn import(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = Pipeline::scope(request, params);
        let text = super::runs::repository_file(world, &store, request, &scope)?;
        let mut fields = from_yaml(&text, "pipeline")?;
        git_details(request, &mut fields);
        fields.insert("storeType".to_owned(), json!("REMOTE"));
        let draft = crud::draft::<Pipeline>(world, &store, request, &scope, fields)?;
        let document = crud::insert::<Pipeline>(world, &store, &draft)?;
        Ok(Reply::ng(json!({"identifier": document.key.id})).with_etag(document.version))
    })
}

fn move_config(world: &World, request: &Request, params: &Params) -> Reply {
    super::move_config::<Pipeline>(world, request, params, "pipelineIdentifier")
}

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/pipeline/api/pipelines/{id}";
    const V2: &str = "/pipeline/api/pipelines/v2";
    vec![
        Route::new("POST", "/pipeline/api/pipelines/list", crud::list::<Pipeline>),
        Route::new("GET", "/pipeline/api/pipelines/summary/{id}", get_summary),
        Route::new("POST", "/pipeline/api/pipelines/import", import),
        Route::new("POST", "/pipeline/api/pipelines/move-config/{id}", move_config),
        Route::new("POST", V2, crud::create::<Pipeline>),
        Route::new("POST", "/pipeline/api/pipelines", crud::create::<Pipeline>),
        Route::new("PUT", "/pipeline/api/pipelines/v2/{id}", crud::update::<Pipeline>),
        Route::new("GET", ONE, get),
        Route::new("PUT", ONE, crud::update::<Pipeline>),
        Route::new("DELETE", ONE, crud::delete::<Pipeline>),
    ]
}
