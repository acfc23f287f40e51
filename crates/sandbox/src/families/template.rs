//! Templates: one document per version, kept below the template's identifier; `stable` marks the
//! version that is used when none is named.

mod resolve;

use serde_json::{Value, json};

use super::{listed_in, placed, refuse, text};
use crate::crud::{self, settle};
use crate::family::{Answer, Draft, Family, Fields, Pages, page, read_yaml};
use crate::paging::PageStyle;
use crate::reply::{FieldError, Reply};
use crate::request::Request;
use crate::router::{Params, Route};
use crate::rules::{self, IdRule};
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store};
use crate::world::World;

pub(crate) use resolve::resolved;

/// Kind of templates in the store.
pub const KIND: &str = "template";

const TYPES: [&str; 11] = [
    "Step",
    "Stage",
    "Pipeline",
    "StepGroup",
    "CustomDeployment",
    "MonitoredService",
    "SecretManager",
    "ArtifactSource",
    "Workspace",
    "Notification",
    "Agent",
];

pub(super) struct Template;

impl Family for Template {
    const KIND: &'static str = KIND;
    const NOUN: &'static str = "Template";
    const RESOURCE_TYPE: &'static str = "TEMPLATE";
    const MODULE: &'static str = "TEMPLATESERVICE";
    const ID_FIELD: &'static str = "versionLabel";
    const ID_RULE: IdRule = IdRule::Free;
    const REQUIRED: &'static [&'static str] = &["identifier", "name", "versionLabel", "type"];
    const PAGE_STYLE: PageStyle = PageStyle::short(25);
    const PAGES: Pages = Pages::Spring;
    const PARENT_SCOPES_FLAG: &'static str = "includeAllTemplatesAvailableAtScope";
    const GONE: (u16, &'static str) = (400, "TEMPLATE_NOT_FOUND");

    fn parent(_: &Request, body: &Fields) -> Result<String, Reply> {
        Ok(body.get("identifier").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    fn read(request: &Request) -> Result<Fields, Reply> {
        read_yaml(request, "template")
    }

    fn check(_: &World, _: &Store, draft: &mut Draft) -> Result<(), Reply> {
        let faults: Vec<FieldError> = [
            ("identifier", IdRule::Yaml.fault(draft.text("identifier"))),
            ("versionLabel", rules::version_label_fault(draft.text("versionLabel"))),
        ]
        .into_iter()
        .filter_map(|(field, fault)| Some(FieldError::new(field, &fault?)))
        .collect();
        if !faults.is_empty() {
            return Err(Reply::field_failure(&faults));
        }
        if !TYPES.contains(&draft.text("type")) {
            return Err(refuse("template.type", &format!("must be one of {}", TYPES.join(", "))));
        }
        let has_spec = ["spec", "yaml"].iter().any(|field| draft.body.contains_key(*field));
        if !has_spec || draft.body.get("spec").is_none_or(Value::is_null) {
            return Err(refuse("template.spec", "is missing but it is required"));
        }
        let child = draft.body.get("spec").and_then(|spec| spec.get("type")).cloned();
        draft.body.insert("childType".to_owned(), child.unwrap_or_default());
        let kept = [
            "identifier",
            "name",
            "versionLabel",
            "type",
            "childType",
            "description",
            "tags",
            "icon",
            "yaml",
            "stable",
        ];
        draft.body.retain(|field, _| kept.contains(&field.as_str()));
        Ok(())
    }

    fn guard(document: &Document, is_removal: bool) -> Result<(), Reply> {
        if is_removal && is_stable(document) && document.body.get("alone").is_none() {
            return Err(Reply::invalid(&format!(
                "The stable version [{}] of template [{}] cannot be deleted while other versions \
                 exist; mark another version as stable first",
                document.key.id, document.key.parent
            )));
        }
        Ok(())
    }

    fn view(world: &World, store: &Store, document: &Document) -> Value {
        let mut view = Self::item(world, store, document);
        if let Some(fields) = view.as_object_mut() {
            fields.insert("yaml".to_owned(), json!(text(document, "yaml")));
            fields.insert("mergedYaml".to_owned(), Value::Null);
            let valid = json!({"valid": true, "invalidYaml": null});
            fields.insert("entityValidityDetails".to_owned(), valid);
            fields.insert("cacheResponseMetadata".to_owned(), Value::Null);
        }
        view
    }

    fn item(world: &World, _: &Store, document: &Document) -> Value {
        let body = placed(world, document);
        let field = |name: &str| body.get(name).cloned().unwrap_or_default();
        let scope = document.key.scope();
        let level = if scope.level() == "organization" { "org" } else { scope.level() };
        json!({
            "accountId": world.account, "orgIdentifier": field("orgIdentifier"),
            "projectIdentifier": field("projectIdentifier"), "identifier": document.key.parent,
            "name": field("name"), "description": field("description"), "tags": field("tags"),
            "versionLabel": document.key.id, "labels": [], "stableTemplate": is_stable(document),
            "templateEntityType": field("type"), "childType": field("childType"),
            "templateScope": level, "version": document.version, "gitDetails": null,
            "lastUpdatedAt": document.updated_ms, "createdAt": document.created_ms,
            "storeType": "INLINE", "connectorRef": null, "icon": field("icon"),
            "yamlVersion": "0",
        })
    }

    fn written(world: &World, store: &Store, document: &Document) -> Value {
        json!({
            "isValid": true, "templateResponseDTO": Self::view(world, store, document),
            "governanceMetadata": super::governance_pass(), "templateLabelsApplyResult": null,
        })
    }

    fn lists(document: &Document, request: &Request, filter: &Value) -> bool {
        let wants_stable = request.query.first("templateListType") == Some("Stable");
        listed_in(filter, "templateEntityTypes", text(document, "type"))
            && listed_in(filter, "templateIdentifiers", &document.key.parent)
            && listed_in(filter, "templateNames", text(document, "name"))
            && listed_in(filter, "childTypes", text(document, "childType"))
            && (!wants_stable || is_stable(document))
    }
}

/// True for the version used when none is named.
pub(super) fn is_stable(document: &Document) -> bool {
    super::field_true(&document.body, "stable")
}

/// All versions of a template, oldest first.
pub(super) fn versions(store: &Store, scope: &Scope, id: &str) -> Result<Vec<Document>, Reply> {
    Ok(store.list(&Filter::kind(KIND).scope(scope).parent(id))?)
}

/// One version of a template, or its stable one.
pub(super) fn version(
    store: &Store,
    scope: &Scope,
    id: &str,
    label: Option<&str>,
) -> Result<Document, Reply> {
    let mut all = versions(store, scope, id)?;
    all.retain(|one| label.map_or_else(|| is_stable(one), |label| one.key.id == label));
    all.pop().ok_or_else(|| {
        let which = label.map(|label| format!(" and version label [{label}]")).unwrap_or_default();
        let message = format!("Template with identifier [{id}]{which} not found");
        Reply::ng_error(Template::GONE.0, Template::GONE.1, &message)
    })
}

/// Marks one version as stable and all others as not.
pub(super) fn make_stable(world: &World, store: &Store, stable: &Key) -> Result<(), Reply> {
    for version in versions(store, &stable.scope(), &stable.parent)? {
        let should_be = version.key == *stable;
        if is_stable(&version) == should_be {
            continue;
        }
        let mut body = version.body;
        if let Some(fields) = body.as_object_mut() {
            fields.insert("stable".to_owned(), json!(should_be));
        }
        store.put(&version.key, &body, world.now_ms())?;
    }
    Ok(())
}

/// Adds a version; the first one of a template, and one that asks for it, is the stable one.
pub(super) fn add(
    world: &World,
    store: &Store,
    request: &Request,
    scope: &Scope,
    fields: Fields,
    wants_stable: bool,
) -> Result<Document, Reply> {
    let mut draft = crud::draft::<Template>(world, store, request, scope, fields)?;
    let others = versions(store, &draft.key.scope(), &draft.key.parent)?;
    if let Some(other) = others.first().filter(|one| text(one, "type") != draft.text("type")) {
        return Err(Reply::invalid(&format!(
            "Template [{}] is of type {}; all of its versions must be",
            draft.key.parent,
            text(other, "type")
        )));
    }
    let is_stable = wants_stable || others.is_empty();
    draft.body.insert("stable".to_owned(), json!(is_stable));
    let document = crud::insert::<Template>(world, store, &draft)?;
    if is_stable {
        make_stable(world, store, &document.key)?;
    }
    Ok(document)
}

/// Changes a version in place; identifier and label cannot change.
pub(super) fn change(
    world: &World,
    store: &Store,
    request: &Request,
    (scope, id, label): (&Scope, &str, &str),
    fields: Fields,
) -> Result<Document, Reply> {
    let mut draft = crud::draft::<Template>(world, store, request, scope, fields)?;
    if draft.key.parent != id || draft.key.id != label {
        return Err(Reply::invalid(&format!(
            "Template [{id}] version [{label}] in the path does not match template [{}] version \
             [{}] in the YAML",
            draft.key.parent, draft.key.id
        )));
    }
    let old = version(store, &draft.key.scope(), id, Some(label))?;
    draft.body.insert("stable".to_owned(), json!(is_stable(&old)));
    crud::replace::<Template>(world, store, request, &draft)
}

/// Removes a version; the stable one only when it is the last.
pub(super) fn take_away(
    world: &World,
    store: &Store,
    request: &Request,
    (scope, id, label): (&Scope, &str, &str),
) -> Result<(), Reply> {
    let mut found = version(store, scope, id, Some(label))?;
    if versions(store, scope, id)?.len() == 1 {
        if let Some(fields) = found.body.as_object_mut() {
            fields.insert("alone".to_owned(), json!(true));
        }
        store.put(&found.key, &found.body, world.now_ms())?;
    }
    crud::remove::<Template>(world, store, request, &found.key)?;
    Ok(())
}

fn create(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = Template::scope(request, params);
        let wants_stable = request.query.flag("setDefaultTemplate");
        let fields = Template::read(request)?;
        let document = add(world, &store, request, &scope, fields, wants_stable)?;
        Ok(Reply::ng(Template::written(world, &store, &document)))
    })
}

