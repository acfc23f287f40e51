//! The steps of a stage, in groups and side by side.

use serde_json::Value;

use super::faults::{annotation, fault_of};
use super::{Builder, list, runs_after, text, unmet};
use crate::execution::engine::plan::{Fault, Role, Wait, Work};
use crate::execution::engine::remedies::remedies_of;
use crate::execution::engine::{duration, habits};

impl Builder<'_> {
    pub(super) fn section(
        &mut self,
        stage: usize,
        role: Role,
        identifier: &str,
        kind: &str,
    ) -> usize {
        let fqn = self.plan.node(stage).map(|node| node.fqn.clone()).unwrap_or_default();
        let at = self.add(Some(stage), role, identifier, kind);
        let fqn = match role {
            Role::Rollback => format!("{fqn}.spec.execution.rollbackSteps"),
            _ => format!("{fqn}.spec.execution"),
        };
        self.edit(at, |node| node.fqn = fqn);
        at
    }

    /// Adds steps; `owners` are what may have failure strategies for them, nearest first.
    pub(super) fn steps(
        &mut self,
        parent: usize,
        entries: &[Value],
        owners: &[&Value],
        list_name: &str,
    ) {
        for entry in entries {
            if self.too_large {
                return;
            }
            let side_by_side = list(entry, "parallel");
            if !side_by_side.is_empty() {
                let fork = self.fork(parent, &side_by_side.iter().collect::<Vec<_>>());
                self.steps(fork, side_by_side, owners, list_name);
            } else if let Some(group) = entry.get("stepGroup") {
                let identifier = text(group, "identifier");
                let at = self.add(Some(parent), Role::Group, &identifier, "STEP_GROUP");
                let fqn = self.step_fqn(parent, list_name, &identifier);
                let name = text(group, "name");
                let when = group.get("when");
                self.edit(at, |node| {
                    node.fqn = fqn;
                    node.name = if name.is_empty() { identifier } else { name };
                    node.runs_after = runs_after(when, "stageStatus");
                    node.unmet = unmet(when);
                });
                let owners: Vec<&Value> =
                    [group].into_iter().chain(owners.iter().copied()).collect();
                self.steps(at, list(group, "steps"), &owners, "steps");
            } else if let Some(step) = entry.get("step") {
                self.step(parent, step, owners, list_name);
            }
        }
    }

    fn step_fqn(&self, parent: usize, list_name: &str, identifier: &str) -> String {
        let mut above = self.plan.node(parent);
        while let Some(fork) = above.filter(|node| node.role == Role::Fork) {
            above = fork.parent.and_then(|parent| self.plan.node(parent));
        }
        let Some(above) = above else { return identifier.to_owned() };
        match above.role {
            Role::Rollback => format!("{}.{identifier}", above.fqn),
            _ => format!("{}.{list_name}.{identifier}", above.fqn),
        }
    }

    fn step(&mut self, parent: usize, step: &Value, owners: &[&Value], list_name: &str) {
        let identifier = text(step, "identifier");
        let name = text(step, "name");
        let template = step.pointer("/template/templateRef").and_then(Value::as_str);
        let kind = match (template, step.get("type").and_then(Value::as_str)) {
            (Some(_), _) => "Template",
            (None, kind) => kind.unwrap_or("ShellScript"),
        };
        let at = self.add(Some(parent), Role::Step, &identifier, kind);
        let spec = step.get("spec").cloned().unwrap_or(Value::Null);
        let wait = habits::wait_of(kind, &spec);
        let asked = step.get("timeout").and_then(Value::as_str).and_then(duration::parse);
        let timeout_ms = match wait {
            Wait::People(_) => Some(asked.unwrap_or(habits::APPROVAL_TIMEOUT_MS)),
            _ => asked,
        };
        let duration_ms = annotation(step, "sandbox.duration")
            .and_then(|text| duration::parse(&text))
            .unwrap_or_else(|| habits::duration_of(kind, &identifier, &spec));
        let work = Work {
            duration_ms,
            timeout_ms,
            wait,
            fault: fault_of(step, kind, &spec),
            remedies: remedies_of([step].into_iter().chain(owners.iter().copied())),
            spec,
        };
        let fqn = self.step_fqn(parent, list_name, &identifier);
        let when = step.get("when");
        self.edit(at, |node| {
            node.fqn = fqn;
            node.name = if name.is_empty() { identifier } else { name };
            node.runs_after = runs_after(when, "stageStatus");
            node.unmet = unmet(when);
            node.work = Some(work);
        });
    }

    pub(super) fn plain_step(
        &mut self,
        parent: usize,
        identifier: &str,
        name: &str,
        kind: &str,
        duration_ms: i64,
    ) {
        let at = self.add(Some(parent), Role::Step, identifier, kind);
        let fqn = self.step_fqn(parent, "steps", identifier);
        let work = Work {
            duration_ms,
            timeout_ms: None,
            wait: Wait::Work,
            fault: None,
            remedies: Vec::new(),
            spec: Value::Null,
        };
        self.edit(at, |node| (node.fqn, node.name, node.work) = (fqn, name.to_owned(), Some(work)));
    }

    /// Gives the last step below a node a fault.
    pub(super) fn break_last_step(&mut self, top: usize, fault: Fault) {
        let below = self.plan.below(top);
        let is_step = |at: &&usize| {
            let in_rollback = self.plan.enclosing(**at, Role::Rollback).is_some();
            self.plan.node(**at).is_some_and(|node| node.work.is_some()) && !in_rollback
        };
        let Some(&last) = below.iter().rev().find(is_step) else { return };
        self.edit(last, |node| {
            if let Some(work) = node.work.as_mut() {
                work.fault = Some(fault);
            }
        });
    }
}
