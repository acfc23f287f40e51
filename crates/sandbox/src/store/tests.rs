use serde_json::json;

use super::{Filter, Key, Store, StoreError};
use crate::scope::Scope;

fn project() -> Scope {
    Scope::project("default", "shop")
}

#[test]
fn a_document_comes_back_as_it_was_written() {
    let store = Store::in_memory().unwrap();
    let key = Key::new("service", &project(), "web").under("owner");
    let body = json!({"big": 9_007_199_254_740_993_u64, "order": {"z": 1, "a": 2}});
    store.insert(&key, &body, 7).unwrap();
    let found = store.get(&key).unwrap().unwrap();
    assert_eq!((found.version, found.created_ms, &found.body), (0, 7, &body));
    assert_eq!(serde_json::to_string(&found.body).unwrap(), serde_json::to_string(&body).unwrap());
}

#[test]
fn a_second_insert_is_refused_and_changes_nothing() {
    let store = Store::in_memory().unwrap();
    let key = Key::account("service", "web");
    store.insert(&key, &json!(1), 1).unwrap();
    let refused = store.insert(&key, &json!(2), 2);
    assert!(matches!(refused, Err(StoreError::Exists { .. })));
    assert_eq!(store.get(&key).unwrap().unwrap().body, json!(1));
}

#[test]
fn put_counts_versions_and_keeps_the_creation_time() {
    let store = Store::in_memory().unwrap();
    let key = Key::account("service", "web");
    assert_eq!(store.put(&key, &json!(1), 1).unwrap().version, 0);
    let second = store.put(&key, &json!(2), 5).unwrap();
    assert_eq!((second.version, second.created_ms, second.updated_ms), (1, 1, 5));
}

#[test]
fn list_keeps_the_order_of_insertion_and_the_filter() {
    let store = Store::in_memory().unwrap();
    for id in ["c", "a", "b"] {
        store.insert(&Key::new("x", &project(), id), &json!({}), 1).unwrap();
    }
    store.insert(&Key::account("x", "elsewhere"), &json!({}), 1).unwrap();
    let here = store.list(&Filter::kind("x").scope(&project())).unwrap();
    assert_eq!(here.iter().map(|d| d.key.id.as_str()).collect::<Vec<_>>(), ["c", "a", "b"]);
    assert_eq!(store.count(&Filter::kind("x")).unwrap(), 4);
}

#[test]
fn a_failed_transaction_leaves_nothing_and_may_be_nested() {
    let store = Store::in_memory().unwrap();
    let outer: Result<(), StoreError> = store.transact(|store| {
        store.put(&Key::account("x", "kept"), &json!(1), 1)?;
        let inner: Result<(), StoreError> = store.transact(|store| {
            store.put(&Key::account("x", "lost"), &json!(1), 1)?;
            store.insert(&Key::account("x", "kept"), &json!(1), 1).map(|_| ())
        });
        assert!(inner.is_err());
        Ok(())
    });
    outer.unwrap();
    let left = store.list(&Filter::kind("x")).unwrap();
    assert_eq!(left.iter().map(|d| d.key.id.as_str()).collect::<Vec<_>>(), ["kept"]);
}

#[test]
fn the_newest_of_a_kind_are_kept() {
    let store = Store::in_memory().unwrap();
    for id in ["a", "b", "c"] {
        store.insert(&Key::account("x", id), &json!({}), 1).unwrap();
        store.insert(&Key::account("y", id), &json!({}), 1).unwrap();
    }
    assert_eq!(store.keep_newest("x", 2).unwrap(), 1);
    assert_eq!(store.keep_newest("x", 2).unwrap(), 0);
    let left = store.list(&Filter::kind("x")).unwrap();
    assert_eq!(left.iter().map(|d| d.key.id.as_str()).collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(store.count(&Filter::kind("y")).unwrap(), 3);
}

#[test]
fn counters_are_apart_and_start_at_one() {
    let store = Store::in_memory().unwrap();
    assert_eq!(store.next_number("a").unwrap(), 1);
    assert_eq!(store.next_number("a").unwrap(), 2);
    assert_eq!(store.next_number("b").unwrap(), 1);
}

#[test]
fn the_end_of_a_project_takes_its_documents_only() {
    let store = Store::in_memory().unwrap();
    store.insert(&Key::new("x", &project(), "gone"), &json!(1), 1).unwrap();
    store.insert(&Key::new("x", &Scope::organization("default"), "org"), &json!(1), 1).unwrap();
    store.insert(&Key::account("x", "account"), &json!(1), 1).unwrap();
    assert_eq!(store.remove_scope(&project()).unwrap(), 1);
    assert_eq!(store.remove_scope(&Scope::organization("default")).unwrap(), 1);
    assert_eq!(store.count(&Filter::kind("x")).unwrap(), 1);
}
