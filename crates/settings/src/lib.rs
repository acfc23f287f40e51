//! Every flag, environment variable and configuration key, declared once.
//!
//! [`table::ALL`] is the declaration. The command line, the reading with its list of problems, the
//! help and the reference page are made from it, so none of them can disagree with another.

mod account;
mod env_file;
mod hosts;
mod problem;
mod reader;
pub mod reference;
mod secret;
mod serve;
pub mod setting;
mod sources;
pub mod table;

pub use env_file::{EnvFileError, parse as parse_env_file};
pub use problem::{Notice, Problem, Problems};
pub use secret::Secret;
pub use serve::{AutoApprove, LogLevel, ServeSettings, Transport, log_level};
pub use sources::{Sources, arguments, given};
