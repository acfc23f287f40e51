//! What an item is called, when it does not say so among the keys that stay.
//!
//! Some families wrap an item (`{"service": {"identifier": …}, "createdAt": …}`), and a short page of
//! those would be dates alone: nothing to choose by. What is added begins with `_`, which the
//! platform's own keys do not.

use serde_json::{Map, Value};

use crate::link::WRAPPERS;

/// Objects that wrap an item, beside those a link looks into.
const MORE_WRAPPERS: [&str; 3] = ["infrastructure", "user", "file"];

/// What is taken out of a wrapper.
pub(crate) const NAMES: [&str; 5] = ["identifier", "uuid", "name", "email", "type"];

/// Keys by which an item says itself what it is.
const OWN: [&str; 6] = ["identifier", "id", "uuid", "identity", "name", "displayName"];

/// The key that only tells apart what has no identifier, such as pull requests.
pub(crate) const NUMBER: &str = "number";

/// Whether an object under this key may be the item itself.
pub(crate) fn is_wrapper(key: &str) -> bool {
    WRAPPERS.contains(&key) || MORE_WRAPPERS.contains(&key)
}

/// What an item is called, as members to add to the short form.
pub(super) fn hidden(item: &Map<String, Value>) -> Map<String, Value> {
    let mut hidden = Map::new();
    if OWN.iter().any(|key| item.get(*key).is_some_and(is_said)) {
        return hidden;
    }
    if let Some(number) = item.get(NUMBER).filter(|number| number.is_number()) {
        hidden.insert(format!("_{NUMBER}"), number.clone());
    }
    let wrapped = item.iter().find(|(key, value)| is_wrapper(key) && value.is_object());
    let Some((_, Value::Object(inner))) = wrapped else { return hidden };
    let said = NAMES.iter().filter_map(|name| Some((name, inner.get(*name)?)));
    hidden.extend(
        said.filter(|(_, value)| is_said(value))
            .map(|(name, value)| (format!("_{name}"), value.clone())),
    );
    hidden
}

/// A text or a number, and not an empty text.
fn is_said(value: &Value) -> bool {
    value.is_number() || value.as_str().is_some_and(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hidden_in(item: Value) -> Value {
        Value::Object(hidden(item.as_object().unwrap()))
    }

    #[test]
    fn a_wrapped_item_says_what_it_is() {
        assert_eq!(
            hidden_in(
                json!({"createdAt": 1, "service": {"identifier": "web", "name": "Web", "yaml": "y"}})
            ),
            json!({"_identifier": "web", "_name": "Web"})
        );
        assert_eq!(
            hidden_in(json!({"user": {"uuid": "u1", "email": "a@x", "name": ""}, "roles": []})),
            json!({"_uuid": "u1", "_email": "a@x"})
        );
        assert_eq!(hidden_in(json!({"number": 7, "title": "t"})), json!({"_number": 7}));
    }

    #[test]
    fn an_item_that_names_itself_gets_nothing() {
        let item = json!({"name": "n", "number": 7, "service": {"identifier": "web"}});
        assert_eq!(hidden_in(item), json!({}));
        assert_eq!(hidden_in(json!({"service": "web", "thing": {"identifier": "x"}})), json!({}));
    }
}
