//! From a resolved pipeline document to a [`Plan`].
//!
//! How a step fails (the first that applies):
//! - an annotation `sandbox.fail: "message"` on the step; on a stage it means its last step, on the
//!   pipeline the last step of its last stage. `sandbox.fail.times: N` makes it work after N tries.
//! - a name or identifier that contains `fail`, other than in `failure`, `failover` or `failsafe`;
//! - a script with a line `exit N`, N not 0, that is not indented.
//!
//! How long it takes: an annotation `sandbox.duration: 30s`, else a habit of its type plus what its
//! script sleeps. A `timeout` shorter than that makes it expire.
//!
//! An annotation is an entry of `tags`, of a `variables` list, or of a step's `spec.envVariables`
//! or `spec.environmentVariables`.

mod faults;
mod steps;

use serde_json::Value;

use self::faults::annotated_fault;
use super::expressions::{Names, holds, substitute};
use super::plan::{Chain, DEEPEST, Fault, MOST_NODES, Node, Plan, Role, RunsAfter};

/// Chained pipelines inside chained pipelines, at most.
const LONGEST_CHAIN: usize = 4;

/// Finds the document of a chained pipeline.
pub(crate) type ChainedDocument<'a> = dyn Fn(&Chain, Option<&Value>) -> Result<Value, String> + 'a;

/// What a plan needs to know about the world.
pub(crate) struct Surroundings<'a> {
    /// Values of `<+pipeline.…>` expressions that are not in the document.
    pub(crate) names: Names,
    /// The freeze window that forbids a stage now.
    pub(crate) frozen: &'a dyn Fn(&Value) -> Option<String>,
    /// The document of a chained pipeline with its inputs filled, or why there is none.
    pub(crate) chained: &'a ChainedDocument<'a>,
    /// The organization and project of the pipeline.
    pub(crate) home: (String, String),
    /// Only these stages; empty is all.
    pub(crate) stages: &'a [String],
}

/// Why a document cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CompileError {
    /// There is no `pipeline` in it.
    #[error("the YAML has no `pipeline`; wrap it as `pipeline: …`")]
    NoPipeline,
    /// It has no stages.
    #[error("the pipeline has no stages; add at least one under `pipeline.stages`")]
    NoStages,
    /// It is too large.
    #[error("the pipeline has more than {MOST_NODES} nodes or {DEEPEST} levels; split it")]
    TooLarge,
    /// A stage that was asked for does not exist.
    #[error("unknown stages: {}; the pipeline has {}", .asked.join(", "), .known.join(", "))]
    UnknownStages {
        /// The unknown ones.
        asked: Vec<String>,
        /// All stages of the pipeline.
        known: Vec<String>,
    },
}

/// Makes a pipeline document ready to run.
pub(crate) fn compile(document: &Value, around: &Surroundings<'_>) -> Result<Plan, CompileError> {
    let pipeline =
        document.get("pipeline").filter(|p| p.is_object()).ok_or(CompileError::NoPipeline)?;
    if list(pipeline, "stages").is_empty() {
        return Err(CompileError::NoStages);
    }
    let mut builder = Builder { plan: Plan::default(), around, chain: 0, too_large: false };
    builder.pipeline(None, pipeline, &around.names, &around.home, around.stages);
    match builder.too_large {
        true => Err(CompileError::TooLarge),
        false => missing_stages(pipeline, around.stages).map_or(Ok(builder.plan), Err),
    }
}

fn missing_stages(pipeline: &Value, wanted: &[String]) -> Option<CompileError> {
    let known = stage_ids(pipeline);
    let asked: Vec<String> = wanted.iter().filter(|id| !known.contains(id)).cloned().collect();
    (!asked.is_empty()).then_some(CompileError::UnknownStages { asked, known })
}

/// Identifiers of all stages of a pipeline, those side by side included.
pub(crate) fn stage_ids(pipeline: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for entry in list(pipeline, "stages") {
        let side_by_side = list(entry, "parallel");
        let entries =
            if side_by_side.is_empty() { std::slice::from_ref(entry) } else { side_by_side };
        let id = |one: &Value| Some(one.pointer("/stage/identifier")?.as_str()?.to_owned());
        found.extend(entries.iter().filter_map(id));
    }
    found
}

