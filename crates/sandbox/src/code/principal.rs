//! The people a code service knows.

use serde_json::{Value, json};

use super::git::objects::Signature;
use crate::world::CALLER;

/// Somebody with an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Principal {
    /// Number of the account, which reviewers are named by.
    pub(crate) id: u64,
    /// Id across the platform.
    pub(crate) uid: &'static str,
    /// Full name.
    pub(crate) name: &'static str,
    /// Mail address.
    pub(crate) email: &'static str,
}

/// Everybody; the first is who sends the requests.
pub(crate) const EVERYBODY: [Principal; 4] = [
    Principal { id: 1, uid: CALLER.uuid, name: CALLER.name, email: CALLER.email },
    Principal {
        id: 2,
        uid: "usr_noor__sandbox_0002",
        name: "Noor Haddad",
        email: "noor.haddad@example.com",
    },
    Principal {
        id: 3,
        uid: "usr_jonas_sandbox_0003",
        name: "Jonas Berg",
        email: "jonas.berg@example.com",
    },
    Principal {
        id: 4,
        uid: "usr_mei___sandbox_0004",
        name: "Mei Tanaka",
        email: "mei.tanaka@example.com",
    },
];

/// When the accounts were made.
const SINCE_MS: i64 = 1_735_689_600_000;

impl Principal {
    /// Who sends the requests.
    pub(crate) fn caller() -> Self {
        let [caller, ..] = EVERYBODY;
        caller
    }

    /// Somebody by number.
    pub(crate) fn numbered(id: u64) -> Option<Self> {
        EVERYBODY.into_iter().find(|one| one.id == id)
    }

    /// As replies show them.
    pub(crate) fn shown(self) -> Value {
        json!({
            "id": self.id, "uid": self.uid, "display_name": self.name, "email": self.email,
            "type": "user", "created": SINCE_MS, "updated": SINCE_MS,
        })
    }

    /// As commits name them.
    pub(crate) fn signature(self, when_ms: i64) -> Signature {
        Signature { name: self.name.to_owned(), email: self.email.to_owned(), when_ms }
    }
}

/// Somebody by number as replies show them; null for nobody.
pub(crate) fn shown(id: Option<u64>) -> Value {
    id.and_then(Principal::numbered).map_or(Value::Null, Principal::shown)
}
