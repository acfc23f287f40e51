//! Which toolsets are on (`HARNESS_TOOLSETS`).

use crate::model::Toolset;

/// Old names of toolsets.
const ALIASES: [(&str, &str); 1] = [("agent-pipelines", "agents")];

/// A choice of toolsets as the user wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolsetFilter {
    text: String,
}

/// Names that are no toolsets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown toolset {}{}; known: {}", quoted(.names), hint(.guess.as_deref()), .known.join(", "))]
pub struct UnknownToolsets {
    /// Every bad name.
    pub names: Vec<String>,
    /// What the first may have meant.
    pub guess: Option<String>,
    /// All good names, sorted.
    pub known: Vec<String>,
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn hint(guess: Option<&str>) -> String {
    guess.map_or_else(String::new, |guess| format!(", did you mean `{guess}`?"))
}

impl ToolsetFilter {
    /// Takes `pipelines,services` (only those), `+chaos,-logs` (the default ones and changes) or
    /// nothing (the default ones: all that are not opt-in).
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// The names that are on, in the fixed order of the toolsets.
    pub fn names(&self, toolsets: &[Toolset]) -> Result<Vec<String>, UnknownToolsets> {
        let tokens: Vec<(Option<char>, &str)> = self
            .text
            .split(',')
            .map(str::trim)
            .filter(|token| !token.is_empty())
            .map(|token| match token.strip_prefix(['+', '-']) {
                Some(name) => (token.chars().next(), resolve(name.trim())),
                None => (None, resolve(token)),
            })
            .collect();
        refuse_unknown(&tokens, toolsets)?;
        let changes = tokens.is_empty() || tokens.iter().any(|(sign, _)| sign.is_some());
        let mut on: Vec<&str> = toolsets
            .iter()
            .filter(|toolset| changes && !toolset.opt_in)
            .map(|toolset| toolset.name.as_str())
            .collect();
        for (sign, name) in tokens {
            on.retain(|known| *known != name);
            if sign != Some('-') {
                on.push(name);
            }
        }
        let ordered = toolsets.iter().map(|toolset| &toolset.name);
        Ok(ordered.filter(|name| on.contains(&name.as_str())).cloned().collect())
    }
}

fn resolve(name: &str) -> &str {
    ALIASES.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
}

fn refuse_unknown(
    tokens: &[(Option<char>, &str)],
    toolsets: &[Toolset],
) -> Result<(), UnknownToolsets> {
    let is_known = |name: &str| toolsets.iter().any(|toolset| toolset.name == name);
    let names: Vec<String> = tokens
        .iter()
        .filter(|(_, name)| !is_known(name))
        .map(|(_, name)| (*name).to_owned())
        .collect();
    let Some(first) = names.first() else {
        return Ok(());
    };
    let mut known: Vec<String> = toolsets.iter().map(|toolset| toolset.name.clone()).collect();
    known.sort();
    let guess = crate::nearest(first, known.iter().map(String::as_str)).map(str::to_owned);
    Err(UnknownToolsets { names, guess, known })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<String, String> {
        let toolset = |name: &str, opt_in| Toolset {
            name: name.into(),
            title: name.into(),
            about: String::new(),
            opt_in,
        };
        let toolsets =
            [toolset("pipelines", false), toolset("agents", false), toolset("releases", true)];
        let names = ToolsetFilter::new(text).names(&toolsets);
        names.map(|names| names.join(" ")).map_err(|error| error.to_string())
    }

    #[test]
    fn no_choice_is_everything_but_the_opt_in_ones() {
        assert_eq!(names("").unwrap(), "pipelines agents");
        assert_eq!(names(" , ").unwrap(), "pipelines agents");
    }

    #[test]
    fn bare_names_are_the_whole_choice_in_the_fixed_order() {
        assert_eq!(names("releases, pipelines").unwrap(), "pipelines releases");
        assert_eq!(names("agent-pipelines").unwrap(), "agents");
    }

    #[test]
    fn signs_change_the_default_choice_in_their_order() {
        assert_eq!(names("+releases,-agents").unwrap(), "pipelines releases");
        assert_eq!(names("-agents,agents").unwrap(), "pipelines agents");
        assert_eq!(names("-agents,-pipelines").unwrap(), "");
    }

    #[test]
    fn every_unknown_name_is_told_with_the_nearest_and_the_known() {
        assert_eq!(
            names("pipelnes,-x").unwrap_err(),
            "unknown toolset `pipelnes`, `x`, did you mean `pipelines`?; known: agents, pipelines, \
             releases"
        );
    }
}
