//! Talks to the Harness platform and says of every write how it ended.
