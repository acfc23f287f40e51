//! Checks and chores of this repository: `cargo xtask` lists them.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to people")]

mod bench;
mod checks;
mod docs;
mod golden;
mod house;
mod run;
mod setup;
mod summary;
mod tidy;
mod tree;
mod verdicts;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::house::House;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  test            install what the checks need, where that is allowed, then run all of them
  ci              run all checks, install nothing
  check NAME      run the checks whose names hold this word
  tidy            the rules of the house that no other tool knows
  docs [--check]  write docs/reference, or say where it is stale
  setup           install what the checks need and stop
  bench           measure the limits that the design promises";

fn main() -> ExitCode {
    match command() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what the command line asks for and says whether all was well.
fn command() -> Result<bool> {
    let house = House::find()?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => Ok(checks::run(&house, &[setup::INSTALLS, checks::ALL])),
        ["ci"] => Ok(checks::run(&house, &[setup::PRESENT, checks::ALL])),
        ["check", name] => checks::run_named(&house, name),
        ["setup"] => Ok(checks::run(&house, &[setup::INSTALLS])),
        ["tidy"] => tidy::report(&house),
        ["docs"] => docs::write(&house).map(|()| true),
        ["docs", "--check"] => docs::check(&house).map(|_| true),
        ["bench"] => bench::run(&house),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(true)
        }
        [unknown, ..] => bail!("unknown command `{unknown}`\n\n{HELP}"),
    }
}
