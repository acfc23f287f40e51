//! A local stand-in of the Harness platform.

pub mod audit;
pub mod clock;
pub mod code;
pub mod execution;
pub mod ids;
pub mod paging;
pub mod reply;
pub mod request;
pub mod router;
pub mod scope;
pub mod store;
pub mod world;
pub mod yaml;
