//! The inputs of a caller, each under every name it can be meant by.

use serde_json::{Map, Value};

use super::identity;
use super::template::Place;

/// Inputs nest no deeper than a pipeline does.
const MAX_DEPTH: usize = 64;

/// A value and the words that lead to it, in lower case.
#[derive(Debug)]
struct Entry<'a> {
    /// The caller's own key, as reported back.
    key: String,
    /// The key of the input it belongs to.
    input: &'a str,
    words: Vec<String>,
    value: &'a Value,
}

/// Inputs as a caller gave them: flat, dotted or nested.
#[derive(Debug)]
pub(crate) struct Given<'a> {
    entries: Vec<Entry<'a>>,
}

/// The input that fits a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit<'a> {
    /// The caller's key for it.
    pub(crate) key: &'a str,
    /// The key of the input it belongs to.
    pub(crate) input: &'a str,
    /// The value.
    pub(crate) value: &'a Value,
}

impl<'a> Given<'a> {
    /// Reads inputs.
    pub(crate) fn read(inputs: &'a Map<String, Value>) -> Self {
        let mut entries = Vec::new();
        for (key, value) in inputs {
            add(&mut entries, key, vec![key.clone()], value);
        }
        Self { entries }
    }

    /// The input that means this place: its last word is the place's, its other words appear on
    /// the way there in the same order. Of several the one that says most wins.
    pub(crate) fn fit(&self, place: &Place) -> Option<Fit<'_>> {
        let words: Vec<_> = place.words.iter().map(|word| word.to_lowercase()).collect();
        let mut best: Option<&Entry<'_>> = None;
        for entry in self.entries.iter().filter(|entry| leads(&entry.words, &words)) {
            if best.is_none_or(|best| entry.words.len() > best.words.len()) {
                best = Some(entry);
            }
        }
        best.map(|entry| Fit { key: &entry.key, input: entry.input, value: entry.value })
    }
}

fn add<'a>(entries: &mut Vec<Entry<'a>>, input: &'a str, path: Vec<String>, value: &'a Value) {
    if path.len() > MAX_DEPTH || value.is_null() {
        return;
    }
    let words = path.iter().flat_map(|key| key.split('.')).map(str::to_lowercase).collect();
    entries.push(Entry { key: path.join("."), input, words, value });
    let below = |step: &str| [path.as_slice(), &[step.to_owned()]].concat();
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                add(entries, input, below(key), value);
            }
        }
        Value::Array(items) => {
            for item in items {
                let Some(name) = identity::of(item) else { continue };
                // `{name: env, value: prod}` means `env: prod`.
                add(entries, input, below(name), item.get("value").unwrap_or(item));
            }
        }
        _ => {}
    }
}

/// Whether the shorter words lead to the end of the longer ones.
fn leads(short: &[String], long: &[String]) -> bool {
    let (Some((last, before)), Some((end, way))) = (short.split_last(), long.split_last()) else {
        return false;
    };
    let mut way = way.iter();
    last == end && before.iter().all(|word| way.any(|step| step == word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::placeholder::Placeholder;
    use serde_json::json;

    fn fit(inputs: &Value, words: &str) -> Option<(String, Value)> {
        let inputs = inputs.as_object().unwrap();
        let words: Vec<_> = words.split('/').map(str::to_owned).collect();
        let place = Place { path: words.clone(), words, wants: Placeholder::default() };
        Given::read(inputs).fit(&place).map(|fit| (fit.key.to_owned(), fit.value.clone()))
    }

    const REGION: &str = "pipeline/stages/deploy/stage/variables/region";

    #[test]
    fn an_input_is_meant_by_its_name_its_path_or_part_of_it() {
        for inputs in [
            json!({"region": "eu"}),
            json!({"Region": "eu"}),
            json!({"deploy.region": "eu"}),
            json!({"pipeline.stages.deploy.stage.variables.region": "eu"}),
            json!({"deploy": {"region": "eu"}}),
            json!({"stages": [{"identifier": "deploy", "region": "eu"}]}),
            json!({"variables": [{"name": "region", "value": "eu"}]}),
        ] {
            assert_eq!(fit(&inputs, REGION).unwrap().1, json!("eu"), "{inputs}");
        }
        for inputs in [
            json!({"build.region": "eu"}),
            json!({"region.deploy": "eu"}),
            json!({"egion": "eu"}),
            json!({"region": null}),
            json!({"deploy": "eu"}),
        ] {
            assert_eq!(fit(&inputs, REGION), None, "{inputs}");
        }
    }

    #[test]
    fn the_input_that_says_most_wins() {
        let inputs = json!({"region": "us", "deploy": {"region": "eu"}});
        assert_eq!(fit(&inputs, REGION), Some(("deploy.region".to_owned(), json!("eu"))));
        assert_eq!(
            fit(&inputs, "pipeline/stages/test/stage/variables/region"),
            Some(("region".to_owned(), json!("us")))
        );
    }

    #[test]
    fn an_object_fits_as_a_whole() {
        let build = json!({"type": "branch", "spec": {"branch": "main"}});
        let inputs = json!({ "build": build });
        assert_eq!(fit(&inputs, "pipeline/properties/ci/codebase/build").unwrap().1, build);
        assert_eq!(fit(&inputs, "pipeline/variables/branch"), None);
    }
}
