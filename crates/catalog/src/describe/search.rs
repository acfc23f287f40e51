//! Types by words: in names first, then in other names, titles and sentences.

use serde_json::{Value, json};

use super::row;
use crate::catalog::Catalog;
use crate::model::ResourceType;

/// Rows of one answer.
const MAX_ROWS: usize = 50;

/// The types that have to do with these words, best first.
#[must_use]
pub fn search(catalog: &Catalog, term: &str) -> Value {
    let words: Vec<String> = term
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let scored = |all: bool| {
        let mut found: Vec<(u32, &ResourceType)> = catalog
            .types
            .values()
            .filter_map(|resource| Some((score(resource, &words, all)?, resource)))
            .collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found
    };
    let mut found = scored(true);
    if found.is_empty() && words.len() > 1 {
        found = scored(false);
    }
    found.truncate(MAX_ROWS);
    let rows: Vec<Value> = found
        .into_iter()
        .map(|(_, resource)| {
            let mut row = row(resource);
            row.insert("name".to_owned(), json!(resource.title));
            row.insert("description".to_owned(), json!(resource.about));
            Value::Object(row)
        })
        .collect();
    let hint = if rows.is_empty() {
        "nothing matches; call without arguments to see every type"
    } else {
        "pass resource_type for everything about one type"
    };
    json!({
        "search_term": term,
        "total_results": rows.len(),
        "resource_types": rows,
        "hint": hint,
    })
}

/// How well a type fits; `None` when it does not (or, with `all`, when a word finds nothing).
fn score(resource: &ResourceType, words: &[String], all: bool) -> Option<u32> {
    let mut sum = 0;
    for word in words {
        match word_score(resource, word) {
            0 if all => return None,
            score => sum += score,
        }
    }
    (sum > 0).then_some(sum)
}

fn word_score(resource: &ResourceType, word: &str) -> u32 {
    let holds = |text: &str| text.to_lowercase().contains(word);
    let name = resource.name.to_lowercase();
    let is_word = |text: &str| {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
    };
    match () {
        () if name == word => 100,
        () if resource.also_called.iter().any(|alias| alias.eq_ignore_ascii_case(word)) => 80,
        () if is_word(&resource.name) => 60,
        () if name.contains(word) => 50,
        () if resource.also_called.iter().any(|alias| holds(alias)) => 40,
        () if holds(&resource.title) => 30,
        () if holds(&resource.toolset) => 20,
        () if holds(&resource.about) => 10,
        () => 0,
    }
}
