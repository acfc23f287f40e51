//! Approvals: what a run waits for people to decide, and their decisions.

use serde_json::{Value, json};

use super::{settle, text};
use crate::execution::engine::plan::{Node, Wait, Work};
use crate::execution::engine::simulation::{Deed, Event};
use crate::execution::engine::status::Status;
use crate::execution::record::{self, APPROVAL_KIND, Decision, Live, derived_id};
use crate::execution::start::tell_audit;
use crate::reply::{FieldError, Reply};
use crate::request::Request;
use crate::router::{Params, Route};
use crate::scope::Scope;
use crate::store::{Key, Store};
use crate::world::{CALLER, World};

/// Longest comment on a decision.
const LONGEST_COMMENT: usize = 4_096;

const STATUSES: [&str; 6] = ["WAITING", "APPROVED", "REJECTED", "FAILED", "ABORTED", "EXPIRED"];

const TYPES: [&str; 4] =
    ["HarnessApproval", "JiraApproval", "CustomApproval", "ServiceNowApproval"];

pub(super) fn routes() -> Vec<Route> {
    const LIST: &str =
        "/pipeline/api/v1/orgs/{org}/projects/{project}/approvals/execution/{execution}";
    const LIST_V1: &str = "/v1/orgs/{org}/projects/{project}/approvals/execution/{execution}";
    vec![
        Route::new("GET", LIST, list),
        Route::new("GET", LIST_V1, list),
        Route::new("GET", "/pipeline/api/approvals/{approval}", get),
        Route::new("POST", "/pipeline/api/approvals/{approval}/harness/activity", decide),
    ]
}

/// An approval step that has begun.
struct Approval<'a> {
    live: &'a Live,
    at: usize,
    node: &'a Node,
    work: &'a Work,
}

impl<'a> Approval<'a> {
    fn at(live: &'a Live, at: usize) -> Option<Self> {
        let node = live.program.plan.node(at)?;
        let work = node
            .work
            .as_ref()
            .filter(|work| work.wait != Wait::Work && work.wait != Wait::Timer)?;
        live.states.of(at)?.start_ms?;
        let has_waited = live.states.status(at) != Status::Skipped;
        has_waited.then_some(Self { live, at, node, work })
    }

    fn id(&self) -> String {
        derived_id(&self.live.record.node_id(self.at), 0)
    }

    fn status(&self) -> &'static str {
        match self.live.states.status(self.at) {
            Status::Success | Status::Running | Status::IgnoreFailed => "APPROVED",
            Status::ApprovalRejected => "REJECTED",
            Status::Expired => "EXPIRED",
            Status::Aborted | Status::Discontinuing => "ABORTED",
            Status::Failed => "FAILED",
            _ => "WAITING",
        }
    }

    fn start(&self) -> i64 {
        self.live.states.of(self.at).and_then(|state| state.start_ms).unwrap_or_default()
    }

    fn deadline(&self) -> Option<i64> {
        self.live.states.of(self.at).and_then(|state| state.deadline_ms)
    }

    fn updated(&self) -> i64 {
        let ended = self.live.states.of(self.at).and_then(|state| state.end_ms);
        let decided = self.decisions().map(|decision| decision.at_ms).max();
        ended.or(decided).unwrap_or_else(|| self.start())
    }

    fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.live.holder_ref().decisions.iter().filter(|decision| decision.node == self.at)
    }

    fn error(&self) -> Option<&str> {
        self.live.states.of(self.at).and_then(|state| state.failure.as_deref())
    }

    fn spec(&self, pointer: &str) -> Value {
        self.work.spec.pointer(pointer).cloned().unwrap_or_default()
    }

    fn asked_inputs(&self) -> Vec<(String, Value)> {
        let inputs = self.spec("/approverInputs");
        let inputs = inputs.as_array().into_iter().flatten();
        inputs
            .map(|one| {
                (text(one, "name").to_owned(), one.get("defaultValue").cloned().unwrap_or_default())
            })
            .collect()
    }
}

fn one_of(given: Option<&str>, known: &[&str], name: &str) -> Result<Option<String>, Reply> {
    let Some(given) = given else { return Ok(None) };
    let found = known.iter().find(|one| one.eq_ignore_ascii_case(given));
    found.map(|one| Some((*one).to_owned())).ok_or_else(|| {
        Reply::invalid(&format!(
            "query param {name} must be one of [{}], not `{given}`",
            known.join(", ")
        ))
    })
}

