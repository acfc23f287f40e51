//! What a pipeline's YAML must hold, and what lists say about it.

use serde_json::{Map, Value, json};

use crate::reply::Reply;

/// Stage types the platform runs, each with the module it belongs to.
const STAGE_TYPES: [(&str, &str); 11] = [
    ("Deployment", "cd"),
    ("CI", "ci"),
    ("Approval", "pms"),
    ("Custom", "pms"),
    ("FeatureFlag", "cf"),
    ("Security", "sto"),
    ("SecurityTests", "sto"),
    ("IACM", "iacm"),
    ("Pipeline", "pms"),
    ("IDP", "idp"),
    ("Chaos", "chaos"),
];

/// One place where the YAML breaks the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SchemaFault {
    at: String,
    message: String,
    stage: Option<(String, String)>,
}

/// Refuses a pipeline whose stages or steps break the schema; every fault is named.
pub fn check(pipeline: &Map<String, Value>) -> Result<(), Reply> {
    let mut faults = Vec::new();
    match pipeline.get("stages") {
        Some(Value::Array(stages)) if !stages.is_empty() => {
            let mut seen = Vec::new();
            check_stages(stages, "$.pipeline.stages", &mut seen, &mut faults);
        }
        Some(Value::Array(_)) => {
            push(&mut faults, "$.pipeline.stages", "there must be at least 1 item", None);
        }
        Some(_) => push(&mut faults, "$.pipeline.stages", "is not an array", None),
        // A pipeline made from a template has its stages there.
        None if pipeline.contains_key("template") => {}
        None => push(&mut faults, "$.pipeline.stages", "is missing but it is required", None),
    }
    if faults.is_empty() { Ok(()) } else { Err(refusal(&faults)) }
}

fn check_stages(stages: &[Value], at: &str, seen: &mut Vec<String>, faults: &mut Vec<SchemaFault>) {
    for (index, entry) in stages.iter().enumerate() {
        let at = format!("{at}[{index}]");
        if let Some(Value::Array(parallel)) = entry.get("parallel") {
            check_stages(parallel, &format!("{at}.parallel"), seen, faults);
            continue;
        }
        let at = format!("{at}.stage");
        let Some(Value::Object(stage)) = entry.get("stage") else {
            let is_group = ["group", "insert", "template"].iter().any(|k| entry.get(k).is_some());
            if !is_group {
                push(faults, &at, "is missing but it is required", None);
            }
            continue;
        };
        check_stage(stage, &at, seen, faults);
    }
}

fn check_stage(
    stage: &Map<String, Value>,
    at: &str,
    seen: &mut Vec<String>,
    faults: &mut Vec<SchemaFault>,
) {
    let id = text(stage, "identifier");
    let named = Some((id.to_owned(), text(stage, "type").to_owned()));
    need(stage, &["identifier", "name"], at, named.as_ref(), faults);
    if !id.is_empty() && seen.iter().any(|other| other == id) {
        push(faults, at, &format!("duplicate identifier {id}"), named.clone());
    }
    seen.push(id.to_owned());
    if stage.contains_key("template") {
        return;
    }
    need(stage, &["type", "spec"], at, named.as_ref(), faults);
    let kind = text(stage, "type");
    if !kind.is_empty() && module_of(kind).is_none() {
        let known: Vec<&str> = STAGE_TYPES.iter().map(|(name, _)| *name).collect();
        let message = format!("does not have a value in the enumeration [{}]", known.join(", "));
        push(faults, &format!("{at}.type"), &message, named.clone());
    }
    let steps =
        stage.get("spec").and_then(|spec| spec.get("execution")).and_then(|e| e.get("steps"));
    if let Some(Value::Array(steps)) = steps {
        check_steps(steps, &format!("{at}.spec.execution.steps"), named.as_ref(), faults);
    }
}

fn check_steps(
    steps: &[Value],
    at: &str,
    stage: Option<&(String, String)>,
    faults: &mut Vec<SchemaFault>,
) {
    for (index, entry) in steps.iter().enumerate() {
        let at = format!("{at}[{index}]");
        if let Some(Value::Array(parallel)) = entry.get("parallel") {
            check_steps(parallel, &format!("{at}.parallel"), stage, faults);
            continue;
        }
        if let Some(Value::Object(group)) = entry.get("stepGroup") {
            let at = format!("{at}.stepGroup");
            need(group, &["identifier"], &at, stage, faults);
            if let Some(Value::Array(inner)) = group.get("steps") {
                check_steps(inner, &format!("{at}.steps"), stage, faults);
            }
            continue;
        }
        let Some(Value::Object(step)) = entry.get("step") else {
            if entry.get("insert").is_none() {
                push(
                    faults,
                    &format!("{at}.step"),
                    "is missing but it is required",
                    stage.cloned(),
                );
            }
            continue;
        };
        let needed: &[&str] = if step.contains_key("template") {
            &["identifier", "name"]
        } else {
            &["identifier", "name", "type"]
        };
        need(step, needed, &format!("{at}.step"), stage, faults);
    }
}

