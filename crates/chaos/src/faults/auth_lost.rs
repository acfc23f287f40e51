//! A lost authorization: it was executed, and the answer is a 401 (RFC 6750 section 3).

use super::shape::{ERROR, SOFT};
use super::with::TEXT;
use super::{Effect, Kind, Reply, Shape, Speech};

pub(super) static KIND: Kind = Kind {
    id: "auth-lost",
    about: "the call is executed, and the agent hears that its token is no longer good",
    counts: "as executed; a repeat that is executed too is a duplicate, the client's own re-send \
             with a new token included, and the report says whose it was",
    takes: &[TEXT],
    told: Speech::Instead(|_, _| reply()),
    shapes: &[
        SOFT,
        ERROR,
        (Shape::Status, "401; clients ask for a new token, and some re-send by themselves"),
    ],
    effect: |_| Effect::Replace,
    is_ghost: true,
    asks_to_wait: |_, _| None,
    not_on: &[],
};

fn reply() -> Reply {
    let text = r#"HTTP 401 Unauthorized: {"error":"invalid_token","error_description":"The access token expired"}"#;
    let challenge = r#"Bearer error="invalid_token", error_description="The access token expired""#;
    Reply {
        headers: vec![("www-authenticate", challenge.to_owned())],
        ..Reply::error(401, text, "401 Unauthorized: the access token expired")
    }
}
