//! Times how long a start spends on the shipped catalogue.
//!
//! `cargo run --release -p checkrein-builtin --example decode_speed`
#![allow(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::time::Instant;

fn main() {
    let start = Instant::now();
    let catalog = checkrein_builtin::catalog();
    println!("{} types at start: {:?}", catalog.types.len(), start.elapsed());
    let start = Instant::now();
    let operations = catalog.types.get("pipeline").map_or(0, |resource| resource.operations.len());
    println!("the first of them ({operations} operations): {:?}", start.elapsed());
    let start = Instant::now();
    println!("all {} operations: {:?}", catalog.all().count(), start.elapsed());
}
