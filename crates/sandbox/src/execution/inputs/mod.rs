//! Runtime inputs: finding, merging and checking the `<+input>` fields of a pipeline.

pub(crate) mod merge;
pub(crate) mod placeholder;
pub(crate) mod resolve;
pub(crate) mod template;
