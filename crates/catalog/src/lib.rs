//! Reads the catalogue of resource types, turns calls into requests and replies into results.

pub mod call;
pub mod cases;
pub mod catalog;
pub mod compact;
pub mod describe;
pub mod docs;
pub mod jq;
pub mod link;
pub mod model;
pub mod on_demand;
pub mod packed;
pub mod path;
pub mod read;
pub mod request;
pub mod schema;
mod scope;
pub mod shape;
pub mod toolsets;
pub mod yaml;

pub use call::{Call, CallError, Defaults};
pub use catalog::Catalog;
pub use request::{Part, WireBody, WireRequest, build};
pub use toolsets::{ToolsetFilter, UnknownToolsets};

/// The name closest to a mistyped one, when one is close enough to be meant.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Below this two names have little in common.
    const CLOSE: f64 = 0.75;
    let name = name.to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(&name, &known.to_lowercase()), known))
        .filter(|(score, _)| *score >= CLOSE)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, known)| known)
}
