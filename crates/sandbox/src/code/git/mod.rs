//! As much of git as a code service shows: object ids, trees, line changes and merges. Pure.

pub(crate) mod changes;
pub(crate) mod glob;
pub(crate) mod merge;
pub(crate) mod objects;
pub(crate) mod tree;
