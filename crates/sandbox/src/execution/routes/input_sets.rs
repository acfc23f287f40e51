//! Input sets and overlays: named inputs of a pipeline, kept below it.

use serde_json::{Map, Value, json};

use super::input_set_key;
use crate::crud;
use crate::execution::inputs::merge::fill;
use crate::execution::pipelines;
use crate::family::{Draft, Family, Fields, Levels, read_yaml};
use crate::paging::PageStyle;
use crate::reply::{FieldError, Reply};
use crate::request::Request;
use crate::router::Route;
use crate::rules::IdRule;
use crate::scope::Scope;
use crate::store::{Document, Store};
use crate::world::World;
use crate::yaml;

/// Kind of input sets and overlays in the store.
pub(crate) const KIND: &str = "input_set";

/// Overlays cannot hold overlays, so one level is all there is.
const OVERLAY: &str = "OVERLAY_INPUT_SET";

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/pipeline/api/inputSets";
    const ONE: &str = "/pipeline/api/inputSets/{id}";
    const OVERLAYS: &str = "/pipeline/api/inputSets/overlay";
    const OVERLAY_ONE: &str = "/pipeline/api/inputSets/overlay/{id}";
    vec![
        Route::new("GET", ALL, crud::list::<InputSet>),
        Route::new("POST", ALL, crud::create::<InputSet>),
        Route::new("GET", ONE, crud::get::<InputSet>),
        Route::new("PUT", ONE, crud::update::<InputSet>),
        Route::new("DELETE", ONE, crud::delete::<InputSet>),
        Route::new("POST", OVERLAYS, crud::create::<Overlay>),
        Route::new("GET", OVERLAY_ONE, crud::get::<Overlay>),
        Route::new("PUT", OVERLAY_ONE, crud::update::<Overlay>),
        Route::new("DELETE", OVERLAY_ONE, crud::delete::<Overlay>),
    ]
}

fn owner(request: &Request) -> Result<String, Reply> {
    let missing =
        || Reply::field_failure(&[FieldError::new("pipelineIdentifier", "must not be null")]);
    request.query.first("pipelineIdentifier").map(str::to_owned).ok_or_else(missing)
}

/// The family of input sets.
struct InputSet;

impl Family for InputSet {
    const KIND: &'static str = KIND;
    const NOUN: &'static str = "InputSet";
    const RESOURCE_TYPE: &'static str = "INPUT_SET";
    const MODULE: &'static str = "PMS";
    const ID_RULE: IdRule = IdRule::Yaml;
    const REQUIRED: &'static [&'static str] =
        &["identifier", "name", "orgIdentifier", "projectIdentifier", "pipeline"];
    const LEVELS: Levels = Levels::Project;
    const PAGE_STYLE: PageStyle = PageStyle::short(100);
    const IS_VERSIONED: bool = true;

    fn parent(request: &Request, _: &Fields) -> Result<String, Reply> {
        owner(request)
    }

    fn read(request: &Request) -> Result<Fields, Reply> {
        read_yaml(request, "inputSet")
    }

    fn check(_: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        let pipeline = pipelines::wanted(store, &draft.key.scope(), &draft.key.parent)?;
        let given = json!({"pipeline": draft.body.get("pipeline")});
        let named = given.pointer("/pipeline/identifier").and_then(Value::as_str);
        if named.is_some_and(|named| named != draft.key.parent) {
            return Err(Reply::invalid(&format!(
                "the pipeline identifier [{}] in the input set does not match [{}] in the query",
                named.unwrap_or_default(),
                draft.key.parent
            )));
        }
        let strays = fill(&mut pipeline.document.clone(), &given);
        if !strays.is_empty() {
            return Err(refusal(&strays, &draft.key.id));
        }
        draft.body.insert("inputSetType".to_owned(), json!("INPUT_SET"));
        Ok(())
    }

    fn view(world: &World, store: &Store, document: &Document) -> Value {
        view(world, store, document)
    }

    fn item(_: &World, store: &Store, document: &Document) -> Value {
        item(store, document)
    }

    fn lists(document: &Document, request: &Request, _: &Value) -> bool {
        let asked = request.query.first("inputSetType").unwrap_or("ALL");
        asked == "ALL" || asked == kind_of(document)
    }
}

/// The family of overlays: input sets laid over each other.
struct Overlay;

impl Family for Overlay {
    const KIND: &'static str = KIND;
    const NOUN: &'static str = "InputSet";
    const RESOURCE_TYPE: &'static str = "INPUT_SET";
    const MODULE: &'static str = "PMS";
    const ID_RULE: IdRule = IdRule::Yaml;
    const REQUIRED: &'static [&'static str] = &[
        "identifier",
        "name",
        "orgIdentifier",
        "projectIdentifier",
        "pipelineIdentifier",
        "inputSetReferences",
    ];
    const LEVELS: Levels = Levels::Project;
    const PAGE_STYLE: PageStyle = PageStyle::short(100);
    const IS_VERSIONED: bool = true;

    fn parent(request: &Request, _: &Fields) -> Result<String, Reply> {
        owner(request)
    }

    fn read(request: &Request) -> Result<Fields, Reply> {
        read_yaml(request, "overlayInputSet")
    }

    fn check(_: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        pipelines::wanted(store, &draft.key.scope(), &draft.key.parent)?;
        let references = references(&Value::Object(draft.body.clone()));
        let mut errors = Map::new();
        for id in &references {
            let found = store.get(&input_set_key(&draft.key.scope(), &draft.key.parent, id))?;
            match found {
                None => errors.insert(id.clone(), json!("Reference does not exist")),
                Some(found) if kind_of(&found) == OVERLAY => {
                    errors.insert(id.clone(), json!("References can't be other overlay input sets"))
                }
                Some(_) => None,
            };
        }
        if references.is_empty() {
            errors.insert(String::new(), json!("Input Set References can't be empty"));
        }
        if !errors.is_empty() {
            let metadata = json!({
                "type": "OverlayInputSetErrorWrapper", "invalidReferences": errors,
            });
            let message =
                "Some references of the overlay input set are wrong; see `invalidReferences`";
            return Err(Reply::ng_error_with(400, "INVALID_OVERLAY_INPUT_SET", message, metadata));
        }
        draft.body.insert("inputSetType".to_owned(), json!(OVERLAY));
        Ok(())
    }

    fn view(world: &World, store: &Store, document: &Document) -> Value {
        view(world, store, document)
    }
}

