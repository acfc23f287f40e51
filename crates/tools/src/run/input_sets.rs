//! Input sets as documents: what each gives, and all of them together.

use checkrein_catalog::yaml;
use serde_json::{Map, Value};

use super::merge::merge;

/// More sets than this in one run are a mistake.
pub(crate) const MAX_SETS: usize = 25;

/// The `{pipeline: …}` of an input set, from what the platform returns for it.
pub(crate) fn fragment(set: &Value) -> Result<Value, String> {
    let text = ["inputSetYaml", "yaml"].into_iter().find_map(|key| set.get(key)?.as_str());
    let text = text.ok_or("the platform returned no `inputSetYaml` for it")?;
    let mut document = yaml::from_text(text)?;
    let pipeline = document.get_mut("inputSet").and_then(|set| set.get_mut("pipeline"));
    let pipeline = pipeline.map(Value::take).filter(Value::is_object);
    let pipeline = pipeline.ok_or("its YAML has no `inputSet.pipeline`")?;
    Ok(whole(pipeline))
}

/// The sets laid over one another, later ones winning.
pub(crate) fn merged(fragments: impl IntoIterator<Item = Value>) -> Value {
    let mut all = Value::Object(Map::new());
    for fragment in fragments {
        merge(&mut all, fragment);
    }
    all
}

fn whole(pipeline: Value) -> Value {
    let mut whole = Map::new();
    whole.insert("pipeline".to_owned(), pipeline);
    Value::Object(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_pipeline_of_a_set_is_taken_out() {
        let set = json!({"inputSetYaml": "inputSet:\n  identifier: a\n  pipeline: {identifier: p, variables: []}\n"});
        assert_eq!(fragment(&set), Ok(json!({"pipeline": {"identifier": "p", "variables": []}})));
        for (set, error) in [
            (json!({}), "no `inputSetYaml`"),
            (json!({"inputSetYaml": "inputSet: {identifier: a}"}), "no `inputSet.pipeline`"),
            (json!({"inputSetYaml": "a: [b"}), "line "),
        ] {
            assert!(fragment(&set).unwrap_err().contains(error), "{set}");
        }
    }

    #[test]
    fn later_sets_win() {
        let set = |value: i32| json!({"pipeline": {"variables": [{"name": "a", "value": value}]}});
        assert_eq!(merged([set(1), set(2)]), set(2));
    }
}