fn need(
    of: &Map<String, Value>,
    fields: &[&str],
    at: &str,
    stage: Option<&(String, String)>,
    faults: &mut Vec<SchemaFault>,
) {
    for field in fields {
        if of.get(*field).is_none_or(Value::is_null) {
            push(faults, &format!("{at}.{field}"), "is missing but it is required", stage.cloned());
        }
    }
}

fn push(faults: &mut Vec<SchemaFault>, at: &str, message: &str, stage: Option<(String, String)>) {
    faults.push(SchemaFault { at: at.to_owned(), message: format!("{at}: {message}"), stage });
}

fn refusal(faults: &[SchemaFault]) -> Reply {
    let errors: Vec<Value> = faults
        .iter()
        .map(|fault| {
            let stage = fault.stage.as_ref().map(
                |(id, kind)| json!({"identifier": id, "type": kind, "name": null, "fqn": fault.at}),
            );
            json!({
                "message": fault.message, "messageWithFQN": fault.message, "stageInfo": stage,
                "stepInfo": null, "fqn": fault.at, "hintMessage": null,
            })
        })
        .collect();
    let said: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    Reply::ng_error_with(
        400,
        "SCHEMA_VALIDATION_FAILED",
        &format!("Invalid yaml: {}", said.join("; ")),
        json!({"type": "YamlSchemaErrorWrapperDTO", "schemaErrors": errors}),
    )
}

fn text<'a>(of: &'a Map<String, Value>, field: &str) -> &'a str {
    of.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn module_of(stage_type: &str) -> Option<&'static str> {
    STAGE_TYPES.iter().find(|(name, _)| *name == stage_type).map(|(_, module)| *module)
}

/// The stages of a pipeline in order, those of parallel groups included.
pub fn stages(pipeline: &Value) -> Vec<&Value> {
    fn walk<'a>(entries: &'a Value, into: &mut Vec<&'a Value>) {
        for entry in entries.as_array().into_iter().flatten() {
            match (entry.get("stage"), entry.get("parallel")) {
                (Some(stage), _) => into.push(stage),
                (None, Some(parallel)) => walk(parallel, into),
                (None, None) => {}
            }
        }
    }
    let mut found = Vec::new();
    if let Some(entries) = pipeline.get("stages") {
        walk(entries, &mut found);
    }
    found
}

/// The modules a pipeline's stages belong to, each once.
pub fn modules(pipeline: &Value) -> Vec<&'static str> {
    let mut modules = Vec::new();
    for stage in stages(pipeline) {
        let kind = stage.get("type").and_then(Value::as_str).unwrap_or_default();
        if let Some(module) = module_of(kind).filter(|module| !modules.contains(module)) {
            modules.push(module);
        }
    }
    modules
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{check, modules};

    fn faults(pipeline: Value) -> Vec<String> {
        let Value::Object(pipeline) = pipeline else { panic!("not an object") };
        let Err(refusal) = check(&pipeline) else { return Vec::new() };
        let body = refusal.json().unwrap();
        assert_eq!(body["metadata"]["type"], "YamlSchemaErrorWrapperDTO");
        let errors = body["metadata"]["schemaErrors"].as_array().unwrap().clone();
        errors.iter().map(|e| e["message"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_fault_of_the_stages_is_named_with_its_place() {
        assert_eq!(faults(json!({})), ["$.pipeline.stages: is missing but it is required"]);
        let found = faults(json!({"stages": [
            {"stage": {"identifier": "a", "name": "A", "type": "Magic", "spec": {}}},
            {"parallel": [{"stage": {"identifier": "a", "name": "B", "type": "Custom", "spec": {
                "execution": {"steps": [{"step": {"identifier": "s"}}]}}}}]},
        ]}));
        assert!(found[0].starts_with("$.pipeline.stages[0].stage.type: does not have a value"));
        assert_eq!(found[1], "$.pipeline.stages[1].parallel[0].stage: duplicate identifier a");
        assert!(found[2].contains("steps[0].step.name: is missing"), "{found:?}");
    }

    #[test]
    fn modules_follow_the_stage_types() {
        let stage = |kind: &str| json!({"stage": {"type": kind}});
        let pipeline =
            json!({"stages": [stage("CI"), {"parallel": [stage("Deployment"), stage("CI")]}]});
        assert_eq!(modules(&pipeline), ["ci", "cd"]);
    }
}
