//! Times how long a start spends on the shipped catalogue.
//!
//! `cargo run --release -p checkrein-builtin --example decode_speed`
#![allow(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::time::Instant;

fn main() {
    let start = Instant::now();
    let catalog = checkrein_builtin::catalog();
    println!("{} types, first decode: {:?}", catalog.types.len(), start.elapsed());
    let start = Instant::now();
    for _ in 0..100 {
        std::hint::black_box(checkrein_builtin::catalog());
    }
    println!("on average:            {:?}", start.elapsed() / 100);
}
