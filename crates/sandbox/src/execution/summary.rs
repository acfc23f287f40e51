//! A run as lists show it.

use serde_json::{Map, Value, json};

use super::engine::plan::{Node, Plan, Role, Trouble};
use super::engine::status::Status;
use super::record::Live;
use crate::world::CALLER;

/// Runs older than this cannot be retried.
const RETRY_WINDOW_MS: i64 = 30 * 24 * 3_600_000;

/// The `PipelineExecutionSummary` of a run.
pub(crate) fn summary(live: &Live) -> Value {
    let record = &live.record;
    let status = live.status();
    let stages = stages_of(&live.program.plan, live.top);
    let count = |wanted: &dyn Fn(Status) -> bool| {
        stages.iter().filter(|at| wanted(live.states.status(**at))).count()
    };
    let failure = failure(live, live.top);
    let tags: Vec<Value> = record
        .tags
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| json!({"key": key, "value": value}))
        .collect();
    let names: Map<String, Value> = stages
        .iter()
        .filter_map(|at| live.program.plan.node(*at))
        .map(|node| (node.identifier.clone(), json!(node.name)))
        .collect();
    let is_young = live.now_ms - record.start_ms < RETRY_WINDOW_MS;
    let can_retry =
        status.is_retryable() && status.is_final() && is_young && record.parent.is_none();
    let mut summary = json!({
        "pipelineIdentifier": record.pipeline, "orgIdentifier": record.org,
        "projectIdentifier": record.project, "planExecutionId": record.id, "name": record.name,
        "yamlVersion": "0", "status": status.shown(), "tags": tags, "labels": [],
        "executionTriggerInfo": trigger_info(live),
        "executionErrorInfo": failure.as_ref().map(|f| json!({"message": f.message})),
        "failureInfo": failure.as_ref().map(Failure::dto),
        "governanceMetadata": null, "moduleInfo": module_info(live),
        "layoutNodeMap": layout(live), "modules": record.modules,
        "startingNodeId": first_layout_node(live),
        "startTs": live.start_ms(), "createdAt": live.start_ms(),
    });
    let rest = json!({
        "canRetry": can_retry, "canReExecute": status.is_final(),
        "showRetryHistory": record.retry_of.is_some(),
        "isRetriedExecution": record.retry_of.is_some(),
        "runSequence": record.run_sequence,
        "successfulStagesCount": count(&Status::is_positive),
        "runningStagesCount": count(&Status::is_active),
        "failedStagesCount": count(&Status::stops),
        "totalStagesCount": stages.len(),
        "gitDetails": null, "storeType": "INLINE", "connectorRef": null,
        "executionInputConfigured": false, "isStagesExecution": !record.stages.is_empty(),
        "stagesExecuted": record.stages,
        "stagesExecutedNames": if record.stages.is_empty() { json!({}) } else { json!(names) },
        "parentStageInfo": parent_info(live), "executionMode": "NORMAL",
        "notesExistForPlanExecutionId": !record.notes.is_empty(),
        "notes": if record.notes.is_empty() { Value::Null } else { json!(record.notes) },
        "shouldUseSimplifiedKey": true, "isDynamicExecution": record.is_dynamic,
        "inputSetIdentifiers": record.input_sets,
    });
    let (Some(fields), Value::Object(rest)) = (summary.as_object_mut(), rest) else {
        return summary;
    };
    fields.extend(rest);
    // While a run goes on the field is absent, not null.
    if let Some(end) = live.end_ms() {
        fields.insert("endTs".to_owned(), json!(end));
    }
    if let Some((_, _, at)) = aborts(live).last() {
        let by = json!({"userName": CALLER.name, "email": CALLER.email, "createdAt": at});
        fields.insert("abortedBy".to_owned(), by);
    }
    if let Some(window) = frozen_by(live) {
        fields.insert("freezeInfo".to_owned(), json!({"name": window}));
    }
    summary
}

fn aborts(live: &Live) -> Vec<(String, usize, i64)> {
    let interrupts = live.holder_ref().interrupts.iter();
    let here = interrupts.filter(|(kind, node, _)| {
        kind.starts_with("ABORT") && live.program.plan.is_within(live.top, *node)
    });
    here.cloned().collect()
}