fn references(body: &Value) -> Vec<String> {
    super::texts(body, "inputSetReferences")
}

fn kind_of(document: &Document) -> &str {
    document.body.get("inputSetType").and_then(Value::as_str).unwrap_or("INPUT_SET")
}

/// 400 that names each field which the pipeline does not ask for.
fn refusal(strays: &[String], id: &str) -> Reply {
    let errors: Map<String, Value> = strays
        .iter()
        .map(|path| {
            let field = path.rsplit('.').next().unwrap_or(path);
            let error = json!({
                "fieldName": field, "identifierOfErrorSource": id,
                "message": "Field either not present in pipeline or not a runtime input",
            });
            (path.clone(), json!({"errors": [error]}))
        })
        .collect();
    let metadata = json!({
        "type": "InputSetErrorWrapper", "errorPipelineYaml": null,
        "uuidToErrorResponseMap": errors, "invalidInputSetReferences": [],
    });
    let message = format!(
        "Some fields in the input set are not runtime inputs of the pipeline: {}",
        strays.join(", ")
    );
    Reply::ng_error_with(400, "INVALID_INPUT_SET", &message, metadata)
}

/// Fields of a stored input set that its pipeline does not ask for any more.
fn outdated(store: &Store, document: &Document) -> bool {
    let Ok(pipeline) = pipelines::wanted(store, &document.key.scope(), &document.key.parent) else {
        return true;
    };
    let given = json!({"pipeline": document.body.get("pipeline")});
    kind_of(document) != OVERLAY && !fill(&mut pipeline.document.clone(), &given).is_empty()
}

fn view(world: &World, store: &Store, document: &Document) -> Value {
    let field = |name: &str| document.body.get(name).cloned().unwrap_or_default();
    let mut view = json!({
        "accountId": world.account, "orgIdentifier": document.key.org,
        "projectIdentifier": document.key.project, "pipelineIdentifier": document.key.parent,
        "identifier": document.key.id, "name": field("name"),
        "description": field("description"), "tags": field("tags"),
        "version": document.version, "gitDetails": null,
        "entityValidityDetails": {"valid": true, "invalidYaml": null},
        "isOutdated": outdated(store, document), "isErrorResponse": false,
        "inputSetErrorWrapper": null, "storeType": "INLINE", "connectorRef": null,
    });
    let Some(fields) = view.as_object_mut() else { return view };
    if kind_of(document) == OVERLAY {
        fields.insert("inputSetReferences".to_owned(), field("inputSetReferences"));
        fields.insert("overlayInputSetYaml".to_owned(), field("yaml"));
    } else {
        fields.insert("inputSetYaml".to_owned(), field("yaml"));
    }
    view
}

fn item(store: &Store, document: &Document) -> Value {
    let field = |name: &str| document.body.get(name).cloned().unwrap_or_default();
    json!({
        "identifier": document.key.id, "name": field("name"),
        "pipelineIdentifier": document.key.parent, "description": field("description"),
        "inputSetType": kind_of(document), "tags": field("tags"), "gitDetails": null,
        "createdAt": document.created_ms, "lastUpdatedAt": document.updated_ms,
        "isOutdated": outdated(store, document), "inputSetErrorDetails": null,
        "overlaySetErrorDetails": null,
        "entityValidityDetails": {"valid": true, "invalidYaml": null},
        "modules": null, "version": document.version,
    })
}

/// Adds the inputs of one input set to `given`; an overlay adds those it refers to.
pub(crate) fn collect(
    store: &Store,
    scope: &Scope,
    pipeline: &str,
    id: &str,
    given: &mut Vec<Value>,
    may_be_overlay: bool,
) -> Result<(), Reply> {
    let missing = || {
        let message = format!(
            "InputSet [{id}], for pipeline [{pipeline}] under Project[{}], Organization [{}] doesn't exist or has been deleted.",
            scope.project, scope.org
        );
        Reply::ng_error(400, "INVALID_REQUEST", &message)
    };
    let document = store.get(&input_set_key(scope, pipeline, id))?.ok_or_else(missing)?;
    if kind_of(&document) == OVERLAY && may_be_overlay {
        for inner in references(&document.body) {
            collect(store, scope, pipeline, &inner, given, false)?;
        }
        return Ok(());
    }
    // The text is what the person wrote; the stored fields may have been completed.
    let text = document.body.get("yaml").and_then(Value::as_str).unwrap_or_default();
    let parsed = yaml::parse(text).unwrap_or_default();
    given.push(json!({"pipeline": parsed.pointer("/inputSet/pipeline")}));
    Ok(())
}

/// Name of an input set, or its id when it is gone.
pub(crate) fn name(store: &Store, scope: &Scope, pipeline: &str, id: &str) -> String {
    let found = store.get(&input_set_key(scope, pipeline, id)).ok().flatten();
    let name = found.and_then(|found| Some(found.body.get("name")?.as_str()?.to_owned()));
    name.unwrap_or_else(|| id.to_owned())
}
