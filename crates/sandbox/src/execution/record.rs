//! One run as it is stored: what is light and listed, and the program that is only read when needed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha1::{Digest as _, Sha1};

use super::engine::plan::Plan;
use super::engine::simulation::{Event, States, state_at};
use super::engine::status::Status;
use crate::reply::Reply;
use crate::scope::Scope;
use crate::store::{Filter, Key, Store, StoreError};
use crate::world::World;

/// Kind of the light half of a run.
pub(crate) const KIND: &str = "execution";

/// Kind of its program.
const PROGRAM_KIND: &str = "execution_program";

/// Which pipeline a run belongs to, for those who know only its id.
const PLACE_KIND: &str = "execution_place";

/// Kind of an approval's place: which run and step it belongs to.
pub(crate) const APPROVAL_KIND: &str = "approval_instance";

/// A run without its program.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Plan execution id, 22 characters.
    pub(crate) id: String,
    /// Organization.
    pub(crate) org: String,
    /// Project.
    pub(crate) project: String,
    /// Identifier of the pipeline.
    pub(crate) pipeline: String,
    /// Name of the pipeline.
    pub(crate) name: String,
    /// Number of the run, per pipeline from 1.
    pub(crate) run_sequence: u64,
    /// When it began.
    pub(crate) start_ms: i64,
    /// Notes of a person.
    pub(crate) notes: String,
    /// Tags of the pipeline.
    pub(crate) tags: Value,
    /// `CD`, `CI`, … as the stages need.
    pub(crate) modules: Vec<String>,
    /// Input sets it was given.
    pub(crate) input_sets: Vec<String>,
    /// Stages it was limited to; empty is all.
    pub(crate) stages: Vec<String>,
    /// How often earlier tries of the same run failed.
    pub(crate) failed_before: u32,
    /// The run this one retries.
    pub(crate) retry_of: Option<String>,
    /// The first run of a chain of retries.
    pub(crate) first_try: Option<String>,
    /// The run this one repeats.
    pub(crate) rerun_of: Option<String>,
    /// Its YAML came with the request.
    pub(crate) is_dynamic: bool,
    /// The run and node it is a part of.
    pub(crate) parent: Option<Parent>,
    /// What people did to it.
    pub(crate) events: Vec<Event>,
    /// Interrupts by type, for the histories: type, node, moment.
    pub(crate) interrupts: Vec<(String, usize, i64)>,
    /// Decisions on approvals.
    pub(crate) decisions: Vec<Decision>,
    /// How it ended, once it has.
    pub(crate) ended: Option<(Status, i64)>,
}

/// Where a chained run hangs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Parent {
    /// The outermost run, which holds program and events.
    pub(crate) root: String,
    /// The run whose stage started this one.
    pub(crate) execution: String,
    /// That run's pipeline.
    pub(crate) pipeline: String,
    /// That stage.
    pub(crate) stage_node: usize,
    /// The pipeline node of this run in the root's plan.
    pub(crate) node: usize,
}

/// A decision of one person.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Decision {
    /// The approval step.
    pub(crate) node: usize,
    /// `APPROVE` or `REJECT`.
    pub(crate) action: String,
    /// Mail address of the person.
    pub(crate) email: String,
    /// Name of the person.
    pub(crate) name: String,
    /// What they said.
    pub(crate) comments: String,
    /// `[{name, value}]`.
    pub(crate) inputs: Value,
    /// When.
    pub(crate) at_ms: i64,
}

/// What a run executes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Program {
    /// The plan.
    pub(crate) plan: Plan,
    /// The whole document that ran.
    pub(crate) document: Value,
    /// The inputs it was given, defaults included.
    pub(crate) inputs: Option<Value>,
    /// The template those inputs fill.
    pub(crate) template: Option<Value>,
}

/// A run, its program and what it has come to.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    /// The run.
    pub(crate) record: Record,
    /// Program of the outermost run.
    pub(crate) program: Program,
    /// States of the outermost run.
    pub(crate) states: States,
    /// The node this run begins at: 0 unless it is chained.
    pub(crate) top: usize,
    /// The outermost run when this one is chained.
    pub(crate) root: Option<Record>,
    /// The moment of the states.
    pub(crate) now_ms: i64,
}

impl Record {
    /// The scope of the run.
    pub(crate) fn scope(&self) -> Scope {
        Scope::project(&self.org, &self.project)
    }

    fn key(&self) -> Key {
        Key::new(KIND, &self.scope(), &self.id).under(&self.pipeline)
    }

    /// Writes the light half.
    pub(crate) fn save(&self, store: &Store, now_ms: i64) -> Result<(), StoreError> {
        store.put(&self.key(), &serde_json::to_value(self)?, now_ms).map(drop)
    }

    /// Writes a new run with its program; a chained one has none of its own.
    pub(crate) fn create(
        &self,
        store: &Store,
        program: Option<&Program>,
    ) -> Result<(), StoreError> {
        let at = self.start_ms;
        store.insert(&self.key(), &serde_json::to_value(self)?, at)?;
        let place = serde_json::json!({"pipeline": self.pipeline});
        store.insert(&Key::new(PLACE_KIND, &self.scope(), &self.id), &place, at)?;
        if let Some(program) = program {
            let key = Key::new(PROGRAM_KIND, &self.scope(), &self.id);
            store.insert(&key, &serde_json::to_value(program)?, at)?;
        }
        Ok(())
    }

    /// The prefix of every log key of this run.
    pub(crate) fn log_base(&self, account: &str) -> String {
        format!("{account}/pipeline/{}/{}/-{}", self.pipeline, self.run_sequence, self.id)
    }