fn frozen_by(live: &Live) -> Option<&str> {
    let below = live.program.plan.below(live.top);
    below.into_iter().find_map(|at| {
        let node = live.program.plan.node(at)?;
        let is_frozen = live.states.status(at) == Status::AbortedByFreeze;
        node.frozen_by.as_deref().filter(|_| is_frozen)
    })
}

fn trigger_info(live: &Live) -> Value {
    let kind = if live.record.parent.is_some() { "NOOP" } else { "MANUAL" };
    let rerun_of = live.record.rerun_of.as_ref().or(live.record.retry_of.as_ref());
    let rerun = rerun_of.map_or(json!({}), |id| {
        json!({
            "rootExecutionId": id, "rootTriggerType": kind, "prevExecutionId": id,
            "prevTriggerType": kind,
        })
    });
    json!({
        "triggerType": kind,
        "triggeredBy": {
            "uuid": CALLER.uuid, "identifier": CALLER.name,
            "extraInfo": {"email": CALLER.email}, "triggerIdentifier": null, "triggerName": null,
        },
        "isRerun": rerun_of.is_some(), "rerunInfo": rerun,
    })
}

fn parent_info(live: &Live) -> Value {
    let Some(parent) = &live.record.parent else { return Value::Null };
    let stage = live.program.plan.node(parent.stage_node);
    json!({
        "hasparentpipeline": true, "stagenodeid": super::record::derived_id(&parent.execution, parent.stage_node),
        "executionid": parent.execution, "identifier": parent.pipeline,
        "stageidentifier": stage.map(|stage| &stage.identifier),
    })
}

fn module_info(live: &Live) -> Value {
    let modules = live.record.modules.iter();
    let infos = modules.map(|module| {
        let info = match module.as_str() {
            "cd" => json!({
                "__recast": "io.harness.cdng.pipeline.executions.beans.CDPipelineModuleInfo",
                "serviceIdentifiers": services(live), "envIdentifiers": environments(live),
            }),
            "ci" => json!({"isPrivateRepo": false, "ciExecutionInfoDTO": null}),
            _ => json!({}),
        };
        (module.clone(), info)
    });
    Value::Object(infos.collect())
}

fn deployed(live: &Live, pointer: &str) -> Vec<Value> {
    fn visit(value: &Value, pointer: &str, found: &mut Vec<Value>) {
        if let Some(text) = value.pointer(pointer).filter(|v| v.is_string()) {
            found.push(text.clone());
        }
        for inner in value.get("parallel").and_then(Value::as_array).into_iter().flatten() {
            visit(inner, pointer, found);
        }
    }
    let mut found = Vec::new();
    let stages = live.program.document.pointer("/pipeline/stages").and_then(Value::as_array);
    for stage in stages.into_iter().flatten() {
        visit(stage, pointer, &mut found);
    }
    found.dedup();
    found
}

fn services(live: &Live) -> Vec<Value> {
    deployed(live, "/stage/spec/service/serviceRef")
}

fn environments(live: &Live) -> Vec<Value> {
    deployed(live, "/stage/spec/environment/environmentRef")
}

/// A failure as replies tell it.
pub(crate) struct Failure {
    /// What failed, in words.
    pub(crate) message: String,
    kind: &'static str,
}

impl Failure {
    /// `{message, failureTypeList, responseMessages}`.
    pub(crate) fn dto(&self) -> Value {
        json!({
            "message": self.message, "failureTypeList": [self.kind],
            "responseMessages": [{
                "code": "GENERAL_ERROR", "level": "ERROR", "message": self.message,
                "exception": null, "failureTypes": [self.kind],
            }],
        })
    }
}

/// What failed at or below a node.
pub(crate) fn failure(live: &Live, top: usize) -> Option<Failure> {
    let status = live.states.status(top);
    let is_ignored = status == Status::IgnoreFailed;
    if !(status.stops() || is_ignored || status == Status::InterventionWaiting) {
        return None;
    }
    let own =
        live.states.of(top).and_then(|state| state.failure.as_deref().map(|text| (top, text)));
    let (at, message) = own.or_else(|| live.states.failure(&live.program.plan, top))?;
    let trouble = live.states.of(at).and_then(|state| state.trouble);
    let kind = match trouble {
        Some(Trouble::Timeout) => "TIMEOUT_ERROR",
        Some(Trouble::Rejection) => "APPROVAL_REJECTION",
        _ => "APPLICATION_ERROR",
    };
    Some(Failure { message: message.to_owned(), kind })
}

