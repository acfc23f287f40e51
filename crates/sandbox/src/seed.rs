//! The world a new sandbox starts with.

use crate::store::{Store, StoreError};
use crate::world::World;

/// What an empty store starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Seed {
    /// Two organizations with projects, pipelines and a past.
    #[default]
    World,
    /// The account with its built-in entities and nothing else.
    Empty,
}

/// Plants a seed into an empty store.
pub(crate) fn plant(_: &World, store: &Store, _: Seed) -> Result<(), StoreError> {
    store.transact(|_| Ok(()))
}
