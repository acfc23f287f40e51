//! Starts servers, clients and sandboxes in tests.
