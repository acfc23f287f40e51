//! The `checkrein` command.

fn main() {}
