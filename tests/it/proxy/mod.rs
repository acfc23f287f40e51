//! The chaos proxy between a scripted agent and a real upstream.

mod agent;
mod bytes;
mod cost;
mod faults;
mod flags;
mod run_dir;
