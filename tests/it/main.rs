//! End-to-end tests: one file per behaviour.

#[cfg(test)]
mod clients;
