//! One `<+input>` field: its default and what it accepts.

use serde_json::Value;

const MARK: &str = "<+input>";

/// A runtime input, as in `<+input>.default(dev).allowedValues(dev,prod)`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Placeholder {
    /// The value it takes when none is given.
    pub(crate) default: Option<String>,
    /// The values it accepts; empty accepts all.
    pub(crate) allowed: Vec<String>,
    /// The pattern that values must match, as written.
    pub(crate) pattern: Option<String>,
}

impl Placeholder {
    /// Reads a scalar; `None` when it is not a runtime input.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let mut rest = value.as_str()?.trim().strip_prefix(MARK)?;
        let mut found = Self::default();
        while let Some((name, argument, after)) = call(rest) {
            match name {
                "default" => found.default = Some(unquoted(argument).to_owned()),
                "allowedValues" => {
                    found.allowed =
                        split(argument).iter().map(|v| unquoted(v).to_owned()).collect();
                }
                "regex" => found.pattern = Some(argument.to_owned()),
                _ => {}
            }
            rest = after;
        }
        Some(found)
    }

    /// Why a value is refused, if it is.
    pub(crate) fn objection(&self, value: &Value) -> Option<String> {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let accepts = |one: &String| *one == text;
        if !self.allowed.is_empty() && !self.allowed.iter().any(accepts) {
            return Some(format!(
                "`{text}` is not one of the allowed values [{}]",
                self.allowed.join(", ")
            ));
        }
        None
    }

    /// The default in the type that YAML would read it as.
    pub(crate) fn default_value(&self) -> Option<Value> {
        let text = self.default.as_ref()?;
        let plain = match text.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => text.parse::<i64>().map_or_else(|_| Value::String(text.clone()), Value::from),
        };
        Some(plain)
    }
}

/// `.name(argument)` at the start of `text`, with balanced parentheses, and what follows.
fn call(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.strip_prefix('.')?.split_once('(')?;
    let mut depth = 1_usize;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((name, rest.get(..at)?, rest.get(at + 1..)?));
        }
    }
    None
}

/// The values of a comma list; commas inside quotes do not count.
fn split(list: &str) -> Vec<&str> {
    let mut values = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, letter) in list.char_indices() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), close) if open == close => quote = None,
            (None, ',') => {
                values.extend(list.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    values.extend(list.get(start..));
    values.into_iter().map(str::trim).filter(|value| !value.is_empty()).collect()
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    ['\'', '"']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::Placeholder;

    #[test]
    fn defaults_and_allowed_values_are_read_in_any_order() {
        let text = json!("<+input>.allowedValues(dev, 'a,b', qa (eu)).default(\"dev\")");
        let read = Placeholder::read(&text).unwrap();
        assert_eq!(read.default.as_deref(), Some("dev"));
        assert_eq!(read.allowed, ["dev", "a,b", "qa (eu)"]);
        assert_eq!(read.objection(&json!("dev")), None);
        assert!(read.objection(&json!("prod")).unwrap().contains("allowed values"));
    }

    #[test]
    fn an_expression_is_no_runtime_input() {
        assert_eq!(Placeholder::read(&json!("<+pipeline.name>")), None);
        assert_eq!(Placeholder::read(&json!(3)), None);
        assert_eq!(Placeholder::read(&json!("<+input>")), Some(Placeholder::default()));
    }

    proptest! {
        #[test]
        fn no_text_makes_reading_fail(text in "<\\+input>[.a-zA-Z(),'\"<>+é ]{0,40}") {
            let read = Placeholder::read(&json!(text));
            prop_assert!(read.is_some());
        }
    }
}
