//! A page in its one form, with of each item only what an agent needs to choose from it.

use serde_json::{Map, Value};

use crate::link::LINK;
use crate::model::ResourceType;

mod identity;

pub(crate) use identity::{NAMES, NUMBER, is_wrapper};

/// Keys that say what a thing is, whatever type it has.
const GENERAL: [&str; 40] = [
    "id",
    "uuid",
    "identifier",
    "identity",
    "name",
    "displayName",
    "description",
    "slug",
    "versionLabel",
    "sha",
    "title",
    "message",
    "status",
    "state",
    "enabled",
    "health",
    "stableTemplate",
    "isChaosEnabled",
    "type",
    "kind",
    "category",
    "module",
    "templateEntityType",
    "childType",
    "tags",
    "labels",
    "owner",
    "author",
    "committer",
    "cost",
    "costTrend",
    "idleCost",
    "unallocatedCost",
    "utilizedCost",
    "forecastCost",
    "actualCost",
    "budgetAmount",
    "totalMonthlyCost",
    "totalMonthlySaving",
    "openInHarness",
];

/// Ends of keys that hold times and identifiers.
const ENDS: [&str; 7] = ["At", "Ts", "Time", "Date", "Identifier", "Id", "_id"];

/// Which keys of an item stay.
#[derive(Debug, Clone, Copy)]
pub struct Keep<'a> {
    own: &'a [String],
}

impl<'a> Keep<'a> {
    /// The selection of a type: its own, else the general one.
    #[must_use]
    pub fn of(resource: &'a ResourceType) -> Self {
        Self { own: &resource.compact }
    }

    /// Whether the type has no selection of its own.
    pub(crate) fn is_general(&self) -> bool {
        self.own.is_empty()
    }

    /// Whether a key stays.
    #[must_use]
    pub fn keeps(&self, key: &str) -> bool {
        if !self.is_general() {
            return self.own.iter().any(|own| own == key);
        }
        ENDS.iter().any(|end| key.ends_with(end)) || GENERAL.contains(&key)
    }
}

/// Names under which families hide the items of a page.
const ITEM_KEYS: [&str; 5] = ["body", "content", "data", "objects", "features"];

/// A page as every list gives it: `items`, `total` and, when the platform says none, `page`.
#[must_use]
pub fn normalise_list(value: Value, page: Option<&Value>) -> Value {
    let page = page.cloned().unwrap_or_else(|| Value::from(0));
    match value {
        Value::Object(members) => Value::Object(normalise_object(members, page)),
        Value::Array(items) => page_of(items, page),
        Value::Null => page_of(Vec::new(), page),
        scalar => page_of(vec![scalar], page),
    }
}

fn page_of(items: Vec<Value>, page: Value) -> Value {
    let total = Value::from(items.len());
    Value::Object(Map::from_iter([
        ("items".to_owned(), Value::Array(items)),
        ("total".to_owned(), total),
        ("page".to_owned(), page),
    ]))
}

fn normalise_object(mut members: Map<String, Value>, page: Value) -> Map<String, Value> {
    if let Some(items) = members.get("items") {
        let count = items.as_array().map_or(0, Vec::len);
        if !members.get("total").is_some_and(Value::is_number) {
            members.insert("total".to_owned(), Value::from(count));
        }
        return members;
    }
    let found = ITEM_KEYS.iter().find_map(|key| members.get(*key).filter(|value| value.is_array()));
    let Some(items) = found.cloned() else {
        return members;
    };
    let count = items.as_array().map_or(0, Vec::len);
    members.insert("items".to_owned(), items);
    if !members.get("total").is_some_and(Value::is_number) {
        members.insert("total".to_owned(), Value::from(count));
    }
    members.entry("page").or_insert(page);
    members
}

/// Shortens the items of a page.
#[must_use]
pub fn compact_list(mut page: Value, keep: &Keep<'_>) -> Value {
    if let Some(Value::Array(items)) = page.get_mut("items") {
        for item in items {
            if let Value::Object(members) = item {
                compact_item(members, keep);
            }
        }
    }
    page
}

/// Shortens one item; its name becomes a link to it.
pub fn compact_item(item: &mut Map<String, Value>, keep: &Keep<'_>) {
    let hidden = if keep.is_general() { identity::hidden(item) } else { Map::new() };
    item.retain(|key, _| keep.keeps(key));
    item.extend(hidden);
    let (Some(Value::String(link)), Some(Value::String(name))) = (item.get(LINK), item.get("name"))
    else {
        return;
    };
    let linked = Value::String(format!("[{name}]({link})"));
    item.shift_remove(LINK);
    item.insert("name".to_owned(), linked);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_of_a_page_becomes_one() {
        assert_eq!(
            normalise_list(json!([1]), Some(&json!(3))),
            json!({"items": [1], "total": 1, "page": 3})
        );
        assert_eq!(
            normalise_list(json!({"objects": [1, 2], "offset": 0}), None),
            json!({"objects": [1, 2], "offset": 0, "items": [1, 2], "total": 2, "page": 0})
        );
        assert_eq!(
            normalise_list(json!({"items": [1], "total": null}), None),
            json!({"items": [1], "total": 1})
        );
        assert_eq!(
            normalise_list(json!({"features": [1], "page": 5, "total": 9}), Some(&json!(2))),
            json!({"features": [1], "page": 5, "total": 9, "items": [1]})
        );
        assert_eq!(normalise_list(Value::Null, None), json!({"items": [], "total": 0, "page": 0}));
    }

    #[test]
    fn an_item_keeps_what_identifies_it_and_its_name_becomes_a_link() {
        let item = json!({
            "name": "n", "openInHarness": "https://x/n", "spec": {"a": 1}, "createdAt": 1,
            "At": 1, "parent_id": "p", "nullField": null
        });
        let resource = json!({"items": [item, 7]});
        assert_eq!(
            compact_list(resource, &Keep { own: &[] }),
            json!({"items": [
                {"name": "[n](https://x/n)", "createdAt": 1, "At": 1, "parent_id": "p"}, 7
            ]})
        );
    }

    #[test]
    fn a_type_with_its_own_selection_keeps_that() {
        let own = ["name".to_owned(), "spec".to_owned()];
        let page = json!({"items": [{"name": "n", "spec": 1, "openInHarness": "l", "id": 1}]});
        assert_eq!(
            compact_list(page, &Keep { own: &own }),
            json!({"items": [{"name": "n", "spec": 1}]})
        );
    }
}
