//! Settings: a fixed list with defaults; scopes override values.

use serde_json::{Value, json};

use super::{refuse, text};
use crate::audit::{self, Event};
use crate::crud::settle;
use crate::places;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Document, Key, Store};
use crate::world::World;

const KIND: &str = "setting";

/// A setting of the platform.
struct Setting {
    id: &'static str,
    name: &'static str,
    category: &'static str,
    group: &'static str,
    kind: &'static str,
    default: &'static str,
    allowed: &'static [&'static str],
}

const fn switch(
    id: &'static str,
    name: &'static str,
    category: &'static str,
    group: &'static str,
) -> Setting {
    Setting { id, name, category, group, kind: "Boolean", default: "false", allowed: &[] }
}

const SETTINGS: [Setting; 12] = [
    switch("disable_harness_secret_manager", "Disable the built-in secret manager", "CORE", ""),
    switch("enable_force_delete", "Allow forced deletion of referenced entities", "CORE", ""),
    switch("enable_slack_notifications", "Enable Slack notifications", "NOTIFICATIONS", ""),
    switch(
        "allow_different_repo_for_pipeline_and_input_sets",
        "Allow input sets in another repository",
        "GIT_EXPERIENCE",
        "git_experience_settings",
    ),
    switch(
        "enforce_git_experience",
        "Enforce Git for new entities",
        "GIT_EXPERIENCE",
        "git_experience_settings",
    ),
    switch(
        "mandatory_webhook_secret_for_github_triggers",
        "Require secrets for GitHub webhooks",
        "PMS",
        "pms_trigger_settings",
    ),
    switch("enable_matrix_label_by_name", "Label matrix runs by name", "PMS", ""),
    switch("run_stage_selective_execution", "Allow selective stage execution", "PMS", ""),
    Setting {
        id: "concurrent_active_pipeline_executions",
        name: "Concurrent active executions",
        category: "PMS",
        group: "pms_execution_settings",
        kind: "Number",
        default: "500",
        allowed: &[],
    },
    Setting {
        id: "pipeline_timeout",
        name: "Pipeline timeout",
        category: "PMS",
        group: "pms_execution_settings",
        kind: "String",
        default: "35d",
        allowed: &[],
    },
    Setting {
        id: "helm_steady_state_check_enabled",
        name: "Steady state check for Helm jobs",
        category: "CD",
        group: "",
        kind: "Boolean",
        default: "true",
        allowed: &[],
    },
    Setting {
        id: "default_experience",
        name: "Default experience",
        category: "CORE",
        group: "",
        kind: "String",
        default: "NG",
        allowed: &["NG", "CG"],
    },
];

fn view(setting: &Setting, own: Option<&Document>, inherited: Option<&Document>) -> Value {
    let value = own.or(inherited).map_or(setting.default, |one| text(one, "value"));
    let source = own.or(inherited).map_or("DEFAULT", |one| match one.key.scope().level() {
        "account" => "ACCOUNT",
        "organization" => "ORG",
        _ => "PROJECT",
    });
    let overrides = own.and_then(|own| own.body.get("allowOverrides")).cloned();
    let is_locked =
        inherited.is_some_and(|one| one.body.get("allowOverrides") == Some(&json!(false)));
    json!({
        "setting": {
            "id": null, "name": setting.name, "identifier": setting.id,
            "category": setting.category,
            "groupIdentifier": Some(setting.group).filter(|group| !group.is_empty()),
            "value": value, "valueType": setting.kind, "defaultValue": setting.default,
            "allowedValues": setting.allowed,
            "allowedScopes": ["ACCOUNT", "ORGANIZATION", "PROJECT"],
            "allowOverrides": overrides.unwrap_or(json!(true)),
            "settingSource": source, "isSettingEditable": !is_locked,
        },
        "lastModifiedAt": own.map(|own| own.updated_ms),
    })
}

/// The value a scope sets itself, and the nearest one set above it.
fn values(
    store: &Store,
    scope: &Scope,
    id: &str,
) -> Result<(Option<Document>, Option<Document>), Reply> {
    let own = store.get(&Key::new(KIND, scope, id))?;
    for above in scope.above() {
        if let Some(inherited) = store.get(&Key::new(KIND, &above, id))? {
            return Ok((own, Some(inherited)));
        }
    }
    Ok((own, None))
}

