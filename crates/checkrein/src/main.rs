//! The `checkrein` command.

mod catalog;
mod client_config;
mod demo;
mod docs_reference;
mod doctor;
mod failure;
mod logging;
mod proxy;
mod report;
mod sandbox;
mod serve;
mod shipped;
mod terminal;
mod until;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// Serves the Harness platform to AI agents, and says of every write how it ended.
#[derive(Debug, Parser)]
#[command(name = "checkrein", version, propagate_version = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play a short scripted agent against the sandbox: no account, no network
    Demo(demo::Arguments),
    /// Serve the platform to an agent
    Serve(serve::Arguments),
    /// Run the local platform alone, on loopback
    Sandbox(sandbox::Arguments),
    /// Check, list, show and test resource files, your own too
    Catalog(catalog::Arguments),
    /// Print or install the configuration for an agent
    ClientConfig(client_config::Arguments),
    /// Relay between an agent and an MCP server, inject faults, and judge
    Proxy(Box<proxy::Arguments>),
    /// Say what stands in the way of a run of the proxy, without calling a tool
    #[command(mut_args(doctor::without_faults), after_help = doctor::AFTER_HELP)]
    Doctor(Box<doctor::Arguments>),
    /// Show a run's report as text, Markdown, a page or JUnit XML
    Report(report::Arguments),
    /// Write the pages of `docs/reference`
    #[command(hide = true)]
    DocsReference(docs_reference::Arguments),
}

impl Command {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Demo(arguments) => demo::run(&arguments),
            Self::Serve(arguments) => serve::run(&arguments),
            Self::Sandbox(arguments) => sandbox::run(arguments),
            Self::Catalog(arguments) => catalog::run(&arguments),
            Self::ClientConfig(arguments) => client_config::run(&arguments),
            Self::Proxy(arguments) => proxy::run(&arguments),
            Self::Doctor(arguments) => doctor::run(&arguments),
            Self::Report(arguments) => report::run(&arguments),
            Self::DocsReference(arguments) => docs_reference::run(&arguments),
        }
    }
}

fn main() -> ExitCode {
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error) => return usage(&error),
    };
    match line.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Help and version go to standard output with 0; a usage error ends with 2, and with 1 where the
/// chaos rules say that a refused start does.
fn usage(error: &clap::Error) -> ExitCode {
    // Nobody is left to tell when the terminal is gone.
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    let is_proxy = std::env::args_os().nth(1).is_some_and(|word| word == "proxy");
    ExitCode::from(if is_proxy { 1 } else { 2 })
}
