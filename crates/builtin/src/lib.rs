//! The resource types Checkrein ships, decoded while it is built.