struct Builder<'a> {
    plan: Plan,
    around: &'a Surroundings<'a>,
    chain: usize,
    too_large: bool,
}

impl Builder<'_> {
    fn add(&mut self, parent: Option<usize>, role: Role, identifier: &str, kind: &str) -> usize {
        let at = self.plan.nodes.len();
        let mut depth = 0;
        let mut above = parent;
        while let Some(index) = above {
            depth += 1;
            above = self.plan.nodes.get(index).and_then(|node| node.parent);
        }
        self.too_large |= at >= MOST_NODES || depth >= DEEPEST;
        self.plan.nodes.push(Node {
            parent,
            children: Vec::new(),
            role,
            identifier: identifier.to_owned(),
            name: identifier.to_owned(),
            fqn: identifier.to_owned(),
            kind: kind.to_owned(),
            runs_after: RunsAfter::Success,
            unmet: None,
            frozen_by: None,
            work: None,
            chain: None,
            rolls_back: false,
        });
        if let Some(above) = parent.and_then(|parent| self.plan.nodes.get_mut(parent)) {
            above.children.push(at);
        }
        at
    }

    fn edit(&mut self, at: usize, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.plan.nodes.get_mut(at) {
            change(node);
        }
    }

    fn pipeline(
        &mut self,
        parent: Option<usize>,
        pipeline: &Value,
        names: &Names,
        home: &(String, String),
        wanted: &[String],
    ) {
        let mut names = names.clone();
        names.learn("pipeline.variables", pipeline.get("variables"));
        names.set("pipeline.name", &text(pipeline, "name"));
        names.set("pipeline.identifier", &text(pipeline, "identifier"));
        let pipeline = &substitute(pipeline, &names);
        let top = self.add(parent, Role::Pipeline, "pipeline", "PIPELINE_SECTION");
        let name = text(pipeline, "name");
        self.edit(top, |node| node.name = name);
        let stages = self.add(Some(top), Role::Stages, "stages", "STAGES_STEP");
        self.edit(stages, |node| node.fqn = "pipeline.stages".to_owned());
        let is_wanted = |entry: &Value| {
            let id = entry.pointer("/stage/identifier").and_then(Value::as_str).unwrap_or_default();
            wanted.is_empty() || wanted.iter().any(|one| one == id)
        };
        for entry in list(pipeline, "stages") {
            let side_by_side: Vec<&Value> =
                list(entry, "parallel").iter().filter(|one| is_wanted(one)).collect();
            if entry.get("parallel").is_none() && is_wanted(entry) {
                self.stage(stages, entry, &names, home);
            }
            if side_by_side.is_empty() {
                continue;
            }
            let fork = self.fork(stages, &side_by_side);
            for one in side_by_side {
                self.stage(fork, one, &names, home);
            }
        }
        if let Some(fault) = annotated_fault(pipeline) {
            self.break_last_step(stages, fault);
        }
    }

    fn fork(&mut self, parent: usize, entries: &[&Value]) -> usize {
        let ids: Vec<String> = entries
            .iter()
            .filter_map(|entry| crate::execution::inputs::merge::identity(entry))
            .collect();
        let fork =
            self.add(Some(parent), Role::Fork, &format!("parallel-{}", ids.join("-")), "NG_FORK");
        let fqn = self.plan.node(parent).map(|node| node.fqn.clone()).unwrap_or_default();
        self.edit(fork, |node| (node.fqn, node.name) = (fqn, "parallel".to_owned()));
        fork
    }

    fn stage(&mut self, parent: usize, entry: &Value, names: &Names, home: &(String, String)) {
        if self.too_large {
            return;
        }
        let Some(stage) = entry.get("stage") else { return };
        let mut names = names.clone();
        names.learn("stage.variables", stage.get("variables"));
        names.set("stage.name", &text(stage, "name"));
        names.set("stage.identifier", &text(stage, "identifier"));
        let stage = &substitute(stage, &names);
        let identifier = text(stage, "identifier");
        let template = stage.pointer("/template/templateRef").and_then(Value::as_str);
        let kind = match (template, stage.get("type").and_then(Value::as_str)) {
            (Some(_), _) => "Template",
            (None, kind) => kind.unwrap_or("Custom"),
        };
        let at = self.add(Some(parent), Role::Stage, &identifier, kind);
        let name = text(stage, "name");
        let when = stage.get("when");
        let has_rollback = !list_at(stage, "/spec/execution/rollbackSteps").is_empty();
        let frozen = if kind == "Deployment" { (self.around.frozen)(stage) } else { None };
        self.edit(at, |node| {
            node.name = if name.is_empty() { identifier.clone() } else { name };
            node.fqn = format!("pipeline.stages.{identifier}");
            node.runs_after = runs_after(when, "pipelineStatus");
            node.unmet = unmet(when);
            node.frozen_by = frozen;
            node.rolls_back = kind == "Deployment" && has_rollback;
        });
        if kind == "Pipeline" {
            return self.chained(at, stage, &names, home);
        }
        let steps = self.section(at, Role::Steps, "execution", "NG_EXECUTION");
        if kind == "CI" {
            self.plain_step(steps, "liteEngineTask", "Initialize", "liteEngineTask", 2_000);
        }
        if let Some(template) = template {
            // A template that the document does not resolve is shown as it is.
            self.plain_step(steps, "template", template, "Template", 4_000);
        }
        self.steps(steps, list_at(stage, "/spec/execution/steps"), &[stage], "steps");
        if has_rollback {
            let undo =
                self.section(at, Role::Rollback, "rollbackSteps", "ROLLBACK_OPTIONAL_CHILD_CHAIN");
            self.steps(
                undo,
                list_at(stage, "/spec/execution/rollbackSteps"),
                &[stage],
                "rollbackSteps",
            );
        }
        if let Some(fault) = annotated_fault(stage) {
            self.break_last_step(steps, fault);
        }
    }

    fn chained(&mut self, at: usize, stage: &Value, names: &Names, home: &(String, String)) {
        let spec = stage.get("spec").unwrap_or(&Value::Null);
        let or_home = |field: &str, home: &str| match text(spec, field) {
            empty if empty.is_empty() => home.to_owned(),
            given => given,
        };
        let chain = Chain {
            org: or_home("org", &home.0),
            project: or_home("project", &home.1),
            pipeline: text(spec, "pipeline"),
        };
        let inputs = spec.get("inputs").map(|inputs| serde_json::json!({"pipeline": inputs}));
        let document = match self.chain >= LONGEST_CHAIN {
            true => Err(format!("pipelines are chained more than {LONGEST_CHAIN} deep")),
            false => (self.around.chained)(&chain, inputs.as_ref()),
        };
        let runnable = document.and_then(|document| match document.get("pipeline") {
            Some(pipeline) if !list(pipeline, "stages").is_empty() => Ok(pipeline.clone()),
            _ => Err(format!("pipeline `{}` has no stages", chain.pipeline)),
        });
        match runnable {
            Ok(pipeline) => {
                let child_home = (chain.org.clone(), chain.project.clone());
                self.edit(at, |node| node.chain = Some(chain));
                self.chain += 1;
                self.pipeline(Some(at), &pipeline, names, &child_home, &[]);
                self.chain -= 1;
            }
            Err(message) => {
                let steps = self.section(at, Role::Steps, "execution", "NG_EXECUTION");
                self.plain_step(steps, "start", "Start the pipeline", "Pipeline", 500);
                self.break_last_step(steps, Fault { message, times: None });
            }
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn runs_after(when: Option<&Value>, field: &str) -> RunsAfter {
    match when.and_then(|when| when.get(field)).and_then(Value::as_str) {
        Some("Failure") => RunsAfter::Failure,
        Some("All") => RunsAfter::All,
        _ => RunsAfter::Success,
    }
}

fn unmet(when: Option<&Value>) -> Option<String> {
    let condition = when?.get("condition")?;
    let text = plain(condition);
    (!holds(&text)).then_some(text)
}

fn text(of: &Value, field: &str) -> String {
    of.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list<'a>(of: &'a Value, field: &str) -> &'a [Value] {
    of.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn list_at<'a>(of: &'a Value, pointer: &str) -> &'a [Value] {
    of.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests;
