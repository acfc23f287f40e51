//! One open place of a runtime input template: `<+input>` and what stands behind it.

/// What a template wants at one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Placeholder {
    /// The value the platform takes when none is given.
    pub(crate) default: Option<String>,
    /// The only values it takes; empty when anything goes or the list is itself computed.
    pub(crate) allowed: Vec<String>,
    /// Somebody is asked for it while the pipeline runs.
    pub(crate) later: bool,
}

impl Placeholder {
    /// Reads a scalar of a template; `None` when nothing is asked for there.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let rules = text.trim().strip_prefix("<+input>")?;
        let allowed = call(rules, ".allowedValues(").or_else(|| call(rules, ".selectOneFrom("));
        let allowed: Vec<_> = allowed
            .map(|list| list.split(',').map(|value| value.trim().to_owned()).collect())
            .unwrap_or_default();
        let open =
            allowed.iter().any(|value| value.is_empty() || value == "*" || value.contains("<+"));
        Some(Self {
            default: call(rules, ".default(").filter(|value| *value != "*").map(str::to_owned),
            allowed: if open { Vec::new() } else { allowed },
            later: rules.contains(".executionInput("),
        })
    }

    /// Whether a run can start without a value.
    pub(crate) fn is_optional(&self) -> bool {
        self.default.is_some() || self.later
    }
}

/// What stands between the parentheses of a rule, nested ones included.
fn call<'a>(rules: &'a str, name: &str) -> Option<&'a str> {
    let start = rules.find(name)? + name.len();
    let rest = rules.get(start..)?;
    let mut depth = 0usize;
    for (index, char) in rest.char_indices() {
        match char {
            '(' => depth += 1,
            ')' if depth == 0 => return rest.get(..index),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_and_allowed_values_are_read() {
        let read = |text| Placeholder::read(text).unwrap();
        assert_eq!(read("<+input>"), Placeholder::default());
        assert_eq!(read("<+input>.default(x)").default.as_deref(), Some("x"));
        assert_eq!(read("<+input>.default()").default.as_deref(), Some(""));
        let both = read("<+input>.default(f(a)).allowedValues(f(a), b)");
        assert_eq!(both.default.as_deref(), Some("f(a)"));
        assert_eq!(both.allowed, ["f(a)", "b"]);
        assert_eq!(read("<+input>.selectOneFrom(a,b)").allowed, ["a", "b"]);
        assert!(read("<+input>.allowedValues(<+pipeline.x>)").allowed.is_empty());
        assert!(read("<+input>.executionInput()").is_optional());
        assert!(!read("<+input>.regex(^a$)").is_optional());
    }

    #[test]
    fn other_text_asks_for_nothing() {
        for text in ["", "x", "<+pipeline.name>", "a <+input>"] {
            assert_eq!(Placeholder::read(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(text in "(<\\+input>)?[.()a-z,*<+> ]{0,40}") {
            let _ = Placeholder::read(&text);
        }
    }
}
