//! Finds the key of a log in the graph of a run.

use serde_json::{Map, Value};

use crate::nearest::{did_you_mean, listed};

/// Whose log is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) account: &'a str,
    pub(crate) org: &'a str,
    pub(crate) project: &'a str,
    /// The run.
    pub(crate) run: &'a str,
    /// Only this stage, by identifier.
    pub(crate) stage: Option<&'a str>,
    /// Only this stage, by the id of its own run.
    pub(crate) stage_run: Option<&'a str>,
    /// Only this step, by identifier or by the id of its own run.
    pub(crate) step: Option<&'a str>,
}

/// One node of the graph, as far as a log is concerned.
struct Node<'a> {
    id: &'a str,
    node: &'a Map<String, Value>,
}

impl<'a> Node<'a> {
    fn text(&self, key: &str) -> &'a str {
        self.node.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn is(&self, name: &str) -> bool {
        self.id == name || ["uuid", "identifier"].iter().any(|key| self.text(key) == name)
    }

    fn is_stage(&self) -> bool {
        self.is_item_of("stages")
    }

    fn is_step(&self) -> bool {
        self.is_item_of("steps")
    }

    fn is_item_of(&self, list: &str) -> bool {
        let mut way = self.text("baseFqn").rsplit('.');
        way.next().is_some_and(|last| last == self.text("identifier")) && way.next() == Some(list)
    }

    /// Whether it stands somewhere below a stage.
    fn is_in(&self, stage: &str) -> bool {
        format!("{}.", self.text("baseFqn")).contains(&format!(".stages.{stage}."))
    }

    fn key(&self) -> Option<String> {
        Some(self.text("logBaseKey").to_owned()).filter(|key| !key.is_empty())
    }
}

/// The key of the log, or what is wrong with the wish.
pub(crate) fn find(execution: &Value, wanted: &Wanted<'_>) -> Result<String, String> {
    let nodes = nodes(execution);
    let stage = stage(&nodes, wanted)?;
    if let Some(step) = wanted.step {
        return step_key(&nodes, step, stage.map(|stage| stage.text("identifier")));
    }
    if let Some(stage) = stage {
        return stage
            .key()
            .ok_or_else(|| format!("stage `{}` has written no log yet", stage.text("identifier")));
    }
    let pipeline =
        nodes.iter().find(|node| node.is("pipeline") && node.text("baseFqn") == "pipeline");
    match pipeline.and_then(Node::key) {
        Some(key) => Ok(key),
        None => whole_run(execution, wanted),
    }
}

fn nodes(execution: &Value) -> Vec<Node<'_>> {
    let graph = execution.pointer("/executionGraph/nodeMap").and_then(Value::as_object);
    graph
        .into_iter()
        .flatten()
        .filter_map(|(id, node)| Some(Node { id, node: node.as_object()? }))
        .collect()
}

fn stage<'a, 'n>(
    nodes: &'n [Node<'a>],
    wanted: &Wanted<'_>,
) -> Result<Option<&'n Node<'a>>, String> {
    let Some(name) = wanted.stage_run.or(wanted.stage) else { return Ok(None) };
    let is_wanted =
        |node: &&Node<'_>| node.is_stage() && (node.is(name) || node.text("setupId") == name);
    match nodes.iter().find(is_wanted) {
        Some(stage) => Ok(Some(stage)),
        None => Err(unknown("stage", name, nodes.iter().filter(|node| node.is_stage()))),
    }
}

fn step_key(nodes: &[Node<'_>], step: &str, stage: Option<&str>) -> Result<String, String> {
    let inside = || nodes.iter().filter(|node| stage.is_none_or(|stage| node.is_in(stage)));
    if let Some(key) = inside().filter(|node| node.is(step)).find_map(Node::key) {
        return Ok(key);
    }
    if inside().any(|node| node.is(step)) {
        return Err(format!("step `{step}` has written no log yet"));
    }
    Err(unknown("step", step, inside().filter(|node| node.is_step())))
}

fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n Node<'n>>) -> String {
    let mut known: Vec<_> = known.map(|node| node.text("identifier")).collect();
    known.sort_unstable();
    known.dedup();
    let near = did_you_mean(name, known.iter().copied());
    let near = if near.is_empty() { "." } else { near.as_str() };
    format!("the run has no {what} `{name}`{near} It has: {}", listed(known))
}

