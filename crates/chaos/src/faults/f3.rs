//! F3, a cut answer: the frame is whole, the JSON in it ends in the middle.

use super::Reply;

pub(super) fn reply() -> Reply {
    Reply {
        text: r#"{"status":"ok","data":{"id":"7f3a91","state":"crea"#.to_owned(),
        is_error: false,
        code: -32603,
        message: "Unexpected end of JSON input".to_owned(),
        data: None,
    }
}
