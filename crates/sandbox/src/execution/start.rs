//! Beginning a run: inputs, plan, number, records of it and of what it chains.

use serde_json::{Value, json};

use super::engine::compile::{Surroundings, compile};
use super::engine::expressions::Names;
use super::engine::plan::{Chain, Plan, Role, Wait};
use super::freezes::{self, Window};
use super::inputs::resolve::resolve;
use super::inputs::template::{template_of, with_stages};
use super::pipelines::{self, Pipeline};
use super::record::{APPROVAL_KIND, Parent, Program, Record, derived_id};
use super::summary::module_of;
use super::templates::expanded;
use crate::audit;
use crate::reply::Reply;
use crate::scope::Scope;
use crate::store::{Key, Store};
use crate::world::World;
use crate::yaml;

/// What a run begins with.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    /// Its scope.
    pub(crate) scope: Scope,
    /// Its pipeline.
    pub(crate) pipeline: Pipeline,
    /// Inputs, the later ones win.
    pub(crate) given: Vec<Value>,
    /// Names of the input sets among them.
    pub(crate) input_sets: Vec<String>,
    /// Only these stages; empty is all.
    pub(crate) stages: Vec<String>,
    /// Notes of a person.
    pub(crate) notes: String,
    /// The run this one retries: its id, the first try's id, how many tries failed.
    pub(crate) retry: Option<(String, String, u32)>,
    /// The run this one repeats.
    pub(crate) rerun_of: Option<String>,
    /// The YAML came with the request.
    pub(crate) is_dynamic: bool,
    /// When it begins.
    pub(crate) at_ms: i64,
}

impl Start {
    /// A plain run of a pipeline.
    pub(crate) fn of(scope: &Scope, pipeline: Pipeline, at_ms: i64) -> Self {
        Self {
            scope: scope.clone(),
            pipeline,
            given: Vec::new(),
            input_sets: Vec::new(),
            stages: Vec::new(),
            notes: String::new(),
            retry: None,
            rerun_of: None,
            is_dynamic: false,
            at_ms,
        }
    }
}

/// Begins a run, or says why it cannot.
pub(crate) fn start(
    world: &World,
    store: &Store,
    start: Start,
    windows: &[Window],
) -> Result<Record, Reply> {
    let id = world.fresh_id();
    let Start { scope, pipeline, .. } = &start;
    let wanted: Vec<&str> = start.stages.iter().map(String::as_str).collect();
    let part = with_stages(&pipeline.document, &wanted);
    let resolved =
        resolve(&part, &start.given).map_err(|error| Reply::invalid(&error.to_string()))?;
    let mut names = Names::default();
    names.set("pipeline.executionId", &id);
    names.set("account.identifier", &world.account);
    names.set("org.identifier", &scope.org);
    names.set("project.identifier", &scope.project);
    let counter = counter(scope, &pipeline.id);
    let run_sequence = store.next_number(&counter)?;
    names.set("pipeline.sequenceId", &run_sequence.to_string());
    // The whole document knows every stage, so a name that is not there can be told.
    let whole = match wanted.is_empty() {
        true => resolved.document.clone(),
        false => relaid(&pipeline.document, &resolved.document),
    };
    let plan = compile(
        &expanded(store, scope, &whole),
        &Surroundings {
            names,
            frozen: &|stage| {
                let kind = |environment: &str| environment_type(store, scope, environment);
                freezes::forbids(windows, scope, &pipeline.id, stage, &kind)
            },
            chained: &|chain, inputs| chained(store, chain, inputs),
            home: (scope.org.clone(), scope.project.clone()),
            stages: &start.stages,
        },
    )
    .map_err(|error| Reply::invalid(&error.to_string()))?;
    let record = Record {
        id,
        org: scope.org.clone(),
        project: scope.project.clone(),
        pipeline: pipeline.id.clone(),
        name: pipeline.name.clone(),
        run_sequence,
        start_ms: start.at_ms,
        notes: start.notes.clone(),
        tags: pipeline.tags.clone(),
        modules: modules(&plan, 0),
        input_sets: start.input_sets.clone(),
        stages: start.stages.clone(),
        failed_before: start.retry.as_ref().map_or(0, |(_, _, failed)| *failed),
        retry_of: start.retry.as_ref().map(|(of, _, _)| of.clone()),
        first_try: start.retry.as_ref().map(|(_, first, _)| first.clone()),
        rerun_of: start.rerun_of.clone(),
        is_dynamic: start.is_dynamic,
        parent: None,
        events: Vec::new(),
        interrupts: Vec::new(),
        decisions: Vec::new(),
        ended: None,
    };
    let template = template_of(&part);
    let program = Program { plan, document: resolved.document, inputs: resolved.inputs, template };
    record.create(store, Some(&program))?;
    let chained = chained_records(store, &record, &program.plan)?;
    place_approvals(store, &record, &chained, &program.plan)?;
    tell_audit(world, store, &record, "START", start.at_ms)?;
    Ok(record)
}

