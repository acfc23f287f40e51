//! End-to-end tests: one file per behaviour.
