//! Remembers what pipelines ask for, because an agent often runs one several times in a row.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

/// How long a template is believed; a pipeline is seldom changed between two runs.
const FRESH: Duration = Duration::from_secs(5 * 60);
/// How many are kept, the newest.
const MAX_KEPT: usize = 64;

/// Whose template it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) pipeline: String,
    pub(crate) org: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) branch: Option<String>,
}

#[derive(Debug)]
struct Kept {
    key: Key,
    template: Option<Value>,
    since: Instant,
}

/// The templates one credential has seen.
#[derive(Debug, Default)]
pub struct TemplateCache(Mutex<Vec<Kept>>);

impl TemplateCache {
    /// A template that is still fresh; the inner option is whether the pipeline asks for anything.
    pub(crate) fn get(&self, key: &Key) -> Option<Option<Value>> {
        let now = Instant::now();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| now.duration_since(kept.since) < FRESH);
        kept.iter().find(|kept| kept.key == *key).map(|kept| kept.template.clone())
    }

    /// Remembers a template.
    pub(crate) fn put(&self, key: Key, template: Option<Value>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.key != key);
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        kept.push(Kept { key, template, since: Instant::now() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(pipeline: &str) -> Key {
        Key { pipeline: pipeline.to_owned(), org: None, project: None, branch: None }
    }

    #[tokio::test(start_paused = true)]
    async fn a_template_is_forgotten_after_five_minutes() {
        let cache = TemplateCache::default();
        cache.put(key("a"), Some(json!({})));
        tokio::time::advance(FRESH - Duration::from_secs(1)).await;
        assert_eq!(cache.get(&key("a")), Some(Some(json!({}))));
        assert_eq!(cache.get(&Key { branch: Some("b".into()), ..key("a") }), None);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(cache.get(&key("a")), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_template_makes_room() {
        let cache = TemplateCache::default();
        for index in 0..=MAX_KEPT {
            cache.put(key(&index.to_string()), None);
        }
        assert_eq!(cache.get(&key("0")), None);
        assert_eq!(cache.get(&key("1")), Some(None));
    }
}
