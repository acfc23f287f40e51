//! The chaos proxy: faults on an agent's writes, and the relay around them.
//!
//! [`Engine`] is pure: frames and time in, actions out. [`stdio`] is the loop around it. What no
//! fault touches leaves as the bytes it came in.

mod answer;
mod call;
pub mod classify;
mod draw;
mod engine;
pub mod faults;
mod frame;
pub mod glob;
mod listing;
mod pending;
pub mod stdio;

pub use engine::{AUDIT_TOOLS, Action, Audit, Config, Engine, Plan};
pub use faults::{Scenario, Shape};
pub use pending::Connection;
