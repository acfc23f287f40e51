//! The few expressions the sandbox understands: names of the run, and comparisons of them.

use serde_json::Value;

/// Known names and their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(Vec<(String, String)>);

impl Names {
    /// Sets a name; a later value wins.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.0.retain(|(known, _)| known != name);
        self.0.push((name.to_owned(), value.to_owned()));
    }

    /// Learns a `variables` list under a prefix.
    pub(crate) fn learn(&mut self, prefix: &str, variables: Option<&Value>) {
        for variable in variables.and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = variable.get("name").and_then(Value::as_str) else { continue };
            let value = match variable.get("value") {
                Some(Value::String(text)) => self.apply(text),
                Some(other) => other.to_string(),
                None => continue,
            };
            self.set(&format!("{prefix}.{name}"), &value);
        }
    }

    fn apply(&self, text: &str) -> String {
        if !text.contains("<+") {
            return text.to_owned();
        }
        self.0
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("<+{name}>"), value))
    }
}

/// The same value with every known name replaced in its texts.
pub(crate) fn substitute(value: &Value, names: &Names) -> Value {
    match value {
        Value::String(text) => Value::String(names.apply(text)),
        Value::Array(items) => items.iter().map(|item| substitute(item, names)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), substitute(field, names))).collect()
        }
        other => other.clone(),
    }
}

/// True unless a condition is plainly false: `false`, `a == b`, `a != a`, joined by `&&` or `||`.
pub(crate) fn holds(condition: &str) -> bool {
    condition.split("||").any(|all| all.split("&&").all(holds_alone))
}

fn holds_alone(condition: &str) -> bool {
    let condition = condition.trim();
    let side = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    // An expression that is still open cannot be judged here, so the step runs.
    if condition.contains("<+") && !condition.starts_with("<+false") {
        return true;
    }
    if let Some((left, right)) = condition.split_once("!=") {
        return side(left) != side(right);
    }
    if let Some((left, right)) = condition.split_once("==") {
        return side(left) == side(right);
    }
    !condition.trim_start_matches("<+").trim_end_matches('>').eq_ignore_ascii_case("false")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Names, holds, substitute};

    #[test]
    fn names_are_replaced_everywhere_and_unknown_ones_stay() {
        let mut names = Names::default();
        names.learn("pipeline.variables", Some(&json!([{"name": "env", "value": "prod"}])));
        assert_eq!(
            substitute(
                &json!({"a": ["to <+pipeline.variables.env>", "<+artifact.tag>", 1]}),
                &names
            ),
            json!({"a": ["to prod", "<+artifact.tag>", 1]})
        );
    }

    #[test]
    fn a_condition_fails_only_when_it_is_plainly_false() {
        for (text, expected) in [
            ("\"prod\" == \"prod\"", true),
            ("dev == prod", false),
            ("dev != prod && false", false),
            ("dev == prod || true", true),
            ("<+false>", false),
            ("<+artifact.tag> == \"x\"", true),
        ] {
            assert_eq!(holds(text), expected, "{text}");
        }
    }
}
