//! F1, the ghost write: it was executed, and the agent hears of a timeout.

use super::Reply;

pub(super) fn reply() -> Reply {
    Reply {
        text: "Request timed out after 30 s: no response from the server".to_owned(),
        is_error: true,
        // What the TypeScript SDK makes locally when its own timer runs out.
        code: -32001,
        message: "Request timed out".to_owned(),
        data: None,
    }
}
