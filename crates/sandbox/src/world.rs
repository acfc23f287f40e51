//! Everything a request can meet: the store, the clock, the account and the caller.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::clock::Clock;
use crate::ids;
use crate::scope::Scope;
use crate::store::Store;

/// The account of every sandbox: 22 characters like a real one, and readable.
pub const ACCOUNT: &str = "Sandbox_Account_000001";

/// Who a request is from; the sandbox needs no key, so it is always the same person.
#[derive(Debug, Clone)]
pub struct Person {
    /// 22 character id.
    pub uuid: &'static str,
    /// Full name.
    pub name: &'static str,
    /// Mail address.
    pub email: &'static str,
}

/// The person whose requests the sandbox answers.
pub const CALLER: Person =
    Person { uuid: "usr_riley_sandbox_0001", name: "Riley Chen", email: "riley.chen@example.com" };

/// The state of one sandbox.
#[derive(Debug)]
pub struct World {
    /// The documents; lock it with [`World::store`].
    pub store: Mutex<Store>,
    /// Virtual time.
    pub clock: Clock,
    /// Account id of 22 characters.
    pub account: String,
    /// Where the sandbox listens, as in `http://127.0.0.1:4711`.
    pub base_url: String,
    /// Held while a request is answered, so that each one is a unit of its own.
    turn: Mutex<()>,
}

impl World {
    /// A world over a store.
    pub fn new(store: Store, clock: Clock, base_url: &str) -> Self {
        Self {
            store: Mutex::new(store),
            clock,
            account: ACCOUNT.to_owned(),
            base_url: base_url.to_owned(),
            turn: Mutex::new(()),
        }
    }

    /// The store, also after a thread that held it died.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other request is being answered.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Now, on the virtual clock.
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// A new id of 22 characters.
    pub fn fresh_id(&self) -> String {
        ids::short()
    }

    /// `accountIdentifier`, `orgIdentifier`, `projectIdentifier` of a scope; absent levels are null.
    pub fn scope_json(&self, scope: &Scope) -> Value {
        let level = |id: &str| if id.is_empty() { Value::Null } else { json!(id) };
        json!({
            "accountIdentifier": self.account,
            "orgIdentifier": level(&scope.org),
            "projectIdentifier": level(&scope.project),
        })
    }
}
