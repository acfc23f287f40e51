//! Puts the git side of a run into the words of the catalogue.

use serde_json::{Map, Value};

/// Spellings of the platform that callers copy, and the input each means.
const SPELLINGS: [(&str, &str); 5] = [
    ("storeType", "store_type"),
    ("connectorRef", "connector_ref"),
    ("repoName", "repo_name"),
    ("pipelineBranch", "pipeline_branch"),
    ("pipelineBranchName", "pipeline_branch"),
];

/// Fills in what can be known: other spellings, the repository that YAML inputs name, and the
/// branch of the pipeline's own YAML, which for a remote pipeline is the one that is built.
pub(crate) fn complete(inputs: &mut Map<String, Value>, document: Option<&Value>) {
    for (spelling, name) in SPELLINGS {
        if let Some(value) = inputs.shift_remove(spelling) {
            fill(inputs, name, value);
        }
    }
    let codebase = document.and_then(|yaml| yaml.pointer("/pipeline/properties/ci/codebase"));
    let text = |pointer| codebase.and_then(|codebase| fixed(codebase.pointer(pointer)?));
    if let Some(repository) = text("/repoName") {
        fill(inputs, "repo_name", repository);
        fill(inputs, "store_type", "REMOTE".into());
        if let Some(branch) = text("/build/spec/branch") {
            fill(inputs, "branch", branch.clone());
            fill(inputs, "pipeline_branch", branch);
        }
    }
    let remote = inputs
        .get("store_type")
        .and_then(Value::as_str)
        .is_some_and(|kind| kind.eq_ignore_ascii_case("REMOTE"));
    let in_git = ["connector_ref", "repo_name"].iter().any(|name| is_given(inputs.get(*name)));
    if (remote || in_git)
        && let Some(branch) = inputs.get("branch").filter(|branch| is_given(Some(branch))).cloned()
    {
        fill(inputs, "pipeline_branch", branch);
    }
}

/// The branch a pipeline's own YAML is read from.
pub(crate) fn branch(inputs: &Map<String, Value>) -> Option<&str> {
    ["pipeline_branch", "branch"]
        .into_iter()
        .find_map(|name| inputs.get(name)?.as_str().filter(|branch| !branch.is_empty()))
}

fn fixed(value: &Value) -> Option<Value> {
    value.as_str().filter(|text| !text.is_empty() && !text.contains("<+")).map(Value::from)
}

fn fill(inputs: &mut Map<String, Value>, name: &str, value: Value) {
    if !is_given(inputs.get(name)) {
        inputs.insert(name.to_owned(), value);
    }
}

fn is_given(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null() && value.as_str() != Some(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn completed(inputs: Value, document: Option<Value>) -> Value {
        let Value::Object(mut inputs) = inputs else { panic!("an object") };
        complete(&mut inputs, document.as_ref());
        Value::Object(inputs)
    }

    #[test]
    fn the_repository_in_yaml_inputs_is_the_pipelines() {
        let document = |repository: &str| {
            json!({"pipeline": {"properties": {"ci": {"codebase":
            {"repoName": repository, "build": {"type": "branch", "spec": {"branch": "dev"}}}}}}})
        };
        assert_eq!(
            completed(json!({}), Some(document("r1"))),
            json!({"repo_name": "r1", "store_type": "REMOTE", "branch": "dev", "pipeline_branch": "dev"})
        );
        assert_eq!(
            completed(json!({"branch": "own", "store_type": "INLINE"}), Some(document("r1"))),
            json!({"branch": "own", "store_type": "INLINE", "repo_name": "r1", "pipeline_branch": "dev"})
        );
        assert_eq!(completed(json!({}), Some(document("<+input>"))), json!({}));
    }

    #[test]
    fn a_remote_pipeline_is_read_from_the_branch_that_is_built() {
        let remote = json!({"storeType": "REMOTE", "branch": "feat"});
        assert_eq!(
            completed(remote, None),
            json!({"branch": "feat", "store_type": "REMOTE", "pipeline_branch": "feat"})
        );
        let inline = json!({"branch": "feat"});
        assert_eq!(completed(inline.clone(), None), inline);
        let own = json!({"repo_name": "r", "branch": "feat", "pipeline_branch": "main"});
        assert_eq!(completed(own.clone(), None), own);
    }

    #[test]
    fn the_pipelines_own_branch_is_the_one_its_yaml_comes_from() {
        let inputs = json!({"branch": "a", "pipeline_branch": ""});
        assert_eq!(branch(inputs.as_object().unwrap()), Some("a"));
    }
}
