//! The platform without its sockets: a request in, a reply out.

use serde_json::json;

use crate::clock::Clock;
use crate::fault::Faults;
use crate::generic::{Generic, GenericRoute};
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Match, Route, Router, as_unit};
use crate::seed::{self, Seed};
use crate::store::{Store, StoreError};
use crate::world::World;
use crate::{admin, code, execution, families};

/// A whole sandbox: what it knows, what it answers and what goes wrong with it.
#[derive(Debug)]
pub struct Platform {
    /// Store, clock and account.
    pub world: World,
    /// Armed faults.
    pub faults: Faults,
    router: Router,
    generic: Generic,
    seed: Seed,
}

impl Platform {
    /// A platform over a store; an empty store is seeded.
    pub fn new(
        store: Store,
        clock: Clock,
        base_url: &str,
        seed: Seed,
        generic_routes: Vec<GenericRoute>,
    ) -> Result<Self, StoreError> {
        let is_new = store.latest_ms()?.is_none();
        let platform = Self {
            world: World::new(store, clock, base_url),
            faults: Faults::default(),
            router: Router::new(routes()),
            generic: Generic::new(generic_routes),
            seed,
        };
        if is_new {
            platform.reset()?;
        }
        Ok(platform)
    }

    /// Forgets everything and seeds anew.
    pub fn reset(&self) -> Result<(), StoreError> {
        let _turn = self.world.turn();
        self.faults.clear();
        self.world.store().clear()?;
        seed::plant(&self.world, &self.router, self.seed).map(drop)
    }

    /// Answers a request; faults are not looked at.
    pub fn answer(&self, request: &Request) -> Reply {
        if request.segments.first().is_some_and(|first| first == admin::PREFIX) {
            return admin::answer(self, request);
        }
        match self.router.find(request) {
            Match::Found(route, params) => {
                as_unit(&self.world, || (route.handler)(&self.world, request, &params))
            }
            missed => {
                let generic = || self.generic.answer(&self.world, request);
                as_unit(&self.world, || generic().unwrap_or_else(|| unmatched(&missed)))
            }
        }
    }
}

/// The routes of everything that has behaviour of its own.
pub(crate) fn routes() -> Vec<Route> {
    [families::routes(), execution::routes(), code::routes()].concat()
}

fn unmatched(missed: &Match) -> Reply {
    let (status, message) = match missed {
        Match::WrongMethod => (405, "HTTP 405 Method Not Allowed"),
        _ => (404, "HTTP 404 Not Found"),
    };
    Reply::json_with(status, &json!({"code": status, "message": message}))
}