fn update(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = Template::scope(request, params);
        let at = (&scope, params.get("id"), params.get("version"));
        let document = change(world, &store, request, at, Template::read(request)?)?;
        if request.query.flag("setDefaultTemplate") {
            make_stable(world, &store, &document.key)?;
        }
        Ok(Reply::ng(Template::written(world, &store, &document)))
    })
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = request.scope();
        crate::places::require(&store, &scope)?;
        let label = request.query.first("versionLabel");
        let found = version(&store, &scope, params.get("id"), label)?;
        Ok(Reply::ng(Template::view(world, &store, &found)).with_etag(found.version))
    })
}

fn delete_version(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = request.scope();
        crate::places::require(&store, &scope)?;
        let at = (&scope, params.get("id"), params.get("version"));
        take_away(world, &store, request, at)?;
        Ok(Reply::ng(json!(true)))
    })
}

fn delete_versions(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = request.scope();
        crate::places::require(&store, &scope)?;
        let id = params.get("id");
        let mut wanted = versions(&store, &scope, id)?;
        wanted.retain(|one| listed_in(&request.filter(), "templateVersionLabels", &one.key.id));
        if wanted.is_empty() {
            return Err(version(&store, &scope, id, None)
                .err()
                .unwrap_or_else(|| Reply::invalid("None of the template version labels exist")));
        }
        // The stable one last, when it may be the only one left.
        wanted.sort_by_key(is_stable);
        for one in wanted {
            take_away(world, &store, request, (&scope, id, &one.key.id))?;
        }
        Ok(Reply::ng(json!(true)))
    })
}