/// The stages of a run, those side by side included, its chained runs' not.
pub(crate) fn stages_of(plan: &Plan, top: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = vec![top];
    while let Some(at) = open.pop() {
        let Some(node) = plan.node(at) else { continue };
        match node.role {
            Role::Stage => found.push(at),
            Role::Pipeline | Role::Stages | Role::Fork => open.extend(node.children.iter().rev()),
            _ => {}
        }
    }
    found
}

fn stages_list(live: &Live) -> Option<&Node> {
    let top = live.program.plan.node(live.top)?;
    top.children.first().and_then(|stages| live.program.plan.node(*stages))
}

fn first_layout_node(live: &Live) -> Option<String> {
    stages_list(live)?.children.first().map(|first| live.record.node_id(*first))
}

fn layout(live: &Live) -> Value {
    let mut map = Map::new();
    let top_level = stages_list(live).map(|stages| stages.children.clone()).unwrap_or_default();
    for (index, &at) in top_level.iter().enumerate() {
        let next = top_level.get(index + 1).map(|next| live.record.node_id(*next));
        let Some(node) = live.program.plan.node(at) else { continue };
        let is_fork = node.role == Role::Fork;
        let children: Vec<String> = match is_fork {
            true => node.children.iter().map(|child| live.record.node_id(*child)).collect(),
            false => Vec::new(),
        };
        map.insert(live.record.node_id(at), layout_node(live, at, &children, next));
        for &child in node.children.iter().filter(|_| is_fork) {
            map.insert(live.record.node_id(child), layout_node(live, child, &[], None));
        }
    }
    Value::Object(map)
}

fn layout_node(live: &Live, at: usize, children: &[String], next: Option<String>) -> Value {
    let (Some(node), Some(state)) = (live.program.plan.node(at), live.states.of(at)) else {
        return Value::Null;
    };
    let is_fork = node.role == Role::Fork;
    let failure = failure(live, at);
    let id = live.record.node_id(at);
    let mut shown = json!({
        "nodeType": if is_fork { "parallel" } else { node.kind.as_str() },
        "nodeGroup": if is_fork { "PARALLEL" } else { "STAGE" },
        "nodeIdentifier": node.identifier, "name": node.name, "nodeUuid": id,
        "nodeExecutionId": id, "status": state.status.shown(),
        "module": module_of(&node.kind), "moduleInfo": {},
        "edgeLayoutList": {
            "currentNodeChildren": children, "nextIds": next.into_iter().collect::<Vec<_>>(),
        },
        "skipInfo": skip_info(node, state.status), "nodeRunInfo": null, "barrierFound": null,
        "failureInfo": failure.as_ref().map_or(json!({"message": ""}), |f| json!({"message": f.message})),
        "failureInfoDTO": failure.as_ref().map(Failure::dto), "isRollbackStageNode": false,
    });
    if let Some(fields) = shown.as_object_mut() {
        fields.extend(state.start_ms.map(|start| ("startTs".to_owned(), json!(start))));
        fields.extend(state.end_ms.map(|end| ("endTs".to_owned(), json!(end))));
    }
    shown
}

/// Why a node was skipped, as replies tell it.
pub(crate) fn skip_info(node: &Node, status: Status) -> Value {
    if status != Status::Skipped {
        return Value::Null;
    }
    let condition = node.unmet.as_deref().unwrap_or("OnPipelineStatus");
    json!({"evaluatedCondition": true, "skipCondition": condition})
}

/// The module a stage type belongs to.
pub(crate) fn module_of(kind: &str) -> &'static str {
    match kind {
        "Deployment" => "cd",
        "CI" => "ci",
        "FeatureFlag" => "cf",
        "Security" | "SecurityTests" => "sto",
        "IACM" => "iacm",
        _ => "pms",
    }
}