/// `Production` or `PreProduction`, when the environment is there.
fn environment_type(store: &Store, scope: &Scope, reference: &str) -> Option<String> {
    let (scope, id) = scope.of_reference(reference);
    let environment = store.get(&Key::new("environment", &scope, id)).ok().flatten()?;
    environment.body.get("type")?.as_str().map(str::to_owned)
}

/// The counter that numbers the runs of a pipeline.
fn counter(scope: &Scope, pipeline: &str) -> String {
    format!("run-sequence/{}/{}/{pipeline}", scope.org, scope.project)
}

/// The whole document with the stages that were filled in put in their place.
fn relaid(whole: &Value, part: &Value) -> Value {
    let mut laid = whole.clone();
    super::inputs::merge::fill(&mut laid, part);
    laid
}

fn chained(store: &Store, chain: &Chain, inputs: Option<&Value>) -> Result<Value, String> {
    let scope = Scope::project(&chain.org, &chain.project);
    let gone = |_: Reply| {
        format!(
            "Pipeline [{}] under Project[{}], Organization [{}] doesn't exist or has been deleted.",
            chain.pipeline, chain.project, chain.org
        )
    };
    let pipeline = pipelines::wanted(store, &scope, &chain.pipeline).map_err(gone)?;
    let given: Vec<Value> = inputs.into_iter().cloned().collect();
    let resolved = resolve(&pipeline.document, &given).map_err(|error| error.to_string())?;
    Ok(expanded(store, &scope, &resolved.document))
}

/// The modules that the stages below a pipeline node belong to.
fn modules(plan: &Plan, top: usize) -> Vec<String> {
    let mut found: Vec<String> = vec!["pms".to_owned()];
    for at in super::summary::stages_of(plan, top) {
        let module = plan.node(at).map_or("pms", |stage| module_of(&stage.kind));
        if !found.iter().any(|known| known == module) {
            found.push(module.to_owned());
        }
    }
    found
}

/// Writes a record for every pipeline that a plan chains; each hangs from the run above it.
fn chained_records(store: &Store, root: &Record, plan: &Plan) -> Result<Vec<Record>, Reply> {
    let mut records: Vec<Record> = Vec::new();
    for (at, node) in plan.nodes.iter().enumerate() {
        let (Some(chain), Some(&top)) = (&node.chain, node.children.first()) else { continue };
        let scope = Scope::project(&chain.org, &chain.project);
        let above = owner(root, &records, plan, at);
        let parent = Parent {
            root: root.id.clone(),
            execution: above.id.clone(),
            pipeline: above.pipeline.clone(),
            stage_node: at,
            node: top,
        };
        let name = plan.node(top).map(|top| top.name.clone()).unwrap_or_default();
        let record = Record {
            id: derived_id(&root.id, top),
            org: chain.org.clone(),
            project: chain.project.clone(),
            pipeline: chain.pipeline.clone(),
            name: if name.is_empty() { chain.pipeline.clone() } else { name },
            run_sequence: store.next_number(&counter(&scope, &chain.pipeline))?,
            modules: modules(plan, top),
            notes: String::new(),
            tags: json!({}),
            input_sets: Vec::new(),
            stages: Vec::new(),
            parent: Some(parent),
            ..root.clone()
        };
        record.create(store, None)?;
        records.push(record);
    }
    Ok(records)
}

/// The run a node belongs to.
fn owner<'a>(root: &'a Record, chained: &'a [Record], plan: &Plan, at: usize) -> &'a Record {
    let top = plan.enclosing(at, Role::Pipeline).unwrap_or_default();
    let owns = |record: &&Record| record.parent.as_ref().is_some_and(|parent| parent.node == top);
    chained.iter().find(owns).unwrap_or(root)
}

/// Approvals are decided by their own id, so each says which run and step it belongs to.
fn place_approvals(
    store: &Store,
    root: &Record,
    chained: &[Record],
    plan: &Plan,
) -> Result<(), Reply> {
    for (at, node) in plan.nodes.iter().enumerate() {
        let waits = node.work.as_ref().map(|work| &work.wait);
        if !matches!(waits, Some(Wait::People(_) | Wait::System)) {
            continue;
        }
        let owner = owner(root, chained, plan, at);
        let id = derived_id(&owner.node_id(at), 0);
        let place = json!({
            "execution": owner.id, "org": owner.org, "project": owner.project, "node": at,
        });
        store.insert(&Key::account(APPROVAL_KIND, &id), &place, root.start_ms)?;
    }
    Ok(())
}

/// Leaves an audit event about a run.
pub(crate) fn tell_audit(
    world: &World,
    store: &Store,
    record: &Record,
    action: &str,
    at_ms: i64,
) -> Result<(), Reply> {
    let event = audit::Event {
        action,
        resource_type: "PIPELINE_EXECUTION",
        id: &record.id,
        name: &record.name,
        scope: record.scope(),
        module: "PMS",
        old_yaml: String::new(),
        new_yaml: yaml::write(&json!({
            "planExecutionId": record.id, "pipelineIdentifier": record.pipeline,
            "runSequence": record.run_sequence,
        })),
    };
    audit::record_at(world, store, &event, at_ms)?;
    Ok(())
}
