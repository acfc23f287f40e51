//! Interrupting a run: stopping, pausing, and deciding what a failed step counts as.

use serde_json::json;

use super::{needed, project, settle};
use crate::execution::engine::simulation::{Deed, Event, Mark};
use crate::execution::engine::status::Status;
use crate::execution::graph::find_node;
use crate::execution::record::{self, Live};
use crate::execution::start::tell_audit;
use crate::ids;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::world::World;

/// One type of interrupt: its name, the engine's name, what it does.
struct Interrupt {
    name: &'static str,
    engine: &'static str,
    deed: Deed,
    /// Only makes sense while a step waits for an intervention.
    needs_waiting: bool,
}

const fn interrupt(
    name: &'static str,
    engine: &'static str,
    deed: Deed,
    needs_waiting: bool,
) -> Interrupt {
    Interrupt { name, engine, deed, needs_waiting }
}

static INTERRUPTS: [Interrupt; 14] = [
    interrupt("AbortAll", "ABORT_ALL", Deed::Abort, false),
    interrupt("Abort", "ABORT", Deed::Abort, false),
    interrupt("Pause", "PAUSE_ALL", Deed::Pause, false),
    interrupt("Resume", "RESUME_ALL", Deed::Resume, false),
    interrupt("StageRollback", "STAGE_ROLLBACK", Deed::RollBack, false),
    interrupt("StepGroupRollback", "STEP_GROUP_ROLLBACK", Deed::RollBack, false),
    interrupt("PipelineRollback", "PIPELINE_ROLLBACK", Deed::RollBack, false),
    interrupt("Ignore", "IGNORE", Deed::Mark(Mark::Ignored), true),
    interrupt("MarkAsSuccess", "MARK_SUCCESS", Deed::Mark(Mark::Success), false),
    interrupt("MarkAsFailure", "MARK_FAILED", Deed::Mark(Mark::Failed), false),
    interrupt("ExpireAll", "EXPIRE_ALL", Deed::Expire, false),
    interrupt("Retry", "RETRY", Deed::Retry, true),
    interrupt("UserMarkedFailure", "USER_MARKED_FAILURE", Deed::Mark(Mark::Failed), false),
    interrupt("ProceedWithDefault", "PROCEED_WITH_DEFAULT", Deed::Mark(Mark::Success), true),
];

pub(super) fn routes() -> Vec<Route> {
    const PLAN: &str = "/pipeline/api/pipeline/execute/interrupt/{execution}";
    const NODE: &str = "/pipeline/api/pipeline/execute/interrupt/{execution}/{node}";
    vec![Route::new("PUT", PLAN, interrupt_run), Route::new("PUT", NODE, interrupt_run)]
}

fn interrupt_run(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let kind = wanted_type(needed(request, "interruptType")?)?;
        let scope = project(request)?;
        let store = world.store();
        let mut live = record::wanted(world, &store, &scope, params.get("execution"))?;
        let node = match params.get("node") {
            "" => live.top,
            given => find_node(&live, given).ok_or_else(|| no_node(&live, given))?,
        };
        allowed(&live, node, kind)?;
        let now = world.now_ms();
        let event = Event { at_ms: now, node, deed: kind.deed.clone() };
        let holder = live.holder();
        holder.events.push(event);
        holder.interrupts.push((kind.engine.to_owned(), node, now));
        holder.save(&store, now)?;
        live.refresh();
        if live.root.is_none() {
            live.remember_end(&store)?;
        }
        tell_audit(world, &store, &live.record, audit_action(kind), now)?;
        Ok(Reply::ng(json!({
            "id": ids::short(), "type": kind.engine, "planExecutionId": live.record.id,
        })))
    })
}

fn audit_action(kind: &Interrupt) -> &'static str {
    match kind.deed {
        Deed::Abort => "ABORT",
        Deed::Expire => "EXPIRED",
        Deed::Pause => "PAUSE",
        Deed::Resume => "RESUME",
        _ => "UPDATE",
    }
}

fn wanted_type(name: &str) -> Result<&'static Interrupt, Reply> {
    let found = INTERRUPTS.iter().find(|known| known.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let known: Vec<&str> = INTERRUPTS.iter().map(|known| known.name).collect();
        Reply::invalid(&format!(
            "query param interruptType must be one of [{}], not `{name}`",
            known.join(", ")
        ))
    })
}

fn no_node(live: &Live, given: &str) -> Reply {
    Reply::invalid(&format!("execution `{}` has no node `{given}`", live.record.id))
}

fn allowed(live: &Live, node: usize, kind: &Interrupt) -> Result<(), Reply> {
    let id = &live.record.id;
    let status = live.states.status(node);
    if !status.is_active() {
        return Err(Reply::invalid(&format!(
            "nothing to interrupt: execution `{id}` has status {} there",
            status.shown()
        )));
    }
    let already = |code: &str, what: &str| {
        Err(Reply::ng_error(400, code, &format!("execution `{id}` is already {what}")))
    };
    let is_paused = || {
        let last =
            live.holder_ref().events.iter().rev().find(|event| {
                event.node == node && matches!(event.deed, Deed::Pause | Deed::Resume)
            });
        last.is_some_and(|event| event.deed == Deed::Pause)
    };
    match kind.deed {
        Deed::Abort if status == Status::Discontinuing => {
            already("ABORT_ALL_ALREADY", "being aborted")
        }
        Deed::Pause if is_paused() => already("PAUSE_ALL_ALREADY", "paused"),
        Deed::Resume if !is_paused() => already("RESUME_ALL_ALREADY", "running"),
        _ if kind.needs_waiting && !has_waiting(live, node) => Err(Reply::invalid(&format!(
            "no step of execution `{id}` waits for a manual intervention, so `{}` has nothing to decide",
            kind.name
        ))),
        _ => Ok(()),
    }
}

fn has_waiting(live: &Live, node: usize) -> bool {
    let below = live.program.plan.below(node);
    below.into_iter().any(|at| live.states.status(at) == Status::InterventionWaiting)
}
