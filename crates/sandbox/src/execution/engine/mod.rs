//! The pure half: from a pipeline and a moment to what every step has come to.

pub(crate) mod compile;
pub(crate) mod duration;
pub(crate) mod expressions;
pub(crate) mod habits;
pub(crate) mod logs;
pub(crate) mod mishap;
pub(crate) mod plan;
pub(crate) mod remedies;
pub(crate) mod simulation;
pub(crate) mod status;
