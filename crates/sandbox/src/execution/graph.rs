//! The whole graph of a run: every node, how they hang together, and where their logs are.

use serde_json::{Map, Value, json};

use super::engine::logs;
use super::engine::plan::{Node, Role, Wait};
use super::engine::simulation::NodeState;
use super::engine::status::Status;
use super::record::Live;
use super::summary::{failure, skip_info};

/// The delegate that sandbox tasks claim to run on.
const DELEGATE: &str = "sandbox-delegate";

/// `executionGraph` of everything at or below `top`.
pub(crate) fn graph(live: &Live, top: usize, account: &str) -> Value {
    let mut nodes = Map::new();
    let mut adjacency = Map::new();
    let mut open = vec![(top, None)];
    while let Some((at, next)) = open.pop() {
        let (Some(node), Some(state)) = (live.program.plan.node(at), live.states.of(at)) else {
            continue;
        };
        // A chained run has a graph of its own.
        let children: &[usize] = if node.chain.is_some() { &[] } else { node.children.as_slice() };
        let id = live.record.node_id(at);
        let ids: Vec<String> = match node.role {
            Role::Fork => children.iter().map(|child| live.record.node_id(*child)).collect(),
            _ => children.first().map(|child| live.record.node_id(*child)).into_iter().collect(),
        };
        let next: Option<usize> = next;
        let next: Vec<String> = next.map(|next| live.record.node_id(next)).into_iter().collect();
        adjacency.insert(id.clone(), json!({"children": ids, "nextIds": next}));
        nodes.insert(id, graph_node(live, at, node, state, account));
        for (index, child) in children.iter().enumerate().rev() {
            let sibling = children.get(index + 1).copied();
            open.push((*child, sibling.filter(|_| node.role != Role::Fork)));
        }
    }
    json!({
        "rootNodeId": live.record.node_id(top), "nodeMap": nodes,
        "nodeAdjacencyListMap": adjacency,
        "executionMetadata": {
            "accountId": account, "orgIdentifier": live.record.org,
            "projectIdentifier": live.record.project, "pipelineIdentifier": live.record.pipeline,
            "planExecutionId": live.record.id,
        },
        "representationStrategy": "camelCase",
    })
}

fn graph_node(live: &Live, at: usize, node: &Node, state: &NodeState, account: &str) -> Value {
    let id = live.record.node_id(at);
    let base = live.record.log_base(account);
    let log_key = logs::key(&base, &live.program.plan, at, None);
    let failure = failure(live, at);
    let mut shown = json!({
        "uuid": id, "setupId": super::record::derived_id(&live.record.pipeline, at),
        "name": node.name, "identifier": node.identifier, "baseFqn": node.fqn,
        "outcomes": {}, "stepParameters": node.work.as_ref().map(|work| &work.spec),
        "createdAt": state.start_ms, "stepType": step_type(node), "status": state.status.shown(),
        "failureInfo": failure.as_ref().map_or(
            json!({"message": "", "failureTypeList": [], "responseMessages": []}),
            super::summary::Failure::dto,
        ),
        "skipInfo": skip_info(node, state.status), "nodeRunInfo": null,
        "executableResponses": responses(live, at, node, state, &base),
        "unitProgresses": units(node, state), "progressData": null,
        "delegateInfoList": delegates(node, state, &id),
        "interruptHistories": interrupts(live, at), "stepDetails": details(live, at, node),
        "strategyMetadata": null, "executionInputConfigured": false, "logBaseKey": log_key,
        "manualInterventionAvailableActions": interventions(state.status),
        "childrenCount": node.children.len(),
    });
    if let Some(fields) = shown.as_object_mut() {
        fields.extend(state.start_ms.map(|start| ("startTs".to_owned(), json!(start))));
        fields.extend(state.end_ms.map(|end| ("endTs".to_owned(), json!(end))));
    }
    shown
}

fn step_type(node: &Node) -> String {
    match (node.role, node.kind.as_str()) {
        (Role::Stage, "Deployment") => "DEPLOYMENT_STAGE_STEP".to_owned(),
        (Role::Stage, "CI") => "IntegrationStageStepPMS".to_owned(),
        (Role::Stage, "Approval") => "APPROVAL_STAGE".to_owned(),
        (Role::Stage, "Pipeline") => "PIPELINE_STAGE".to_owned(),
        (Role::Stage, "Custom") => "CUSTOM_STAGE".to_owned(),
        (_, kind) => kind.to_owned(),
    }
}

fn responses(live: &Live, at: usize, node: &Node, state: &NodeState, base: &str) -> Value {
    let Some(work) = node.work.as_ref().filter(|_| state.start_ms.is_some()) else {
        return json!([]);
    };
    let id = live.record.node_id(at);
    if matches!(work.wait, Wait::People(_) | Wait::System) {
        let approval = super::record::derived_id(&id, 0);
        return json!([{"async": {"callbackIds": [approval], "logKeys": [], "units": [], "status": "NO_OP"}}]);
    }
    let units = super::engine::habits::units(&node.kind);
    let keys: Vec<String> = match units {
        [] => vec![logs::key(base, &live.program.plan, at, None)],
        units => units.iter().map(|u| logs::key(base, &live.program.plan, at, Some(u))).collect(),
    };
    json!([{"task": {"taskId": id, "logKeys": keys, "units": units, "taskName": node.name}}])
}

fn units(node: &Node, state: &NodeState) -> Vec<Value> {
    let progress = logs::unit_progress(node, state).into_iter();
    let shown = progress.map(|(name, status, start, end)| {
        json!({"unitName": name, "status": status, "startTime": start, "endTime": end})
    });
    shown.collect()
}

fn delegates(node: &Node, state: &NodeState, task: &str) -> Value {
    let works = node.work.as_ref().is_some_and(|work| work.wait == Wait::Work);
    if !works || state.start_ms.is_none() || state.status == Status::Skipped {
        return json!([]);
    }
    json!([{"id": super::record::derived_id(DELEGATE, 0), "name": DELEGATE, "taskId": task,
        "taskName": node.kind}])
}

fn interrupts(live: &Live, at: usize) -> Vec<Value> {
    let all = live.holder_ref().interrupts.iter();
    let here = all.filter(|(_, node, _)| *node == at);
    here.map(|(kind, _, moment)| json!({"interruptType": kind, "tookEffectAt": moment})).collect()
}

fn details(live: &Live, at: usize, node: &Node) -> Value {
    let Some(chain) = &node.chain else { return Value::Null };
    let has_begun = live.states.of(at).is_some_and(|state| state.start_ms.is_some());
    let Some(child) = node.children.first().filter(|_| has_begun) else { return Value::Null };
    let id = super::record::derived_id(&live.holder_ref().id, *child);
    json!({"childPipelineExecutionDetails": {
        "planExecutionId": id, "orgId": chain.org, "projectId": chain.project,
    }})
}

fn interventions(status: Status) -> Value {
    if status != Status::InterventionWaiting {
        return json!([]);
    }
    json!(["Abort", "MarkAsSuccess", "Ignore", "Retry", "MarkAsFailure", "StageRollback"])
}

/// The node whose id, setup id or identifier a caller gave.
pub(crate) fn find_node(live: &Live, given: &str) -> Option<usize> {
    let below = live.program.plan.below(live.top);
    let by_id = below.iter().copied().find(|at| live.record.node_id(*at) == given);
    let named = |at: &usize| {
        let node = live.program.plan.node(*at);
        node.is_some_and(|node| node.role == Role::Stage && node.identifier == given)
    };
    by_id.or_else(|| below.iter().copied().find(named))
}