fn list(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let live = record::wanted(world, &store, &params.scope(), params.get("execution"))?;
        let status = one_of(request.query.first("approval_status"), &STATUSES, "approval_status")?;
        let kind = one_of(request.query.first("approval_type"), &TYPES, "approval_type")?;
        let node = request.query.first("node_execution_id");
        let approvals = live.program.plan.below(live.top).into_iter();
        let approvals = approvals.filter_map(|at| Approval::at(&live, at));
        // A chained run's approvals belong to that run.
        let is_own = |approval: &Approval<'_>| {
            let top = live
                .program
                .plan
                .enclosing(approval.at, crate::execution::engine::plan::Role::Pipeline);
            top == Some(live.top)
        };
        let shown: Vec<Value> = approvals
            .filter(is_own)
            .filter(|one| status.as_deref().is_none_or(|status| one.status() == status))
            .filter(|one| kind.as_deref().is_none_or(|kind| one.node.kind == kind))
            .filter(|one| node.is_none_or(|node| live.record.node_id(one.at) == node))
            .map(|one| v1(&one))
            .collect();
        Ok(Reply::bare(&Value::Array(shown)))
    })
}

fn v1(approval: &Approval<'_>) -> Value {
    let activities: Vec<Value> = approval
        .decisions()
        .map(|one| {
            json!({
                "user": {"name": one.name, "email": one.email}, "action": one.action,
                "approver_inputs": one.inputs, "comments": one.comments, "approved_at": one.at_ms,
            })
        })
        .collect();
    let inputs: Vec<Value> = approval
        .asked_inputs()
        .into_iter()
        .map(|(name, value)| json!({"name": name, "default_value": value}))
        .collect();
    json!({
        "id": approval.id(), "type": approval.node.kind, "status": approval.status(),
        "deadline": approval.deadline(), "created": approval.start(),
        "updated": approval.updated(), "error_message": approval.error(),
        "details": {
            "approval_message": approval.spec("/approvalMessage"),
            "include_pipeline_execution_history": approval.spec("/includePipelineExecutionHistory"),
            "approvers": {
                "user_groups": approval.spec("/approvers/userGroups"),
                "minimum_count": minimum(approval),
                "disallow_pipeline_executor": approval.spec("/approvers/disallowPipelineExecutor") == true,
            },
            "approval_activities": activities, "approver_inputs": inputs,
        },
    })
}

fn minimum(approval: &Approval<'_>) -> usize {
    match &approval.work.wait {
        Wait::People(people) => people.minimum,
        _ => 1,
    }
}

fn dto(approval: &Approval<'_>) -> Value {
    let by = |action: &str| {
        approval.decisions().any(|one| one.email == CALLER.email && one.action == action)
    };
    let activities: Vec<Value> = approval
        .decisions()
        .map(|one| {
            json!({
                "user": {"uuid": CALLER.uuid, "name": one.name, "email": one.email},
                "action": one.action, "approverInputs": one.inputs, "comments": one.comments,
                "approvedAt": one.at_ms,
            })
        })
        .collect();
    json!({
        "id": approval.id(), "type": approval.node.kind, "status": approval.status(),
        "deadline": approval.deadline(),
        "details": {
            "approvalMessage": approval.spec("/approvalMessage"),
            "includePipelineExecutionHistory": approval.spec("/includePipelineExecutionHistory"),
            "approvers": approval.spec("/approvers"), "approvalActivities": activities,
            "approverInputs": approval.spec("/approverInputs"),
        },
        "createdAt": approval.start(), "lastModifiedAt": approval.updated(),
        "errorMessage": approval.error(), "approvedByCurrentUser": by("APPROVE"),
        "rejectedByCurrentUser": by("REJECT"),
    })
}

/// The run and step of an approval id, or the refusal.
fn wanted(world: &World, store: &Store, id: &str) -> Result<(Live, usize), Reply> {
    let missing =
        || Reply::ng_error(400, "INVALID_REQUEST", &format!("Invalid approval instance id: {id}"));
    let place = store.get(&Key::account(APPROVAL_KIND, id))?.ok_or_else(missing)?.body;
    let scope = Scope::project(text(&place, "org"), text(&place, "project"));
    let live = record::wanted(world, store, &scope, text(&place, "execution"))?;
    let node =
        place.get("node").and_then(Value::as_u64).and_then(|node| usize::try_from(node).ok());
    let node = node.filter(|node| Approval::at(&live, *node).is_some()).ok_or_else(missing)?;
    Ok((live, node))
}

fn get(world: &World, _: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let (live, at) = wanted(world, &store, params.get("approval"))?;
        let approval = Approval::at(&live, at);
        Ok(Reply::ng(approval.map_or(Value::Null, |approval| dto(&approval))))
    })
}

fn refused(message: &str) -> Reply {
    Reply::ng_error(400, "APPROVAL_STEP_NG_ERROR", message)
}

