//! The chaos proxy: faults on an agent's writes, and the relay around them.
//!
//! [`Engine`] is pure: frames and time in, actions out. [`stdio`] is the loop around it. What no
//! fault touches leaves as the bytes it came in. [`faults`] are the kinds of what can go wrong,
//! [`scenario`] says which of them strikes which calls.

mod alarms;
mod answer;
mod book;
mod call;
pub mod classify;
mod draw;
mod engine;
pub mod faults;
mod frame;
pub mod glob;
pub mod http;
mod listing;
mod pending;
mod request_id;
pub mod review;
pub mod scenario;
mod splice;
pub mod stdio;

pub use engine::{AUDIT_TOOLS, Action, Audit, Config, Engine, Plan, Probe};
pub use faults::{Shape, Transport};
pub use pending::{Connection, Lane};
pub use scenario::Scenario;
