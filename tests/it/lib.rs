//! Nothing here: the tests are in `main.rs`.
