//! Reads the catalogue of resource types, turns calls into requests and replies into results.
