//! A pipeline made ready to run: a tree of nodes in one list, each knowing what it will do.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// More nodes than this in one pipeline are refused.
pub(crate) const MOST_NODES: usize = 2_000;

/// Deeper nesting than this is refused: groups in groups, chains in chains.
pub(crate) const DEEPEST: usize = 40;

/// A pipeline ready to run; node 0 is the pipeline itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// Parents stand before their children.
    pub(crate) nodes: Vec<Node>,
}

/// What part of a pipeline a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Role {
    /// The pipeline, or one that a stage chains.
    Pipeline,
    /// The list of all stages.
    Stages,
    /// One stage.
    Stage,
    /// The steps of a stage.
    Steps,
    /// The steps that undo a stage.
    Rollback,
    /// A named group of steps.
    Group,
    /// Things that run side by side.
    Fork,
    /// One step.
    Step,
}

/// When a node runs, seen from how its predecessors ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum RunsAfter {
    /// Only while all went well.
    Success,
    /// Only when something failed.
    Failure,
    /// In both cases.
    All,
}

/// One node of a plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Node {
    /// Index of the parent; none for the pipeline.
    pub(crate) parent: Option<usize>,
    /// Indexes of the children, in order.
    pub(crate) children: Vec<usize>,
    /// What part of the pipeline it is.
    pub(crate) role: Role,
    /// Identifier as in the YAML.
    pub(crate) identifier: String,
    /// Name as in the YAML.
    pub(crate) name: String,
    /// `pipeline.stages.build.spec.execution.steps.test`.
    pub(crate) fqn: String,
    /// Stage or step type, as in `Deployment` or `ShellScript`.
    pub(crate) kind: String,
    /// The condition on what ran before.
    pub(crate) runs_after: RunsAfter,
    /// The `when.condition` text when it does not hold.
    pub(crate) unmet: Option<String>,
    /// The freeze window that forbids this stage.
    pub(crate) frozen_by: Option<String>,
    /// What a step does; none for everything that has children.
    pub(crate) work: Option<Work>,
    /// The pipeline a `Pipeline` stage runs.
    pub(crate) chain: Option<Chain>,
    /// A stage that rolls back when its failure strategy does not say otherwise.
    pub(crate) rolls_back: bool,
}

/// Which pipeline a stage runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chain {
    /// Its organization.
    pub(crate) org: String,
    /// Its project.
    pub(crate) project: String,
    /// Its identifier.
    pub(crate) pipeline: String,
}

/// What a step does when it runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Work {
    /// How long it takes.
    pub(crate) duration_ms: i64,
    /// When it is given up.
    pub(crate) timeout_ms: Option<i64>,
    /// What it waits for.
    pub(crate) wait: Wait,
    /// How it fails, if it does.
    pub(crate) fault: Option<Fault>,
    /// What is done about a failure; the first that matches counts.
    pub(crate) remedies: Vec<Remedy>,
    /// The step's `spec`, for the graph and the log.
    pub(crate) spec: Value,
}

/// What a step waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Wait {
    /// Nothing: it works.
    Work,
    /// Time to pass.
    Timer,
    /// People to decide through the API.
    People(Approval),
    /// Another system (Jira, ServiceNow, a script), which agrees after the step's duration.
    System,
}

/// What an approval asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Approval {
    /// How many different people must agree.
    pub(crate) minimum: usize,
}

/// How a step fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fault {
    /// What the failure says.
    pub(crate) message: String,
    /// It fails this many times and then works; `None` fails always.
    pub(crate) times: Option<u32>,
}

/// What a failure strategy answers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Trouble {
    /// The work itself failed.
    Failure,
    /// It took too long.
    Timeout,
    /// Somebody said no.
    Rejection,
}

/// One failure strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remedy {
    /// The troubles it answers to.
    pub(crate) on: Vec<Trouble>,
    /// What it does.
    pub(crate) action: Action,
}

/// What a failure strategy does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Action {
    /// Fail and start nothing more.
    Stop,
    /// Fail, and let what follows decide by its `when`.
    Fail,
    /// Count the failure as ignored.
    Ignore,
    /// Count it as success.
    Succeed,
    /// Undo the stage.
    RollBack,
    /// Wait for a person; after `timeout_ms` do `then`.
    Ask {
        /// How long to wait.
        timeout_ms: i64,
        /// What happens when nobody answers.
        then: Box<Action>,
    },
    /// Try again, then do `then`.
    Retry {
        /// How many more times.
        count: u32,
        /// Pause before each.
        interval_ms: i64,
        /// What happens when it fails still.
        then: Box<Action>,
    },
}

impl Plan {
    /// The node at an index.
    pub(crate) fn node(&self, at: usize) -> Option<&Node> {
        self.nodes.get(at)
    }

    /// A node and everything below it, parents first.
    pub(crate) fn below(&self, at: usize) -> Vec<usize> {
        let mut found = vec![at];
        let mut next = 0;
        while let Some(&index) = found.get(next) {
            found.extend(self.node(index).map(|node| node.children.clone()).unwrap_or_default());
            next += 1;
        }
        found.sort_unstable();
        found
    }

    /// The nearest node at or above `at` that has a role.
    pub(crate) fn enclosing(&self, at: usize, role: Role) -> Option<usize> {
        let mut here = Some(at);
        while let Some(index) = here {
            let node = self.node(index)?;
            if node.role == role {
                return Some(index);
            }
            here = node.parent;
        }
        None
    }

    /// True when `at` is `top` or below it.
    pub(crate) fn is_within(&self, at: usize, top: usize) -> bool {
        let mut here = Some(at);
        while let Some(index) = here {
            if index == top {
                return true;
            }
            here = self.node(index).and_then(|node| node.parent);
        }
        false
    }
}
