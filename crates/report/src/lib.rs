//! Says what a chaos run came to: the document, and what people and machines read of it.
//!
//! [`Document::of`] makes the document from a run; [`read`] takes one back in, from a report file
//! or a run directory; [`Format`] renders it. Nothing here decides anything: that is the verdict's.

mod advice;
mod document;
mod escape;
mod format;
mod html;
mod junit;
mod markdown;
mod reading;
mod rendering;
mod rows;
mod target;
mod text;
mod timeline;
mod wording;

pub use advice::{Advice, Language, Layer, Patch};
pub use document::{Calls, Chaos, Document, RunFacts, SCHEMA, Status, ToolFacts};
pub use format::Format;
pub use reading::{ReadError, read};
pub use rendering::{RenderingError, save};
pub use target::{Target, TargetError};
pub use timeline::{Event, Happened, Happening, Moment, Said, Telling};
