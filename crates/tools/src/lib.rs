//! The tools an agent sees.
