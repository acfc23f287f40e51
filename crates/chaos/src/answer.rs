//! What an upstream's answer to a call says about it.

use checkrein_ledger::{Answer, Outcome};
use serde::Deserialize;

use crate::frame::Body;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Result<'a> {
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    result_type: Option<std::borrow::Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Error {
    code: serde_json::Number,
}

/// Codes that say the call was refused before anything was done (JSON-RPC 2.0 section 5.1).
const REFUSALS: std::ops::RangeInclusive<i64> = -32602..=-32600;

/// The outcome that an answer speaks of, and the kind of answer it is.
pub(crate) fn judge(body: Body<'_>) -> (Outcome, Answer) {
    match body {
        Body::Error(error) => {
            let code = serde_json::from_str::<Error>(error).ok().and_then(|it| it.code.as_i64());
            let is_refusal = code.is_some_and(|code| REFUSALS.contains(&code));
            let outcome = if is_refusal { Outcome::Rejected } else { Outcome::Unknown };
            (outcome, Answer::RpcError)
        }
        Body::Result(result) => match serde_json::from_str::<Result<'_>>(result) {
            Err(_) => (Outcome::Unknown, Answer::Unreadable),
            Ok(Result { is_error: Some(true), .. }) => (Outcome::Unknown, Answer::IsError),
            Ok(Result { result_type: Some(kind), .. }) if kind != "complete" => {
                (Outcome::Interim, Answer::Ok)
            }
            Ok(_) => (Outcome::Executed, Answer::Ok),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_answer_has_its_outcome() {
        for (body, outcome) in [
            (Body::Result(r#"{"content":[]}"#), Outcome::Executed),
            (Body::Result(r#"{"content":[],"isError":false,"x":1e400}"#), Outcome::Executed),
            (Body::Result(r#"{"isError":true}"#), Outcome::Unknown),
            (Body::Result(r#"{"resultType":"complete"}"#), Outcome::Executed),
            (Body::Result(r#"{"resultType":"input_required"}"#), Outcome::Interim),
            (Body::Result(r#"{"resultType":"task"}"#), Outcome::Interim),
            (Body::Result("7"), Outcome::Unknown),
            (Body::Error(r#"{"code":-32602,"message":""}"#), Outcome::Rejected),
            (Body::Error(r#"{"code":-32601}"#), Outcome::Rejected),
            (Body::Error(r#"{"code":-32603}"#), Outcome::Unknown),
            (Body::Error(r#"{"code":-32000}"#), Outcome::Unknown),
            (Body::Error("null"), Outcome::Unknown),
        ] {
            assert_eq!(judge(body).0, outcome, "{body:?}");
        }
    }
}
