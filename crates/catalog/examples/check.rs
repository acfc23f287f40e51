//! `cargo run -p checkrein-catalog --example check -- catalog/`: everything wrong with a catalogue.
#![allow(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let dir = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("catalog"), PathBuf::from);
    let (catalog, problems) = checkrein_catalog::read::catalogue(&dir);
    for problem in &problems {
        println!("{problem}");
    }
    let operations = catalog.all().count();
    println!("{} types, {operations} operations, {} problems", catalog.types.len(), problems.len());
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
