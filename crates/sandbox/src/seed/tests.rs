use std::time::Instant;

use super::{ACCESS, DELEGATES, INPUT_SETS, PIPELINES, Seed, TEXTS, WORLD, plant};
use crate::clock::Clock;
use crate::platform::routes;
use crate::router::Router;
use crate::store::{Filter, Store};
use crate::world::World;

const NOW: i64 = 1_796_032_800_000;

#[test]
fn all_seed_data_is_yaml() {
    let files = [ACCESS, DELEGATES, WORLD, TEXTS, INPUT_SETS];
    for text in files.into_iter().chain(PIPELINES.map(|(text, _)| text)) {
        crate::yaml::parse(text).unwrap();
    }
}

#[test]
fn the_platform_accepts_the_whole_seed_and_the_clock_is_right_afterwards() {
    let world = World::new(Store::in_memory().unwrap(), Clock::fixed(NOW), "http://x");
    let began = Instant::now();
    let refusals = plant(&world, &Router::new(routes()), Seed::World).unwrap();
    println!("seeding took {:?}", began.elapsed());
    assert_eq!(refusals, Vec::<String>::new());
    assert_eq!(world.now_ms(), NOW);
    let store = world.store();
    let count = |kind: &str| store.count(&Filter::kind(kind)).unwrap();
    assert_eq!((count("organization"), count("project"), count("pipeline")), (2, 4, 13));
    assert!(count("execution") >= 34, "{}", count("execution"));
    let ahead = store.list(&Filter::kind("pipeline")).unwrap();
    assert!(ahead.iter().all(|document| document.created_ms < NOW));
}

#[test]
fn an_empty_account_still_has_what_is_built_in() {
    let world = World::new(Store::in_memory().unwrap(), Clock::fixed(NOW), "http://x");
    plant(&world, &Router::new(routes()), Seed::Empty).unwrap();
    let store = world.store();
    assert_eq!(store.count(&Filter::kind("organization")).unwrap(), 1);
    assert_eq!(store.count(&Filter::kind("pipeline")).unwrap(), 0);
    assert!(store.count(&Filter::kind("role")).unwrap() > 5);
}
