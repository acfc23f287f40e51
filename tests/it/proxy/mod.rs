//! The chaos proxy between a scripted agent and a real upstream.

mod agent;
mod bytes;
mod cost;
mod faults;
mod flags;
mod http_bytes;
mod http_bytes_corpus;
mod http_bytes_crossing;
pub(crate) mod http_bytes_proxy;
mod http_bytes_stage;
mod http_bytes_wire;
mod run_dir;