    /// The id of a node in the graph of this run.
    pub(crate) fn node_id(&self, at: usize) -> String {
        derived_id(&self.id, at)
    }
}

/// An id of 22 characters that is the same whenever it is asked for.
pub(crate) fn derived_id(of: &str, part: usize) -> String {
    let digest = Sha1::digest(format!("{of}/{part}").as_bytes());
    URL_SAFE_NO_PAD.encode(digest.iter().copied().take(16).collect::<Vec<u8>>())
}

/// The light half of a run in a scope.
pub(crate) fn find(store: &Store, scope: &Scope, id: &str) -> Result<Option<Record>, StoreError> {
    let Some(place) = store.get(&Key::new(PLACE_KIND, scope, id))? else { return Ok(None) };
    let pipeline = place.body.get("pipeline").and_then(Value::as_str).unwrap_or_default();
    let document = store.get(&Key::new(KIND, scope, id).under(pipeline))?;
    Ok(document.map(|document| serde_json::from_value(document.body)).transpose()?)
}

/// The light half of a run anywhere.
pub(crate) fn find_anywhere(store: &Store, id: &str) -> Result<Option<Record>, StoreError> {
    for document in store.list(&Filter::kind(PLACE_KIND))? {
        if document.key.id == id {
            return find(store, &document.key.scope(), id);
        }
    }
    Ok(None)
}

/// A run by the number it has among its pipeline's; the first such pipeline of any project.
pub(crate) fn by_number(
    store: &Store,
    pipeline: &str,
    number: u64,
) -> Result<Option<Record>, StoreError> {
    for document in store.list(&Filter::kind(KIND).parent(pipeline))? {
        let record: Record = serde_json::from_value(document.body)?;
        if record.run_sequence == number {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// All runs of a scope, or of one pipeline in it, newest first.
pub(crate) fn all(
    store: &Store,
    scope: &Scope,
    pipeline: Option<&str>,
) -> Result<Vec<Record>, StoreError> {
    let filter = Filter::kind(KIND).scope(scope);
    let filter = pipeline.map_or(filter.clone(), |pipeline| filter.parent(pipeline));
    let documents = store.list(&filter)?;
    let records: Result<Vec<Record>, serde_json::Error> =
        documents.into_iter().map(|document| serde_json::from_value(document.body)).collect();
    let mut records = records?;
    records.sort_by_key(|record| std::cmp::Reverse((record.start_ms, record.run_sequence)));
    Ok(records)
}

/// A run with its program and states at `now_ms`.
pub(crate) fn live(store: &Store, record: Record, now_ms: i64) -> Result<Option<Live>, StoreError> {
    let (root, top) = match &record.parent {
        Some(parent) => (find_anywhere(store, &parent.root)?, parent.node),
        None => (None, 0),
    };
    if record.parent.is_some() && root.is_none() {
        return Ok(None);
    }
    let holder = root.as_ref().unwrap_or(&record);
    let key = Key::new(PROGRAM_KIND, &holder.scope(), &holder.id);
    let Some(document) = store.get(&key)? else { return Ok(None) };
    let program: Program = serde_json::from_value(document.body)?;
    let states =
        state_at(&program.plan, holder.start_ms, &holder.events, holder.failed_before, now_ms);
    Ok(Some(Live { record, program, states, top, root, now_ms }))
}

impl Live {
    /// Status of the run.
    pub(crate) fn status(&self) -> Status {
        self.states.status(self.top)
    }

    /// When the run began, if it has: a chained one begins with its stage.
    pub(crate) fn start_ms(&self) -> Option<i64> {
        self.states.of(self.top).and_then(|state| state.start_ms)
    }

    /// When the run ended.
    pub(crate) fn end_ms(&self) -> Option<i64> {
        self.states.of(self.top).and_then(|state| state.end_ms)
    }

    /// The record that holds events: the outermost run's.
    pub(crate) fn holder(&mut self) -> &mut Record {
        self.root.as_mut().unwrap_or(&mut self.record)
    }

    /// The record that holds events, to read.
    pub(crate) fn holder_ref(&self) -> &Record {
        self.root.as_ref().unwrap_or(&self.record)
    }

    /// Computes the states again after an event was added.
    pub(crate) fn refresh(&mut self) {
        let holder = self.holder_ref();
        self.states = state_at(
            &self.program.plan,
            holder.start_ms,
            &holder.events,
            holder.failed_before,
            self.now_ms,
        );
    }

    /// Remembers how the run ended, so that lists need not compute it again.
    pub(crate) fn remember_end(&mut self, store: &Store) -> Result<(), StoreError> {
        let (status, end) = (self.status(), self.end_ms());
        let Some(end) = end.filter(|_| self.record.ended.is_none()) else { return Ok(()) };
        self.record.ended = Some((status, end));
        self.record.save(store, end)
    }
}

/// The run a request names, or the refusal.
pub(crate) fn wanted(world: &World, store: &Store, scope: &Scope, id: &str) -> Result<Live, Reply> {
    let missing = || {
        Reply::ng_error(
            400,
            "INVALID_REQUEST",
            &format!(
                "Plan Execution with id [{id}] under Project[{}], Organization [{}] does not exist or has been deleted",
                scope.project, scope.org
            ),
        )
    };
    let record = find(store, scope, id)?.ok_or_else(missing)?;
    let mut live = live(store, record, world.now_ms())?.ok_or_else(missing)?;
    if live.start_ms().is_none() {
        return Err(missing());
    }
    live.remember_end(store)?;
    Ok(live)
}