/// The key of everything a run has written, made as the platform makes it.
fn whole_run(execution: &Value, wanted: &Wanted<'_>) -> Result<String, String> {
    let summary = execution.get("pipelineExecutionSummary");
    let value = |key: &str| summary.and_then(|summary| summary.get(key));
    let (Some(pipeline), Some(number)) = (
        value("pipelineIdentifier").and_then(Value::as_str),
        value("runSequence").filter(|number| number.is_number()),
    ) else {
        return Err(format!(
            "the platform says too little of run `{}` to find its log",
            wanted.run
        ));
    };
    let Wanted { account, org, project, run, .. } = wanted;
    Ok(match value("shouldUseSimplifiedKey") {
        Some(Value::Bool(false)) => format!(
            "accountId:{account}/orgId:{org}/projectId:{project}/pipelineId:{pipeline}/\
             runSequence:{number}/level0:pipeline"
        ),
        _ => format!("{account}/pipeline/{pipeline}/{number}/-{run}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ALL: Wanted<'static> = Wanted {
        account: "acc",
        org: "o",
        project: "p",
        run: "run1",
        stage: None,
        stage_run: None,
        step: None,
    };

    fn execution() -> Value {
        json!({
            "pipelineExecutionSummary": {"pipelineIdentifier": "pipe", "runSequence": 7},
            "executionGraph": {"nodeMap": {
                "n0": {"uuid": "n0", "identifier": "pipeline", "baseFqn": "pipeline", "logBaseKey": "key/all"},
                "n1": {"uuid": "n1", "identifier": "build", "baseFqn": "pipeline.stages.build", "logBaseKey": "key/build"},
                "n2": {"uuid": "n2", "identifier": "compile", "baseFqn": "pipeline.stages.build.spec.execution.steps.compile", "logBaseKey": "key/build/compile"},
                "n3": {"uuid": "n3", "identifier": "test", "baseFqn": "pipeline.stages.test", "logBaseKey": ""},
                "n4": {"uuid": "n4", "identifier": "compile", "baseFqn": "pipeline.stages.test.spec.execution.steps.compile", "logBaseKey": "key/test/compile"}
            }}
        })
    }

    #[test]
    fn a_run_a_stage_and_a_step_have_their_keys() {
        let find = |wanted| find(&execution(), &wanted).unwrap();
        assert_eq!(find(ALL), "key/all");
        assert_eq!(find(Wanted { stage: Some("build"), ..ALL }), "key/build");
        assert_eq!(find(Wanted { stage_run: Some("n1"), ..ALL }), "key/build");
        assert_eq!(find(Wanted { step: Some("compile"), ..ALL }), "key/build/compile");
        assert_eq!(find(Wanted { step: Some("n4"), ..ALL }), "key/test/compile");
        let in_test = Wanted { step: Some("compile"), stage_run: Some("n3"), ..ALL };
        assert_eq!(find(in_test), "key/test/compile");
    }

    #[test]
    fn an_unknown_step_or_stage_names_the_known_ones() {
        let find = |wanted| find(&execution(), &wanted).unwrap_err();
        assert_eq!(
            find(Wanted { step: Some("compil"), stage: Some("build"), ..ALL }),
            "the run has no step `compil`, did you mean `compile`? It has: compile"
        );
        assert_eq!(
            find(Wanted { stage: Some("deploy"), ..ALL }),
            "the run has no stage `deploy`. It has: build, test"
        );
        assert_eq!(
            find(Wanted { stage: Some("test"), ..ALL }),
            "stage `test` has written no log yet"
        );
    }

    #[test]
    fn without_a_graph_the_key_is_made() {
        let mut execution = execution();
        execution["executionGraph"] = Value::Null;
        assert_eq!(find(&execution, &ALL).unwrap(), "acc/pipeline/pipe/7/-run1");
        execution["pipelineExecutionSummary"]["shouldUseSimplifiedKey"] = json!(false);
        assert_eq!(
            find(&execution, &ALL).unwrap(),
            "accountId:acc/orgId:o/projectId:p/pipelineId:pipe/runSequence:7/level0:pipeline"
        );
        assert!(find(&json!({}), &ALL).unwrap_err().contains("`run1`"));
    }
}
