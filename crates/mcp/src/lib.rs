//! The Model Context Protocol on the wire, behind two small traits.
//!
//! A server is a [`ToolSet`]: it names its tools and answers calls. Everything about frames,
//! handshakes, eras and limits stays in this crate, so nothing above it knows which library
//! speaks the protocol. What a tool may ask of the caller (a confirmation, progress,
//! cancellation) arrives with the call, in [`Caller`].

mod admission;
mod client;
mod confirm;
mod frame;
mod lines;
mod progress;
mod server;
mod stdio;
mod tool_set;
mod wire;

pub use client::{CallError, Client, Elicited};
pub use confirm::{AskError, Confirmer, NobodyToAsk, Reply};
pub use progress::{Progress, Update};
pub use stdio::{ServeError, serve_stdio, serve_streams};
/// Stops a call, or a whole server.
pub use tokio_util::sync::CancellationToken;
pub use tool_set::{Annotations, Answer, BoxFuture, Caller, ServerInfo, ToolInfo, ToolSet};
