//! Replies that are bytes rather than JSON, as a result can hold them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use checkrein_platform::Reply;
use serde_json::{Value, json};

use crate::failure::Failure;

/// More than this is no use to an agent, and clients cut a result long before.
const MOST_BYTES: usize = 1 << 20;

/// The bytes with their media type: as text when they are text, else in Base64.
pub(super) fn result(reply: &Reply) -> Result<Value, Failure> {
    let size = reply.body.len();
    if size > MOST_BYTES {
        return Err(Failure::said(format!(
            "the file has {size} bytes and a result holds {MOST_BYTES}; narrow the request, or \
             download it in the console"
        )));
    }
    let media_type = reply.media_type.as_deref();
    Ok(match std::str::from_utf8(&reply.body) {
        Ok(text) => json!({ "media_type": media_type, "size": size, "text": text }),
        Err(_) => {
            json!({ "media_type": media_type, "size": size, "base64": STANDARD.encode(&reply.body) })
        }
    })
}
