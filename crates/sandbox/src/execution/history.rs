//! Runs of the past, for a seeded world: begun and ended through the same engine as any other.

use serde_json::{Value, json};

use super::engine::plan::Wait;
use super::engine::simulation::{Deed, Event};
use super::engine::status::Status;
use super::inputs::placeholder::Placeholder;
use super::inputs::template::template_of;
use super::pipelines;
use super::record::{self, Decision, Live};
use super::start::{Start, start};
use crate::reply::Reply;
use crate::scope::Scope;
use crate::store::Store;
use crate::world::{CALLER, World};

const HOUR_MS: i64 = 3_600_000;

/// How long people take to decide on an approval.
const DECISION_MS: i64 = 14 * 60_000;

/// One run of the past.
#[derive(Debug, Clone, Default)]
pub struct PastRun {
    /// When it began, epoch milliseconds.
    pub start_ms: i64,
    /// Inputs as `{pipeline: …}`; what is still open is filled with something plausible.
    pub inputs: Option<Value>,
    /// A step that failed that time, and what it said.
    pub fail: Option<(String, String)>,
    /// Somebody stopped it this long after it began.
    pub abort_after_ms: Option<i64>,
    /// Approvals were rejected instead of approved.
    pub reject: bool,
    /// Notes of a person.
    pub notes: String,
}

/// Adds one run of the past; its id is given back.
pub fn seed_run(
    world: &World,
    store: &Store,
    scope: &Scope,
    pipeline: &str,
    past: &PastRun,
) -> Result<String, Reply> {
    let mut stored = pipelines::wanted(store, scope, pipeline)?;
    if let Some((step, message)) = &past.fail {
        break_step(&mut stored.document, step, message);
    }
    let mut run = Start::of(scope, stored, past.start_ms);
    run.given = vec![plausible(&run.pipeline.document)];
    run.given.extend(past.inputs.clone());
    run.notes.clone_from(&past.notes);
    let begun = start(world, store, run, &[])?;
    let id = begun.id.clone();
    let Some(mut live) = record::live(store, begun, world.now_ms())? else { return Ok(id) };
    if let Some(after) = past.abort_after_ms {
        let at_ms = past.start_ms + after;
        live.record.events.push(Event { at_ms, node: 0, deed: Deed::Abort });
        live.record.interrupts.push(("ABORT_ALL".to_owned(), 0, at_ms));
        live.refresh();
    }
    decide_all(&mut live, past.reject);
    live.record.save(store, past.start_ms)?;
    live.remember_end(store)?;
    Ok(id)
}

/// Decides on every approval the run comes to, a while after it asks.
fn decide_all(live: &mut Live, reject: bool) {
    let people: Vec<usize> = live
        .program
        .plan
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.work.as_ref().is_some_and(|w| matches!(w.wait, Wait::People(_))))
        .map(|(at, _)| at)
        .collect();
    for at in people {
        let Some(asked) = live.states.of(at).and_then(|state| state.start_ms) else { continue };
        let is_open = matches!(live.states.status(at), Status::ApprovalWaiting | Status::Expired);
        let at_ms = asked + DECISION_MS;
        if !is_open || at_ms > live.now_ms {
            continue;
        }
        let wait =
            live.program.plan.node(at).and_then(|node| node.work.as_ref()).map(|w| w.wait.clone());
        let count = match wait {
            Some(Wait::People(approval)) if !reject => approval.minimum,
            _ => 1,
        };
        for person in 0..count {
            let (name, email) = PEOPLE.get(person).copied().unwrap_or((CALLER.name, CALLER.email));
            let deed = match reject {
                true => Deed::Reject,
                false => Deed::Approve { user: email.to_owned() },
            };
            live.record.events.push(Event { at_ms, node: at, deed });
            live.record.decisions.push(Decision {
                node: at,
                action: if reject { "REJECT" } else { "APPROVE" }.to_owned(),
                email: email.to_owned(),
                name: name.to_owned(),
                comments: if reject { "Not before the weekend" } else { "Looks good" }.to_owned(),
                inputs: json!([]),
                at_ms,
            });
        }
        // Later approvals begin only now.
        live.refresh();
    }
}

