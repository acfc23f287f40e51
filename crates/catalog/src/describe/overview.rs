//! All types at once, in few words.

use serde_json::{Map, Value, json};

use super::row;
use crate::catalog::Catalog;

/// What one page of types may take, so that the whole answer stays below 12 kB.
const MAX_ROW_BYTES: usize = 11_000;

/// The types of the catalogue with their operations, toolset by toolset; what does not fit is on
/// further pages.
#[must_use]
pub fn everything(catalog: &Catalog, page: usize) -> Value {
    let rows: Vec<Map<String, Value>> = catalog.types.values().map(row).collect();
    let pages = paged(rows);
    let count = pages.len();
    let rows = pages.into_iter().nth(page).unwrap_or_default();
    let toolsets = {
        let mut names: Vec<&str> =
            catalog.types.values().map(|resource| resource.toolset.as_str()).collect();
        names.dedup();
        names.len()
    };
    let mut members = Map::new();
    members.insert("total_resource_types".to_owned(), json!(catalog.types.len()));
    members.insert("total_toolsets".to_owned(), json!(toolsets));
    members.insert("resource_types".to_owned(), json!(rows));
    if count > 1 {
        members.insert("page".to_owned(), json!(page));
        members.insert("pages".to_owned(), json!(count));
    }
    members.insert(
        "hint".to_owned(),
        json!(
            "pass resource_type for everything about one type, toolset for a group, search_term \
             for words"
        ),
    );
    Value::Object(members)
}

fn paged(rows: Vec<Map<String, Value>>) -> Vec<Vec<Map<String, Value>>> {
    let mut pages = vec![Vec::new()];
    let mut size = 0;
    for row in rows {
        let bytes = serde_json::to_string(&row).map_or(0, |text| text.len() + 1);
        if size + bytes > MAX_ROW_BYTES {
            pages.push(Vec::new());
            size = 0;
        }
        size += bytes;
        if let Some(page) = pages.last_mut() {
            page.push(row);
        }
    }
    pages
}
