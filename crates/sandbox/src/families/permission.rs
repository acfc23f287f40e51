//! The permissions roles are made of.

use serde_json::{Value, json};

use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::world::World;

/// Resource, its type name and what may be done with it.
const RESOURCES: [(&str, &str, &[&str]); 18] = [
    ("pipeline", "PIPELINE", &["view", "edit", "delete", "execute"]),
    ("template", "TEMPLATE", &["view", "edit", "delete", "access", "copy"]),
    ("service", "SERVICE", &["view", "edit", "delete", "access"]),
    ("environment", "ENVIRONMENT", &["view", "edit", "delete", "access"]),
    ("connector", "CONNECTOR", &["view", "edit", "delete", "access"]),
    ("secret", "SECRET", &["view", "edit", "delete", "access"]),
    ("delegate", "DELEGATE", &["view", "edit", "delete"]),
    ("organization", "ORGANIZATION", &["view", "create", "edit", "delete"]),
    ("project", "PROJECT", &["view", "create", "edit", "delete"]),
    ("user", "USER", &["view", "manage", "invite"]),
    ("usergroup", "USERGROUP", &["view", "manage"]),
    ("serviceaccount", "SERVICEACCOUNT", &["view", "edit", "delete", "manageapikey"]),
    ("role", "ROLE", &["view", "edit", "delete"]),
    ("resourcegroup", "RESOURCEGROUP", &["view", "edit", "delete"]),
    ("deploymentfreeze", "DEPLOYMENTFREEZE", &["manage", "override", "global"]),
    ("file", "FILE", &["view", "edit", "delete", "access"]),
    ("setting", "SETTING", &["view", "edit"]),
    ("audit", "AUDIT", &["view"]),
];

/// The names of all permissions, as in `core_pipeline_view`.
pub(super) fn names() -> impl Iterator<Item = String> {
    RESOURCES.iter().flat_map(|(resource, _, actions)| {
        actions.iter().map(move |action| format!("core_{resource}_{action}"))
    })
}

fn list(_: &World, request: &Request, _: &Params) -> Reply {
    let level = request.query.first("scopeLevel").unwrap_or_default();
    let all = RESOURCES.iter().flat_map(|(resource, kind, actions)| {
        actions.iter().map(move |action| (format!("core_{resource}_{action}"), kind, *action))
    });
    let shown: Vec<Value> = all
        .map(|(id, kind, action)| (levels(kind), id, kind, action))
        .filter(|(levels, ..)| level.is_empty() || levels.contains(&level))
        .map(|(levels, id, kind, action)| {
            json!({
                "permission": {
                    "identifier": id, "name": format!("{action} {}", kind.to_lowercase()),
                    "status": "ACTIVE", "resourceType": kind, "action": action,
                    "allowedScopeLevels": levels, "includeInAllRoles": action == "view",
                },
                "createdAt": null, "lastModifiedAt": null,
            })
        })
        .collect();
    Reply::ng(Value::Array(shown))
}

fn levels(kind: &str) -> Vec<&'static str> {
    match kind {
        "ORGANIZATION" => vec!["account", "organization"],
        "PIPELINE" => vec!["project"],
        _ => vec!["account", "organization", "project"],
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![Route::new("GET", "/authz/api/permissions", list)]
}
