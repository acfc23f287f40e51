//! Users: listed, read, invited and removed.

use serde_json::{Map, Value, json};

use super::{access, refuse, text};
use crate::audit::{self, Event};
use crate::crud::{self, settle};
use crate::family::{Answer, Family, Levels, page};
use crate::places;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Document, Filter, Key, Store};
use crate::world::{CALLER, World};

/// Mail addresses one invitation may carry.
const MOST_INVITATIONS: usize = 100;

pub(super) struct User;

impl Family for User {
    const KIND: &'static str = "user";
    const NOUN: &'static str = "User";
    const RESOURCE_TYPE: &'static str = "USER";
    const LEVELS: Levels = Levels::Account;
    const GONE: (u16, &'static str) = (404, "ENTITY_NOT_FOUND");

    /// People belong to the account, whatever scope is asked for.
    fn scope(_: &Request, _: &Params) -> Scope {
        Scope::account()
    }
}

fn profile(document: &Document) -> Value {
    json!({
        "name": text(document, "name"), "email": text(document, "email"),
        "uuid": document.key.id, "locked": false, "disabled": false,
        "externallyManaged": super::field_true(&document.body, "externallyManaged"),
        "twoFactorAuthenticationEnabled": false,
    })
}

fn aggregate(store: &Store, scope: &Scope, document: &Document) -> Result<Value, Reply> {
    let assigned = access::assignments_of(store, scope, ("USER", &document.key.id))?;
    Ok(json!({"user": profile(document), "roleAssignmentMetadata": assigned}))
}

fn list(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let scope = request.scope();
        places::require(&store, &scope)?;
        let found = crud::search::<User>(&store, request, &Scope::account())?;
        let roles = request.filter();
        let mut items = Vec::new();
        for user in &found {
            let item = aggregate(&store, &scope, user)?;
            let assigned = item.get("roleAssignmentMetadata").and_then(Value::as_array);
            let wanted = roles.get("roleIdentifiers").and_then(Value::as_array);
            let has_role = wanted.is_none_or(|wanted| {
                wanted.is_empty()
                    || assigned.into_iter().flatten().any(|one| {
                        one.get("roleIdentifier").is_some_and(|role| wanted.contains(role))
                    })
            });
            if has_role {
                items.push(item);
            }
        }
        page::<User, _>(request, items, |item| item)
    })
}

fn get_aggregate(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let user = crud::find::<User>(&store, &Key::account(User::KIND, params.get("id")))?;
        Ok(Reply::ng(aggregate(&store, &request.scope(), &user)?))
    })
}

fn get(world: &World, _: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let user = crud::find::<User>(&store, &Key::account(User::KIND, params.get("id")))?;
        Ok(Reply::ng(profile(&user)))
    })
}

fn current(world: &World, request: &Request, _: &Params) -> Reply {
    // A service account is nobody: the platform refuses to say who it is.
    if request.header("x-api-key").is_some_and(|key| key.starts_with("sat.")) {
        return Reply::invalid("Current user is only known for user tokens, not service accounts");
    }
    Reply::ng(json!({
        "uuid": CALLER.uuid, "name": CALLER.name, "email": CALLER.email, "token": null,
        "defaultAccountId": world.account, "intent": null,
        "accounts": [{
            "uuid": world.account, "accountName": "Sandbox", "companyName": "Sandbox",
            "defaultExperience": "NG", "createdFromNG": true, "nextGenEnabled": true,
        }],
        "admin": true, "twoFactorAuthenticationEnabled": false, "emailVerified": true,
        "locked": false, "disabled": false, "signupAction": null, "edition": "ENTERPRISE",
        "billingFrequency": null, "utmInfo": null, "externallyManaged": false,
    }))
}

fn invite(world: &World, request: &Request, _: &Params) -> Reply {
    settle(|| invited(world, request))
}

fn invited(world: &World, request: &Request) -> Answer {
    let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
    let emails: Vec<&str> = body
        .get("emails")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if emails.is_empty() {
        return Err(refuse("emails", "must not be empty"));
    }
    if emails.len() > MOST_INVITATIONS {
        return Err(refuse("emails", &format!("size must be between 1 and {MOST_INVITATIONS}")));
    }
    let store = world.store();
    let scope = request.scope();
    places::require(&store, &scope)?;
    let known = store.list(&Filter::kind(User::KIND))?;
    let mut answers = Map::new();
    for email in emails {
        let there = known.iter().find(|user| text(user, "email").eq_ignore_ascii_case(email));
        let outcome = match there {
            _ if !is_mail_address(email) => "FAIL",
            Some(user) if super::field_true(&user.body, "invited") => "USER_ALREADY_INVITED",
            Some(_) => "USER_ALREADY_ADDED",
            None => {
                add(world, &store, &scope, &body, email)?;
                "USER_INVITED_SUCCESSFULLY"
            }
        };
        answers.insert(email.to_owned(), json!(outcome));
    }
    Ok(Reply::ng(json!({"addUserResponseMap": answers})))
}

fn is_mail_address(text: &str) -> bool {
    text.split_once('@').is_some_and(|(who, host)| {
        !who.is_empty() && host.contains('.') && !text.contains(char::is_whitespace)
    })
}

fn add(
    world: &World,
    store: &Store,
    scope: &Scope,
    invitation: &Value,
    email: &str,
) -> Result<(), Reply> {
    let id = world.fresh_id();
    let name = email.split('@').next().unwrap_or(email);
    let body = json!({"name": name, "email": email, "invited": true});
    store.insert(&Key::account(User::KIND, &id), &body, world.now_ms())?;
    for binding in invitation.get("roleBindings").and_then(Value::as_array).into_iter().flatten() {
        let assignment = json!({
            "resourceGroupIdentifier": binding.get("resourceGroupIdentifier"),
            "roleIdentifier": binding.get("roleIdentifier"),
            "principal": {"type": "USER", "identifier": id, "scopeLevel": scope.level()},
            "disabled": false, "managed": false,
        });
        let key = Key::new("role_assignment", scope, &world.fresh_id());
        store.insert(&key, &assignment, world.now_ms())?;
    }
    for group in invitation.get("userGroups").and_then(Value::as_array).into_iter().flatten() {
        let group = group.as_str().unwrap_or_default();
        super::user_group::enrol(world, store, &Key::new("user_group", scope, group), &id)?;
    }
    let event = Event {
        action: "INVITE",
        resource_type: User::RESOURCE_TYPE,
        id: email,
        name: email,
        scope: scope.clone(),
        ..Event::default()
    };
    audit::record(world, store, &event.with_values(None, Some(&body)))?;
    Ok(())
}

fn delete(world: &World, request: &Request, params: &Params) -> Reply {
    if params.get("id") == CALLER.uuid {
        return Reply::invalid("You cannot remove yourself from the account");
    }
    crud::delete::<User>(world, request, params)
}

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/ng/api/user/{id}";
    vec![
        Route::new("POST", "/ng/api/user/aggregate", list),
        Route::new("GET", "/ng/api/user/aggregate/{id}", get_aggregate),
        Route::new("GET", "/ng/api/user/currentUser", current),
        Route::new("POST", "/ng/api/user/users", invite),
        Route::new("GET", ONE, get),
        Route::new("DELETE", ONE, delete),
    ]
}
