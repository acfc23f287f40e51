//! What a list item is called, so that items are matched by name and not by position.

use serde_json::Value;

/// The keys that name an item, the best first.
const NAMING: [&str; 5] = ["identifier", "name", "environmentRef", "serviceRef", "id"];

/// The name of a list item: its own, or that of the one object inside it (`- stage: {…}`).
pub(crate) fn of(item: &Value) -> Option<&str> {
    let object = item.as_object()?;
    let own = NAMING.iter().find_map(|key| fixed_text(object.get(*key)?));
    if own.is_some() || object.len() != 1 {
        return own;
    }
    object.values().next().and_then(of)
}

/// A text that is not itself asked for at run time.
fn fixed_text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty() && !text.starts_with("<+input>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn items_are_named_by_themselves_or_by_what_they_wrap() {
        assert_eq!(of(&json!({"name": "env", "value": "x"})), Some("env"));
        assert_eq!(of(&json!({"stage": {"identifier": "build", "name": "Build"}})), Some("build"));
        assert_eq!(of(&json!({"step": {"name": "s"}})), Some("s"));
        assert_eq!(of(&json!({"environmentRef": "qa", "environmentInputs": {}})), Some("qa"));
        assert_eq!(of(&json!({"identifier": "<+input>", "type": "x"})), None);
        assert_eq!(of(&json!({"parallel": []})), None);
        assert_eq!(of(&json!("text")), None);
    }
}
