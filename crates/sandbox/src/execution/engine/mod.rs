//! The pure half: from a pipeline and a moment to what every step has come to.

pub(crate) mod duration;
pub(crate) mod plan;
pub(crate) mod simulation;
pub(crate) mod status;