/// Who decided in the past.
const PEOPLE: [(&str, &str); 3] = [
    (CALLER.name, CALLER.email),
    ("Noor Haddad", "noor.haddad@example.com"),
    ("Jonas Berg", "jonas.berg@example.com"),
];

/// Annotates a step of a document so that it fails.
fn break_step(document: &mut Value, step: &str, message: &str) {
    match document {
        Value::Object(fields) => {
            if let Some(found) = fields
                .get_mut("step")
                .filter(|s| s.get("identifier").and_then(Value::as_str) == Some(step))
            {
                if let Some(inner) = found.as_object_mut() {
                    inner.insert("tags".to_owned(), json!({"sandbox.fail": message}));
                }
                return;
            }
            fields.values_mut().for_each(|value| break_step(value, step, message));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| break_step(item, step, message)),
        _ => {}
    }
}

/// Inputs a person might have given: what is allowed, else a word.
fn plausible(document: &Value) -> Value {
    fn filled(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                fields.iter().map(|(name, field)| (name.clone(), filled(field))).collect()
            }
            Value::Array(items) => items.iter().map(filled).collect(),
            scalar => match Placeholder::read(scalar) {
                Some(asked) => asked
                    .default_value()
                    .or_else(|| asked.allowed.first().map(|one| json!(one)))
                    .unwrap_or_else(|| json!("main")),
                None => scalar.clone(),
            },
        }
    }
    template_of(document).as_ref().map_or_else(|| json!({}), filled)
}

/// Adds `count` runs of a pipeline that end before `until_ms`, some hours apart: most as written,
/// some broken or stopped, in an order that is the same every time.
pub fn seed_history(
    world: &World,
    store: &Store,
    scope: &Scope,
    pipeline: &str,
    count: u32,
    until_ms: i64,
) -> Result<Vec<String>, Reply> {
    let spread: u32 =
        pipeline.bytes().fold(5, |sum, b| sum.wrapping_mul(33).wrapping_add(u32::from(b)));
    let stored = pipelines::wanted(store, scope, pipeline)?;
    let steps = step_ids(&stored.document);
    let mut ids = Vec::new();
    for index in 0..count {
        let age = i64::from(count - index);
        let jitter = i64::from(spread.wrapping_mul(index + 7) % 240) * 60_000;
        let kind = spread.wrapping_add(index.wrapping_mul(7)) % 10;
        let mut past = PastRun {
            start_ms: until_ms - age * 9 * HOUR_MS - jitter - HOUR_MS,
            ..PastRun::default()
        };
        match kind {
            3 | 7 => {
                let at = usize::try_from(spread.wrapping_add(index)).unwrap_or_default();
                let step = steps.get(at % steps.len().max(1));
                past.fail = step.map(|(id, message)| (id.clone(), message.clone()));
            }
            9 => past.abort_after_ms = Some(2_500),
            5 => past.reject = true,
            _ => {}
        }
        ids.push(seed_run(world, store, scope, pipeline, &past)?);
    }
    Ok(ids)
}

/// The steps of a document, with what each would say if it failed.
fn step_ids(document: &Value) -> Vec<(String, String)> {
    fn visit(value: &Value, found: &mut Vec<(String, String)>) {
        match value {
            Value::Object(fields) => {
                if let Some(step) = fields.get("step") {
                    let text =
                        |field: &str| step.get(field).and_then(Value::as_str).unwrap_or_default();
                    let spec = step.get("spec").cloned().unwrap_or_default();
                    let is_work = super::engine::habits::wait_of(text("type"), &spec) == Wait::Work;
                    if is_work {
                        let story = super::engine::mishap::of(text("type"), &spec);
                        found.push((text("identifier").to_owned(), story.message.to_owned()));
                    }
                }
                fields.values().for_each(|field| visit(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| visit(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    visit(document, &mut found);
    found
}
