//! What every account has from its first day, which no request can make.

use serde_json::{Value, json};

use super::gardener::{Gardener, text};
use crate::ids;
use crate::places;
use crate::store::{Key, StoreError};
use crate::world::CALLER;

/// Plants people, roles, delegates and the built-in organization and secret manager.
pub(super) fn plant(
    gardener: &mut Gardener<'_>,
    access: &Value,
    delegates: &Value,
) -> Result<(), StoreError> {
    organization_and_secrets(gardener)?;
    people(gardener, access)?;
    roles(gardener, access)?;
    fleet(gardener, delegates)
}

fn organization_and_secrets(gardener: &Gardener<'_>) -> Result<(), StoreError> {
    let (store, now) = (gardener.world.store(), gardener.world.now_ms());
    let organization = json!({
        "identifier": "default", "name": "default", "description": "Default Organization",
        "tags": {}, "harnessManaged": true,
    });
    store.insert(&Key::account(places::ORGANIZATION, "default"), &organization, now)?;
    let manager = json!({
        "name": "Harness Built-in Secret Manager", "identifier": "harnessSecretManager",
        "description": null, "orgIdentifier": null, "projectIdentifier": null, "tags": {},
        "type": "GcpKms", "spec": {"default": true}, "harnessManaged": true,
    });
    store.insert(&Key::account("connector", "harnessSecretManager"), &manager, now)?;
    Ok(())
}

fn people(gardener: &Gardener<'_>, access: &Value) -> Result<(), StoreError> {
    let (store, now) = (gardener.world.store(), gardener.world.now_ms());
    for user in list(access, "users") {
        store.insert(&Key::account("user", text(user, "uuid")), user, now)?;
    }
    for group in list(access, "user_groups") {
        let mut body = json!({
            "accountIdentifier": gardener.world.account, "orgIdentifier": null,
            "projectIdentifier": null, "description": null, "tags": {},
            "notificationConfigs": [], "isSsoLinked": false, "linkedSsoId": null,
            "linkedSsoDisplayName": null, "ssoGroupId": null, "ssoGroupName": null,
            "externallyManaged": false, "harnessManaged": false,
        });
        merge(&mut body, group);
        store.insert(&Key::account("user_group", text(group, "identifier")), &body, now)?;
    }
    for account in list(access, "service_accounts") {
        let mut body = json!({
            "accountIdentifier": gardener.world.account, "orgIdentifier": null,
            "projectIdentifier": null, "tags": {},
        });
        merge(&mut body, account);
        store.insert(&Key::account("service_account", text(account, "identifier")), &body, now)?;
    }
    Ok(())
}

fn roles(gardener: &Gardener<'_>, access: &Value) -> Result<(), StoreError> {
    let (store, now) = (gardener.world.store(), gardener.world.now_ms());
    for role in list(access, "roles") {
        let mut body = json!({"description": null, "tags": {}, "harnessManaged": true});
        merge(&mut body, role);
        store.insert(&Key::account("role", text(role, "identifier")), &body, now)?;
    }
    for group in list(access, "resource_groups") {
        let mut body = json!({
            "accountIdentifier": gardener.world.account, "description": null, "tags": {},
            "color": "#0063F7", "includedScopes": [],
            "resourceFilter": {"includeAllResources": true, "resources": []},
            "harnessManaged": true,
        });
        merge(&mut body, group);
        store.insert(&Key::account("resource_group", text(group, "identifier")), &body, now)?;
    }
    for (id, role, kind, principal) in [
        ("riley_is_admin", "_account_admin", "USER", CALLER.uuid),
        ("everybody_may_look", "_account_viewer", "USER_GROUP", "_account_all_users"),
        ("bot_may_run", "_pipeline_executor", "SERVICE_ACCOUNT", "ci_bot"),
    ] {
        let body = json!({
            "identifier": id, "roleIdentifier": role,
            "resourceGroupIdentifier": "_all_resources_including_child_scopes",
            "principal": {"type": kind, "identifier": principal, "scopeLevel": "account"},
            "disabled": false, "managed": false,
        });
        store.insert(&Key::account("role_assignment", id), &body, now)?;
    }
    Ok(())
}

fn fleet(gardener: &Gardener<'_>, delegates: &Value) -> Result<(), StoreError> {
    let (store, now) = (gardener.world.store(), gardener.world.now_ms());
    for delegate in list(delegates, "delegates") {
        store.insert(&Key::account("delegate", text(delegate, "name")), delegate, now)?;
    }
    for token in list(delegates, "tokens") {
        let body = json!({
            "uuid": ids::short(), "accountId": gardener.world.account, "name": text(token, "name"),
            "createdBy": CALLER.name, "createdByNgUser": {"type": "USER", "name": CALLER.email},
            "createdAt": now, "status": text(token, "status"), "ownerIdentifier": null,
            "parentUniqueId": null, "revokeAfter": null,
        });
        store.insert(&Key::account("delegate_token", text(token, "name")), &body, now)?;
    }
    Ok(())
}

fn list<'a>(of: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    of.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn merge(into: &mut Value, from: &Value) {
    let Some(fields) = into.as_object_mut() else { return };
    for (name, value) in from.as_object().into_iter().flatten() {
        fields.insert(name.clone(), value.clone());
    }
}