fn set_stable(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let label = params.get("version");
        let found = version(&store, &request.scope(), params.get("id"), Some(label))?;
        make_stable(world, &store, &found.key)?;
        Ok(Reply::ng(json!(label)))
    })
}

/// `templates/list` shows the YAML too, `list-metadata` does not.
fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| shown(world, request, params, Template::view))
}

fn list_metadata(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| shown(world, request, params, Template::item))
}

fn shown(
    world: &World,
    request: &Request,
    params: &Params,
    view: fn(&World, &Store, &Document) -> Value,
) -> Answer {
    let store = world.store();
    let scope = Template::scope(request, params);
    let found = crud::search::<Template>(&store, request, &scope)?;
    page::<Template, _>(request, found, |one| view(world, &store, &one))
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/template/api/templates";
    const ONE: &str = "/template/api/templates/{id}";
    const VERSION: &str = "/template/api/templates/{id}/{version}";
    const STABLE: &str = "/template/api/templates/updateStableTemplate/{id}/{version}";
    vec![
        Route::new("POST", "/template/api/templates/list", list),
        Route::new("POST", "/template/api/templates/list-metadata", list_metadata),
        Route::new("POST", PATH, create),
        Route::new("PUT", "/template/api/templates/update/{id}/{version}", update),
        Route::new("PUT", STABLE, set_stable),
        Route::new("GET", ONE, get),
        Route::new("DELETE", ONE, delete_versions),
        Route::new("DELETE", VERSION, delete_version),
    ]
}
