//! Names for messages.

use checkrein_catalog::nearest;

/// The end of a sentence about a wrong name: `, did you mean …?`, or a stop.
pub(crate) fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, names)
        .map(|name| format!(", did you mean `{name}`?"))
        .unwrap_or_else(|| ".".to_owned())
}

/// Names for a message; a long list is cut, and says so.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    /// More than this is not read anyway, and costs the agent tokens.
    const MOST: usize = 60;
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<&str> = names.iter().copied().take(MOST).collect();
    let mut text = shown.join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_and_a_far_one_is_not() {
        let names = ["pipeline", "pull_request", "service"];
        assert_eq!(did_you_mean("pipelines", names), ", did you mean `pipeline`?");
        assert_eq!(did_you_mean("xyz", names), ".");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..70).map(|n| format!("n{n}")).collect();
        let text = listed(names.iter().map(String::as_str));
        assert!(text.ends_with("n59 and 10 more"), "{text}");
    }
}
