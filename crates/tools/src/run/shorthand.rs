//! Short inputs and what they stand for (`branch: main`).

use checkrein_catalog::jq::{self, JqError};
use checkrein_catalog::model::Shorthand;
use serde_json::{Map, Value};

/// Inputs with the shorthands written out.
#[derive(Debug, PartialEq)]
pub(crate) struct Expanded {
    /// The caller's inputs and what was added.
    pub(crate) inputs: Map<String, Value>,
    /// `(added, short)`: a key that was added, and the input it came from.
    pub(crate) added: Vec<(String, String)>,
}

/// Writes out the first shorthand that applies for each key; what the caller says himself stays.
pub(crate) fn expand(
    shorthands: &[Shorthand],
    inputs: &Map<String, Value>,
) -> Result<Expanded, JqError> {
    let mut expanded = Expanded { inputs: inputs.clone(), added: Vec::new() };
    for shorthand in shorthands {
        let Some(value) = inputs.get(&shorthand.input).filter(|value| is_given(value)) else {
            continue;
        };
        if inputs.contains_key(&shorthand.unless) {
            continue;
        }
        let Value::Object(meant) = jq::run(&shorthand.expand, value, |_| None)? else { continue };
        for (key, value) in meant {
            if !expanded.inputs.contains_key(&key) {
                expanded.added.push((key.clone(), shorthand.input.clone()));
                expanded.inputs.insert(key, value);
            }
        }
    }
    Ok(expanded)
}

fn is_given(value: &Value) -> bool {
    !value.is_null() && value.as_str() != Some("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use checkrein_catalog::model::Jq;
    use serde_json::json;

    fn expanded(inputs: &Value) -> Expanded {
        let shorthand = |input: &str, expand: &str| Shorthand {
            input: input.to_owned(),
            unless: "build".to_owned(),
            expand: Jq(expand.to_owned()),
        };
        let shorthands = [
            shorthand("branch", "{build: {type: \"branch\", spec: {branch: .}}}"),
            shorthand("pr_number", "{build: {type: \"PR\", spec: {number: .}}}"),
        ];
        expand(&shorthands, inputs.as_object().unwrap()).unwrap()
    }

    #[test]
    fn a_branch_becomes_a_build_and_stays() {
        let expanded = expanded(&json!({"branch": "main"}));
        assert_eq!(
            Value::Object(expanded.inputs),
            json!({"branch": "main", "build": {"type": "branch", "spec": {"branch": "main"}}})
        );
        assert_eq!(expanded.added, [("build".to_owned(), "branch".to_owned())]);
    }

    #[test]
    fn a_build_of_the_caller_wins_and_so_does_the_first_shorthand() {
        let own = json!({"branch": "x", "build": {"type": "tag"}});
        assert_eq!(Value::Object(expanded(&own).inputs), own);
        let both = expanded(&json!({"pr_number": 7, "branch": "x"}));
        assert_eq!(both.inputs["build"]["type"], "branch");
        assert!(expanded(&json!({"branch": ""})).added.is_empty());
    }
}
