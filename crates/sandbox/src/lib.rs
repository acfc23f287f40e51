//! A local stand-in of the Harness platform.
