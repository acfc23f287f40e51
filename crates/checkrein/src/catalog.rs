//! `checkrein catalog`: works on resource files, the user's own too.

mod check;
mod list;
mod show;
mod test;

pub(crate) use show::operations;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// What `catalog` is told.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    job: Job,
}

#[derive(Debug, Subcommand)]
enum Job {
    /// Say what is wrong with resource files, with line and column
    Check(Directory),
    /// List resource types and what they can do
    List(Directory),
    /// Check that every case in `*.cases.yaml` becomes its exact request
    Test(Directory),
    /// Show one resource type: its operations, requests and inputs
    Show {
        /// The resource type
        #[arg(value_name = "TYPE")]
        resource: String,
        #[command(flatten)]
        directory: Directory,
    },
}

/// Which files, and how to answer.
#[derive(Args, Debug)]
struct Directory {
    /// A directory of resource files; without one, the shipped types and those of your own
    /// configuration directory
    #[arg(value_name = "DIR")]
    path: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Does one of the jobs.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.job {
        Job::Check(directory) => check::run(directory),
        Job::List(directory) => list::run(directory),
        Job::Test(directory) => test::run(directory),
        Job::Show { resource, directory } => show::run(resource, directory),
    }
}

impl Directory {
    /// The types, and what is wrong with the files they come from.
    fn read(&self) -> (checkrein_catalog::Catalog, Vec<checkrein_catalog::read::Problem>) {
        match &self.path {
            Some(path) if crate::shipped::is_whole(path) => {
                checkrein_catalog::read::catalogue(path)
            }
            path => crate::shipped::with_directories(path.as_slice()),
        }
    }

    /// The types alone; what is wrong is told on standard error.
    fn types(&self) -> checkrein_catalog::Catalog {
        let (catalog, problems) = self.read();
        for problem in problems {
            crate::terminal::complain(&format!("skipped: {problem}"));
        }
        catalog
    }
}