fn list(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = request.scope();
        places::require(&store, &scope)?;
        let Some(category) = request.query.first("category") else {
            return Err(refuse("category", "must not be null"));
        };
        let group = request.query.first("group").unwrap_or_default();
        let mut items = Vec::new();
        for setting in &SETTINGS {
            if setting.category == category && (group.is_empty() || group == setting.group) {
                let (own, inherited) = values(&store, &scope, setting.id)?;
                items.push(view(setting, own.as_ref(), inherited.as_ref()));
            }
        }
        Ok(Reply::ng(Value::Array(items)))
    })
}

fn get(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        places::require(&store, &request.scope())?;
        let setting = known(params.get("id"))?;
        let (own, inherited) = values(&store, &request.scope(), setting.id)?;
        let shown = view(setting, own.as_ref(), inherited.as_ref());
        let inner = shown.get("setting").cloned().unwrap_or_default();
        let field = |name: &str| inner.get(name).cloned().unwrap_or_default();
        Ok(Reply::ng(json!({
            "value": field("value"), "valueType": field("valueType"),
            "settingSource": field("settingSource"),
        })))
    })
}

fn known(id: &str) -> Result<&'static Setting, Reply> {
    SETTINGS.iter().find(|setting| setting.id == id).ok_or_else(|| {
        Reply::ng_error(404, "ENTITY_NOT_FOUND", &format!("Setting [{id}] does not exist"))
    })
}

fn update(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
        let Value::Array(changes) = body else {
            return Err(Reply::unreadable("an array of settings is expected"));
        };
        let store = world.store();
        let scope = request.scope();
        places::require(&store, &scope)?;
        let mut answers = Vec::new();
        for change in &changes {
            answers.push(apply(world, &store, &scope, change)?);
        }
        Ok(Reply::ng(Value::Array(answers)))
    })
}

fn apply(world: &World, store: &Store, scope: &Scope, change: &Value) -> Result<Value, Reply> {
    let field = |name: &str| change.get(name).and_then(Value::as_str).unwrap_or_default();
    let setting = known(field("identifier"))?;
    let (own, inherited) = values(store, scope, setting.id)?;
    let is_locked = inherited
        .as_ref()
        .is_some_and(|one| one.body.get("allowOverrides").and_then(Value::as_bool) == Some(false));
    let value = field("value");
    let fits = match setting.kind {
        "Boolean" => matches!(value, "true" | "false"),
        "Number" => value.parse::<f64>().is_ok(),
        _ => setting.allowed.is_empty() || setting.allowed.contains(&value),
    };
    let is_restored = field("updateType") == "RESTORE";
    if is_locked || (!fits && !is_restored) {
        let reason =
            if is_locked { "is not overridable in this scope" } else { "has the wrong type" };
        let message = format!("Setting [{}] {reason}", setting.id);
        return Ok(json!({
            "identifier": setting.id, "setting": null, "lastModifiedAt": null,
            "updateStatus": false, "errorMessage": message,
        }));
    }
    let key = Key::new(KIND, scope, setting.id);
    let written = if is_restored {
        store.remove(&key)?;
        None
    } else {
        let overrides = change.get("allowOverrides").cloned().unwrap_or(json!(true));
        let body = json!({"value": value, "allowOverrides": overrides});
        Some(store.put(&key, &body, world.now_ms())?)
    };
    let event = Event {
        action: "UPDATE",
        resource_type: "SETTING",
        id: setting.id,
        name: setting.name,
        scope: scope.clone(),
        ..Event::default()
    };
    let old = own.as_ref().map(|own| &own.body);
    let new = written.as_ref().map(|written| &written.body);
    audit::record(world, store, &event.with_values(old, new))?;
    let shown = view(setting, written.as_ref(), inherited.as_ref());
    Ok(json!({
        "identifier": setting.id, "setting": shown.get("setting"),
        "lastModifiedAt": shown.get("lastModifiedAt"), "updateStatus": true,
        "errorMessage": null,
    }))
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/settings";
    vec![
        Route::new("GET", PATH, list),
        Route::new("PUT", PATH, update),
        Route::new("GET", "/ng/api/settings/{id}", get),
    ]
}
