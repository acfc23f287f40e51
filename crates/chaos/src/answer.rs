//! What an upstream's answer to a call says about it.

use std::borrow::Cow;

use checkrein_ledger::{Answer, Outcome, exact};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::frame::Body;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Result<'a> {
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    result_type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    task: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    #[serde(default)]
    task_id: Option<String>,
    #[serde(default)]
    status: Option<String>,
}

#[derive(Deserialize)]
struct Question {
    #[serde(default, rename = "requestState")]
    request_state: Option<Value>,
}

/// A result that is a task, or holds one.
#[derive(Deserialize)]
struct Holder<'a> {
    #[serde(borrow, default)]
    task: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
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
                let goes_on = kind == "input_required" || kind == "task" && handle(body).is_some();
                match goes_on {
                    true => (Outcome::Interim, Answer::Ok),
                    // A kind that nobody here knows says nothing of the call.
                    false => (Outcome::Unknown, Answer::Unreadable),
                }
            }
            // MCP 2025-11-25 has task handles, and no word for the type of a result.
            Ok(Result { task: Some(_), content: None, .. }) => (Outcome::Interim, Answer::Ok),
            Ok(_) => (Outcome::Executed, Answer::Ok),
        },
    }
}

/// What a question asks the caller to bring back with its answer (MCP 2026-07-28, mrtr).
pub(crate) fn state(body: Body<'_>) -> Option<String> {
    let Body::Result(result) = body else { return None };
    let asked: Question = serde_json::from_str(result).ok()?;
    asked.request_state.as_ref().map(exact)
}

/// The name of the task that answers a call, when one does.
pub(crate) fn handle(body: Body<'_>) -> Option<String> {
    let Body::Result(result) = body else { return None };
    task(result)?.task_id
}

fn task(text: &str) -> Option<Task> {
    let holder: Holder<'_> = serde_json::from_str(text).ok()?;
    serde_json::from_str(holder.task.map_or(text, RawValue::get)).ok()
}

/// What a look at a task says became of it; `None` while it goes on.
pub(crate) fn task_end(body: Body<'_>) -> Option<(Outcome, Answer)> {
    let Body::Result(text) = body else { return None };
    let holder: Holder<'_> = serde_json::from_str(text).ok()?;
    match task(text)?.status?.as_str() {
        // MCP 2026-07-28 gives the call's own answer along with the last state of its task.
        "completed" | "failed" if holder.result.is_some() => {
            holder.result.map(|result| judge(Body::Result(result.get())))
        }
        "failed" if holder.error.is_some() => {
            holder.error.map(|error| judge(Body::Error(error.get())))
        }
        "completed" => Some((Outcome::Executed, Answer::Ok)),
        "failed" => Some((Outcome::Unknown, Answer::IsError)),
        "cancelled" => Some((Outcome::Unknown, Answer::None)),
        _ => None,
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
            (Body::Result(r#"{"resultType":"task","taskId":"t"}"#), Outcome::Interim),
            (Body::Result(r#"{"resultType":"task"}"#), Outcome::Unknown),
            (Body::Result(r#"{"resultType":"later","content":[]}"#), Outcome::Unknown),
            (Body::Result(r#"{"task":{"taskId":"t","status":"working"}}"#), Outcome::Interim),
            (Body::Result(r#"{"task":{"taskId":"t"},"content":[]}"#), Outcome::Executed),
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

    #[test]
    fn a_task_ends_as_the_call_it_was_made_for() {
        for (text, end) in [
            (r#"{"taskId":"t","status":"working"}"#, None),
            (r#"{"taskId":"t","status":"input_required"}"#, None),
            (r#"{"taskId":"t","status":"completed"}"#, Some(Outcome::Executed)),
            (r#"{"task":{"taskId":"t","status":"completed"}}"#, Some(Outcome::Executed)),
            (
                r#"{"taskId":"t","status":"completed","result":{"isError":true}}"#,
                Some(Outcome::Unknown),
            ),
            (
                r#"{"taskId":"t","status":"failed","error":{"code":-32602}}"#,
                Some(Outcome::Rejected),
            ),
            (r#"{"taskId":"t","status":"cancelled"}"#, Some(Outcome::Unknown)),
        ] {
            assert_eq!(task_end(Body::Result(text)).map(|(outcome, _)| outcome), end, "{text}");
        }
        assert_eq!(handle(Body::Result(r#"{"resultType":"task","taskId":"x"}"#)).unwrap(), "x");
    }
}
