//! Which steps are meant to fail; the rules stand in the module above.

use serde_json::Value;

use super::{plain, text};
use crate::execution::engine::plan::Fault;
use crate::execution::engine::{habits, mishap};

/// How a step fails, if it does.
pub(super) fn fault_of(step: &Value, kind: &str, spec: &Value) -> Option<Fault> {
    if let Some(fault) = annotated_fault(step).or_else(|| annotated_fault(spec)) {
        return Some(fault);
    }
    let is_named = ["name", "identifier"].iter().any(|field| says_fail(&text(step, field)));
    let story = mishap::of(kind, spec);
    if is_named {
        return Some(Fault { message: story.message.to_owned(), times: None });
    }
    let code = habits::exit_status(spec)?;
    Some(Fault { message: format!("the script exited with status {code}"), times: None })
}

/// The fault that an annotation asks for.
pub(super) fn annotated_fault(of: &Value) -> Option<Fault> {
    let message = annotation(of, "sandbox.fail").filter(|message| message != "false")?;
    let message = match message.as_str() {
        "" | "true" => "the step was told to fail by `sandbox.fail`".to_owned(),
        _ => message,
    };
    let times = annotation(of, "sandbox.fail.times").and_then(|times| times.parse().ok());
    Some(Fault { message, times })
}

/// True for `fail`, `failing`, `always_fail`; not for what handles a failure.
pub(super) fn says_fail(name: &str) -> bool {
    let mut name = name.to_ascii_lowercase();
    for harmless in [
        "failure",
        "failover",
        "fail over",
        "fail_over",
        "fail-over",
        "failsafe",
        "fail-safe",
        "fail_safe",
    ] {
        name = name.replace(harmless, "");
    }
    name.contains("fail")
}

/// The value of an annotation.
pub(super) fn annotation(of: &Value, key: &str) -> Option<String> {
    let from_map = |pointer: &str| of.pointer(pointer)?.get(key).map(plain);
    let from_list = |pointer: &str| {
        let entries = of.pointer(pointer)?.as_array()?;
        let named =
            entries.iter().find(|one| one.get("name").and_then(Value::as_str) == Some(key))?;
        named.get("value").map(plain)
    };
    ["/tags", "/envVariables", "/spec/envVariables"].into_iter().find_map(from_map).or_else(|| {
        ["/variables", "/environmentVariables", "/spec/environmentVariables"]
            .into_iter()
            .find_map(from_list)
    })
}
