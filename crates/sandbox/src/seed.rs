//! The world a new sandbox starts with: made by the platform's own routes, at times in the past.

mod built_in;
mod gardener;
mod past;

use std::time::Duration;

use serde_json::Value;

use self::gardener::Gardener;
use crate::router::Router;
use crate::store::StoreError;
use crate::world::World;
use crate::yaml;

/// What an empty store starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Seed {
    /// Two organizations with projects, pipelines and a past.
    #[default]
    World,
    /// The account with its built-in entities and nothing else.
    Empty,
}

const DAY: Duration = Duration::from_secs(86_400);

/// How long ago the account was opened.
const AGE_DAYS: u32 = 60;

const ACCESS: &str = include_str!("../seed/access.yaml");
const DELEGATES: &str = include_str!("../seed/delegates.yaml");
const WORLD: &str = include_str!("../seed/world.yaml");
const TEXTS: &str = include_str!("../seed/texts.yaml");
const INPUT_SETS: &str = include_str!("../seed/input_sets.yaml");

/// Pipelines with the number of runs they have behind them.
const PIPELINES: [(&str, u32); 13] = [
    (include_str!("../seed/pipelines/build_and_test.yaml"), 6),
    (include_str!("../seed/pipelines/smoke_tests.yaml"), 3),
    (include_str!("../seed/pipelines/deploy_web.yaml"), 4),
    (include_str!("../seed/pipelines/nightly_checkout_tests.yaml"), 3),
    (include_str!("../seed/pipelines/release_train.yaml"), 1),
    (include_str!("../seed/pipelines/rotate_credentials.yaml"), 2),
    (include_str!("../seed/pipelines/base_images.yaml"), 2),
    (include_str!("../seed/pipelines/preview_cleanup.yaml"), 2),
    (include_str!("../seed/pipelines/payments_build.yaml"), 3),
    (include_str!("../seed/pipelines/payments_deploy.yaml"), 2),
    (include_str!("../seed/pipelines/settle_ledger.yaml"), 2),
    (include_str!("../seed/pipelines/ingest_daily.yaml"), 3),
    (include_str!("../seed/pipelines/train_model.yaml"), 1),
];

/// Plants a seed into an empty store; gives what was refused, which is a fault of the seed.
pub(crate) fn plant(world: &World, router: &Router, seed: Seed) -> Result<Vec<String>, StoreError> {
    let mut gardener = Gardener::begin(world, router, DAY * AGE_DAYS)?;
    built_in::plant(&mut gardener, &read(ACCESS), &read(DELEGATES))?;
    if seed == Seed::World {
        plant_world(&mut gardener)?;
    }
    gardener.finish()
}

fn plant_world(gardener: &mut Gardener<'_>) -> Result<(), StoreError> {
    for entity in read(WORLD).as_array().into_iter().flatten() {
        gardener.pass(DAY / 6);
        gardener.entity(entity);
    }
    for entity in read(TEXTS).as_array().into_iter().flatten().filter(|e| is_template(e)) {
        gardener.text(entity);
    }
    for (text, _) in PIPELINES {
        gardener.pass(DAY / 2);
        gardener.pipeline(text);
    }
    for entity in read(TEXTS).as_array().into_iter().flatten().filter(|e| !is_template(e)) {
        gardener.text(entity);
    }
    for entity in read(INPUT_SETS).as_array().into_iter().flatten() {
        gardener.input_set(entity);
    }
    past::plant(gardener, &PIPELINES)
}

fn is_template(entity: &Value) -> bool {
    entity.get("kind").is_some_and(|kind| kind == "template")
}

/// Seed data is part of the program; a test reads all of it.
fn read(text: &str) -> Value {
    yaml::parse(text).unwrap_or_default()
}

#[cfg(test)]
mod tests;
