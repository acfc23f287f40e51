//! F5, a 500 that is gone at the next try (RFC 9110 section 15.6.1).

use super::Reply;

pub(super) fn reply() -> Reply {
    Reply {
        text: r#"HTTP 500 Internal Server Error: {"status":500,"error":"internal_server_error"}"#
            .to_owned(),
        is_error: true,
        code: -32603,
        message: "500 Internal Server Error".to_owned(),
        data: None,
    }
}
