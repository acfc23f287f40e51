//! Finds the open places of a runtime input template and what each is called.

use serde_json::Value;

use super::identity;
use super::placeholder::Placeholder;

/// Templates nest a dozen levels deep; a document that goes on is not one.
const MAX_DEPTH: usize = 64;

/// One open place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The way there: keys, and list items by name (or number, when they have none).
    pub(crate) path: Vec<String>,
    /// The same as a caller would say it: a variable ends with its name and not with `value`.
    pub(crate) words: Vec<String>,
    /// What is asked for.
    pub(crate) wants: Placeholder,
}

impl Place {
    /// Its short name: the variable, or the last key.
    pub(crate) fn name(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }
}

/// The open places of a template, in its order.
pub(crate) fn places(template: &Value) -> Vec<Place> {
    let mut found = Vec::new();
    walk(template, &mut Vec::new(), None, &mut found);
    found
}

/// The name each place is best called by: the short one, unless several places share it.
pub(crate) fn names(places: &[Place]) -> Vec<String> {
    places
        .iter()
        .map(|place| {
            let shared = places.iter().filter(|other| other.name() == place.name()).count() > 1;
            let words = place.words.strip_prefix(&["pipeline".to_owned()][..]);
            if shared { words.unwrap_or(&place.words).join(".") } else { place.name().to_owned() }
        })
        .collect()
}

fn walk(node: &Value, path: &mut Vec<String>, named: Option<&str>, found: &mut Vec<Place>) {
    if path.len() > MAX_DEPTH {
        return;
    }
    match node {
        Value::Object(object) => {
            let name = object.get("name").and_then(Value::as_str);
            for (key, value) in object {
                path.push(key.clone());
                walk(value, path, name, found);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(step(item, index));
                walk(item, path, None, found);
                path.pop();
            }
        }
        Value::String(text) => {
            if let Some(wants) = Placeholder::read(text) {
                found.push(Place { path: path.clone(), words: words(path, named), wants });
            }
        }
        _ => {}
    }
}

/// How a list item is written in a path.
pub(crate) fn step(item: &Value, index: usize) -> String {
    identity::of(item).map_or_else(|| index.to_string(), str::to_owned)
}

fn words(path: &[String], named: Option<&str>) -> Vec<String> {
    match (path, named) {
        ([before @ .., _, last], Some(name)) if matches!(last.as_str(), "value" | "default") => {
            // A variable may have dots in its name.
            before.iter().map(String::as_str).chain(name.split('.')).map(str::to_owned).collect()
        }
        _ => path.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use checkrein_catalog::yaml::from_text;

    fn all(yaml: &str) -> Vec<String> {
        let places = places(&from_text(yaml).unwrap());
        places.iter().map(|place| place.words.join(".")).collect()
    }

    #[test]
    fn variables_are_called_by_name_and_other_places_by_key() {
        let yaml = "
pipeline:
  identifier: p
  properties: {ci: {codebase: {build: <+input>}}}
  variables:
    - {name: env, type: String, value: <+input>}
    - {name: a.b, type: String, default: <+input>.default(1)}
  stages:
    - stage:
        identifier: deploy
        variables: [{name: region, value: <+input>}]
        spec: {steps: [{step: {identifier: s1, timeout: <+input>}}, {parallel: [{step: {identifier: s2, timeout: <+input>}}]}]}
";
        assert_eq!(
            all(yaml),
            [
                "pipeline.properties.ci.codebase.build",
                "pipeline.variables.env",
                "pipeline.variables.a.b",
                "pipeline.stages.deploy.stage.variables.region",
                "pipeline.stages.deploy.stage.spec.steps.s1.step.timeout",
                "pipeline.stages.deploy.stage.spec.steps.1.parallel.s2.step.timeout",
            ]
        );
        let names = names(&places(&from_text(yaml).unwrap()));
        assert_eq!(names[1], "env");
        assert_eq!(names[4], "stages.deploy.stage.spec.steps.s1.step.timeout");
    }

    #[test]
    fn a_template_without_open_places_has_none() {
        assert!(all("pipeline: {identifier: p, name: <+pipeline.x>}").is_empty());
        assert!(all("").is_empty());
    }
}
