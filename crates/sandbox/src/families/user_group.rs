//! User groups.

use serde_json::{Value, json};

use super::{access, field_true};
use crate::crud::{self, settle};
use crate::family::{Draft, Family};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Document, Key, Store};
use crate::world::World;

pub(super) struct UserGroup;

impl Family for UserGroup {
    const KIND: &'static str = "user_group";
    const NOUN: &'static str = "User Group";
    const RESOURCE_TYPE: &'static str = "USER_GROUP";
    const PARENT_SCOPES_FLAG: &'static str = "includeInheritedGroups";

    fn check(world: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        for user in draft.body.get("users").and_then(Value::as_array).into_iter().flatten() {
            let user = user.as_str().unwrap_or_default();
            if store.get(&Key::account("user", user))?.is_none() {
                let message = format!("User with uuid [{user}] does not belong to this account");
                return Err(Reply::invalid(&message));
            }
        }
        let scope = world.scope_json(&draft.key.scope());
        for (field, value) in scope.as_object().into_iter().flatten() {
            draft.body.insert(field.clone(), value.clone());
        }
        for (field, absent) in [
            ("users", json!([])),
            ("notificationConfigs", json!([])),
            ("isSsoLinked", json!(false)),
            ("linkedSsoId", Value::Null),
            ("linkedSsoDisplayName", Value::Null),
            ("ssoGroupId", Value::Null),
            ("ssoGroupName", Value::Null),
            ("externallyManaged", json!(false)),
        ] {
            draft.body.entry(field).or_insert(absent);
        }
        draft.body.insert("harnessManaged".to_owned(), json!(false));
        Ok(())
    }

    fn guard(document: &Document, _: bool) -> Result<(), Reply> {
        access::refuse_managed(document, Self::NOUN)?;
        let linked = ["isSsoLinked", "externallyManaged"];
        if linked.iter().any(|field| field_true(&document.body, field)) {
            let message = format!(
                "User group [{}] is managed by SSO or SCIM and cannot be changed here",
                document.key.id
            );
            return Err(Reply::invalid(&message));
        }
        Ok(())
    }

    fn lists(document: &Document, request: &Request, _: &Value) -> bool {
        let wanted = request.query.all("identifierFilter");
        wanted.is_empty() || wanted.contains(&document.key.id.as_str())
    }
}

/// Adds a user to a group; one who is already in it stays there once.
pub(super) fn enrol(
    world: &World,
    store: &Store,
    key: &Key,
    user: &str,
) -> Result<Document, Reply> {
    change_members(world, store, key, |users| {
        if !users.iter().any(|one| one == user) {
            users.push(json!(user));
        }
    })
}

fn change_members(
    world: &World,
    store: &Store,
    key: &Key,
    change: impl FnOnce(&mut Vec<Value>),
) -> Result<Document, Reply> {
    let group = crud::find::<UserGroup>(store, key)?;
    UserGroup::guard(&group, false)?;
    let mut body = group.body;
    if let Some(users) = body.get_mut("users").and_then(Value::as_array_mut) {
        change(users);
    }
    Ok(store.put(key, &body, world.now_ms())?)
}

fn add_member(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let user = params.get("user");
        if store.get(&Key::account("user", user))?.is_none() {
            return Err(crud::gone::<super::user::User>(&Key::account("user", user)));
        }
        let key = crud::key::<UserGroup>(&store, request, params)?;
        Ok(Reply::ng(enrol(world, &store, &key, user)?.body))
    })
}

fn remove_member(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let key = crud::key::<UserGroup>(&store, request, params)?;
        let group = change_members(world, &store, &key, |users| {
            users.retain(|one| one != params.get("user"));
        })?;
        Ok(Reply::ng(group.body))
    })
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/user-groups";
    const ONE: &str = "/ng/api/user-groups/{id}";
    const MEMBER: &str = "/ng/api/user-groups/{id}/member/{user}";
    vec![
        Route::new("GET", PATH, crud::list::<UserGroup>),
        Route::new("POST", PATH, crud::create::<UserGroup>),
        Route::new("PUT", PATH, crud::update::<UserGroup>),
        Route::new("GET", ONE, crud::get::<UserGroup>),
        Route::new("DELETE", ONE, crud::delete::<UserGroup>),
        Route::new("PUT", MEMBER, add_member),
        Route::new("DELETE", MEMBER, remove_member),
    ]
}
