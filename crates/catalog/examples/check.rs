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
    let (cases, _) = checkrein_catalog::cases::read_dir(&dir);
    let mut failed = 0;
    for case in &cases {
        if let Err(why) = checkrein_catalog::cases::run(&catalog, case) {
            failed += 1;
            println!("{}:{}: {}: {why}", case.file.display(), case.at.line, case.title);
        }
    }
    println!("{} cases, {failed} failed", cases.len());
    let operations = catalog.all().count();
    println!("{} types, {operations} operations, {} problems", catalog.types.len(), problems.len());
    if problems.is_empty() && failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