fn decide(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let body = request.json().map_err(|error| Reply::unreadable(&error.to_string()))?;
        let action = match text(&body, "action") {
            action @ ("APPROVE" | "REJECT") => action,
            "" => {
                return Err(Reply::field_failure(&[FieldError::new("action", "must not be null")]));
            }
            other => {
                let details = format!("`{other}` is not one of [APPROVE, REJECT]");
                return Err(Reply::unreadable(&details));
            }
        };
        let comments = text(&body, "comments");
        if comments.chars().count() > LONGEST_COMMENT {
            let error = format!("can be {LONGEST_COMMENT} characters long");
            return Err(Reply::field_failure(&[FieldError::new("comments", &error)]));
        }
        let store = world.store();
        let (mut live, at) = wanted(world, &store, params.get("approval"))?;
        let inputs = {
            let missing = || refused("the approval is not waiting any more");
            let approval = Approval::at(&live, at).ok_or_else(missing)?;
            may_decide(&store, &approval)?;
            if action == "APPROVE" { approver_inputs(&approval, &body)? } else { json!([]) }
        };
        let now = world.now_ms();
        let deed = match action {
            "APPROVE" => Deed::Approve { user: CALLER.email.to_owned() },
            _ => Deed::Reject,
        };
        let holder = live.holder();
        holder.events.push(Event { at_ms: now, node: at, deed });
        holder.decisions.push(Decision {
            node: at,
            action: action.to_owned(),
            email: CALLER.email.to_owned(),
            name: CALLER.name.to_owned(),
            comments: comments.to_owned(),
            inputs,
            at_ms: now,
        });
        holder.save(&store, now)?;
        live.refresh();
        let audited = if action == "APPROVE" { "APPROVED" } else { "REJECTED" };
        tell_audit(world, &store, &live.record, audited, now)?;
        Ok(Reply::ng(Approval::at(&live, at).map_or(Value::Null, |approval| dto(&approval))))
    })
}

fn may_decide(store: &Store, approval: &Approval<'_>) -> Result<(), Reply> {
    if !matches!(approval.work.wait, Wait::People(_)) {
        return Err(refused(&format!(
            "an approval of type {} is decided in the system it asks, not here",
            approval.node.kind
        )));
    }
    if approval.live.states.status(approval.at) != Status::ApprovalWaiting {
        return Err(refused(&format!(
            "the approval has already completed: its status is {}",
            approval.status()
        )));
    }
    if approval.decisions().any(|one| one.email == CALLER.email) {
        return Err(refused(&format!(
            "user `{}` has already decided on this approval",
            CALLER.email
        )));
    }
    if approval.spec("/approvers/disallowPipelineExecutor") == true {
        return Err(refused(&format!(
            "user `{}` started the pipeline and is therefore not allowed to decide on it",
            CALLER.email
        )));
    }
    let groups = approval.spec("/approvers/userGroups");
    let groups: Vec<&str> =
        groups.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let scope = approval.live.record.scope();
    if groups.is_empty() || groups.iter().any(|group| is_member(store, &scope, group)) {
        return Ok(());
    }
    Err(refused(&format!(
        "user `{}` is in none of the approver groups: {}",
        CALLER.email,
        groups.join(", ")
    )))
}

/// The built-in groups hold everybody; a group that is not there holds nobody.
fn is_member(store: &Store, scope: &Scope, group: &str) -> bool {
    let (scope, id) = scope.of_reference(group);
    if matches!(id, "_account_all_users" | "_organization_all_users" | "_project_all_users") {
        return true;
    }
    let found = store.get(&Key::new("user_group", &scope, id)).ok().flatten();
    let users = found.and_then(|found| found.body.get("users").cloned()).unwrap_or_default();
    let is_caller = |user: &Value| user == CALLER.uuid || user == CALLER.email;
    users.as_array().is_some_and(|users| users.iter().any(is_caller))
}

/// The given inputs with defaults; one that is required and missing is refused.
fn approver_inputs(approval: &Approval<'_>, body: &Value) -> Result<Value, Reply> {
    let given = body.get("approverInputs").and_then(Value::as_array).cloned().unwrap_or_default();
    let value_of =
        |name: &str| given.iter().find(|one| text(one, "name") == name)?.get("value").cloned();
    let mut inputs = Vec::new();
    let mut missing = Vec::new();
    for (name, default) in approval.asked_inputs() {
        let is_open = default.is_null() || default == "";
        match value_of(&name).filter(|value| !value.is_null() && value != "") {
            Some(value) => inputs.push(json!({"name": name, "value": value})),
            None if is_open => missing.push(name),
            None => inputs.push(json!({"name": name, "value": default})),
        }
    }
    if missing.is_empty() {
        return Ok(Value::Array(inputs));
    }
    Err(refused(&format!("missing approver inputs: {}", missing.join(", "))))
}
