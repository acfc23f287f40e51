//! A local stand-in of the Harness platform.
//!
//! A request is read whole ([`request`]), routed ([`router`]) and answered as one unit over one
//! store ([`store`]) and one clock ([`clock`]). A family of entities is a table ([`family`]) that
//! drives common code ([`crud`]); a new one is a file in `families/` and a line in its list.
//! Whatever no family answers goes to the generic store ([`generic`]). Faults ([`fault`]) strike
//! between the socket and the platform, so a family never knows of them.

mod admin;
pub mod audit;
pub mod clock;
pub mod code;
pub mod crud;
mod edge;
pub mod execution;
pub mod families;
pub mod family;
pub mod fault;
mod from_catalog;
pub mod generic;
pub mod ids;
pub mod paging;
pub mod pipeline_yaml;
pub mod places;
pub mod platform;
pub mod references;
pub mod reply;
pub mod request;
pub mod router;
pub mod rules;
pub mod scope;
pub mod seed;
pub mod server;
mod spoil;
pub mod store;
mod wire;
pub mod world;
pub mod yaml;

pub use from_catalog::generic_routes;
pub use generic::{Envelope, GenericRoute, Operation};
pub use seed::Seed;
pub use server::{Error, Options, Running, Sandbox};
