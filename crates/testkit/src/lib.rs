//! Starts servers, clients and sandboxes in tests.
//!
//! It knows the program only from outside: its command line, its streams and its sockets.

mod command;
mod sandbox;
mod server;
mod upstream;

pub use command::{Place, binary};
pub use sandbox::Sandbox;
pub use server::{Server, answer_of, modern_meta};
pub use upstream::{Asked, Reply, Upstream};
