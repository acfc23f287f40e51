//! Lays one set of inputs over another.

use serde_json::{Map, Value};

use super::identity;

/// Lays `over` upon `base`: objects key by key, lists of named items item by item, anything else
/// whole. An object of another `type` is whole too, because the rest of it belongs to the type.
pub(crate) fn merge(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) if same_type(base, &over) => {
            for (key, value) in over {
                match base.get_mut(&key) {
                    Some(old) => merge(old, value),
                    None => {
                        base.insert(key, value);
                    }
                }
            }
        }
        (Value::Array(base), Value::Array(over)) if all_named(base) && all_named(&over) => {
            for item in over {
                match base.iter_mut().find(|old| identity::of(old) == identity::of(&item)) {
                    Some(old) => merge(old, item),
                    None => base.push(item),
                }
            }
        }
        (base, over) => *base = over,
    }
}

fn same_type(base: &Map<String, Value>, over: &Map<String, Value>) -> bool {
    match (base.get("type"), over.get("type")) {
        (Some(base), Some(over)) => base == over,
        _ => true,
    }
}

fn all_named(items: &[Value]) -> bool {
    items.iter().all(|item| identity::of(item).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merged(mut base: Value, over: Value) -> Value {
        merge(&mut base, over);
        base
    }

    #[test]
    fn variables_and_stages_are_merged_by_name() {
        let base = json!({"variables": [{"name": "a", "type": "String", "value": 1}, {"name": "b", "value": 2}],
            "stages": [{"stage": {"identifier": "s", "variables": [{"name": "x", "value": 1}]}}]});
        let over = json!({"variables": [{"name": "b", "value": 3}, {"name": "c", "value": 4}],
            "stages": [{"stage": {"identifier": "t"}}, {"stage": {"identifier": "s", "variables": [{"name": "x", "value": 9}]}}]});
        assert_eq!(
            merged(base, over),
            json!({"variables": [{"name": "a", "type": "String", "value": 1}, {"name": "b", "value": 3}, {"name": "c", "value": 4}],
                "stages": [{"stage": {"identifier": "s", "variables": [{"name": "x", "value": 9}]}}, {"stage": {"identifier": "t"}}]})
        );
    }

    #[test]
    fn an_object_of_another_type_replaces() {
        let base = json!({"build": {"type": "tag", "spec": {"tag": "t"}}, "repo": 1});
        let over = json!({"build": {"type": "branch", "spec": {"branch": "m"}}});
        assert_eq!(
            merged(base, over),
            json!({"build": {"type": "branch", "spec": {"branch": "m"}}, "repo": 1})
        );
    }

    #[test]
    fn unnamed_lists_and_scalars_are_replaced() {
        assert_eq!(merged(json!({"a": [1, 2]}), json!({"a": [3]})), json!({"a": [3]}));
        assert_eq!(merged(json!({"a": {"b": 1}}), json!({"a": "x"})), json!({"a": "x"}));
        assert_eq!(
            merged(json!({"a": [{"name": "x"}]}), json!({"a": []})),
            json!({"a": [{"name": "x"}]})
        );
    }

    proptest::proptest! {
        #[test]
        fn merging_with_itself_changes_nothing(names in proptest::collection::btree_set("[a-c]{1,2}", 0..5)) {
            let items: Vec<_> = names.iter().map(|name| json!({"name": name, "value": 1})).collect();
            let value = json!({ "variables": items });
            proptest::prop_assert_eq!(merged(value.clone(), value.clone()), value);
        }
    }
}
