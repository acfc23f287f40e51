//! What the platform lets pass as an identifier, a name, a description or tags.

use serde_json::Value;

use crate::reply::FieldError;

/// Longest identifier and name.
const LONGEST: usize = 128;
/// Longest description.
const LONGEST_DESCRIPTION: usize = 1024;

/// Words of the expression language, which no entity may be called.
const RESERVED: [&str; 26] = [
    "or",
    "and",
    "eq",
    "ne",
    "lt",
    "gt",
    "le",
    "ge",
    "div",
    "mod",
    "not",
    "null",
    "true",
    "false",
    "new",
    "var",
    "return",
    "step",
    "parallel",
    "stepGroup",
    "org",
    "account",
    "class",
    "shellScriptProvisioner",
    "status",
    "liteEngineTask",
];

/// Which identifiers a family takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdRule {
    /// Letters, digits, `_` and `$`.
    Common,
    /// Letters, digits and `_`: what pipelines and services have in their YAML.
    Yaml,
    /// Letters, digits, `_`, `$` and `-`.
    Secret,
    /// Anything that is not blank: ids the platform makes up.
    Free,
}

impl IdRule {
    /// What is wrong with an identifier, if anything.
    pub fn fault(self, id: &str) -> Option<String> {
        if id.trim().is_empty() {
            return Some("cannot be empty".to_owned());
        }
        if self == Self::Free {
            return None;
        }
        if RESERVED.contains(&id) {
            return Some(format!("{id} is a keyword, so cannot be used"));
        }
        let starts_well = id.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let goes_on_well = id.chars().all(|c| {
            c.is_ascii_alphanumeric()
                || c == '_'
                || (c == '$' && self != Self::Yaml)
                || (c == '-' && self == Self::Secret)
        });
        if starts_well && goes_on_well && id.len() <= LONGEST {
            return None;
        }
        let signs = match self {
            Self::Yaml => "underscore",
            Self::Secret => "underscore, $ and -",
            Self::Common | Self::Free => "underscore and $",
        };
        Some(format!(
            "can be {LONGEST} characters long and can only contain alphanumeric, {signs} \
             characters, and not start with a number"
        ))
    }
}

/// What is wrong with a name, if anything.
pub fn name_fault(name: &str) -> Option<String> {
    if name.trim().is_empty() {
        return Some("cannot be empty".to_owned());
    }
    let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-. ".contains(c));
    if fits && !name.starts_with(' ') && name.len() <= LONGEST {
        return None;
    }
    Some(format!(
        "can be {LONGEST} characters long and can only contain alphanumeric, space, dot, hyphen \
         and underscore characters"
    ))
}

/// What is wrong with the version label of a template, if anything.
pub fn version_label_fault(label: &str) -> Option<String> {
    let starts_well = label.starts_with(|c: char| c.is_ascii_alphanumeric());
    let fits = label.len() <= 64 && !label.chars().any(|c| c.is_whitespace() || "/&".contains(c));
    (!starts_well || !fits).then(|| {
        "must start with a letter or digit, be at most 64 characters and hold no space, / or &"
            .to_owned()
    })
}

/// Faults of the fields every entity shares.
pub fn shared_faults(body: &Value) -> Vec<FieldError> {
    let mut faults = Vec::new();
    if body.get("description").and_then(Value::as_str).is_some_and(is_long_description) {
        faults.push(FieldError::new("description", "size must be between 0 and 1024"));
    }
    match body.get("tags") {
        None | Some(Value::Null) => {}
        Some(Value::Object(tags)) if tags.values().all(is_tag_value) => {}
        Some(_) => faults.push(FieldError::new("tags", "must be a map of text to text")),
    }
    faults
}

fn is_long_description(text: &str) -> bool {
    text.chars().count() > LONGEST_DESCRIPTION
}

fn is_tag_value(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_boolean() || value.is_null()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{IdRule, name_fault, shared_faults, version_label_fault};

    #[test]
    fn identifiers_are_judged_by_the_rule_of_their_family() {
        for (rule, good, bad) in [
            (IdRule::Common, "a$_9", "a-b"),
            (IdRule::Yaml, "a_9", "a$"),
            (IdRule::Secret, "a-$b", "a b"),
        ] {
            assert_eq!(rule.fault(good), None);
            assert!(rule.fault(bad).unwrap().contains("alphanumeric"), "{bad}");
            assert_eq!(rule.fault(" ").unwrap(), "cannot be empty");
            assert!(rule.fault("9a").unwrap().contains("not start with a number"));
            assert_eq!(rule.fault("null").unwrap(), "null is a keyword, so cannot be used");
            assert!(rule.fault(&"a".repeat(129)).is_some());
        }
    }

    #[test]
    fn names_labels_descriptions_and_tags_have_their_limits() {
        assert_eq!(name_fault("Build and test v1.2"), None);
        assert!(name_fault("a/b").is_some());
        assert_eq!(version_label_fault("v1.0-beta"), None);
        assert!(version_label_fault("a b").is_some());
        let faults = shared_faults(&json!({"description": "x".repeat(1025), "tags": ["a"]}));
        assert_eq!(faults.len(), 2);
    }
}
