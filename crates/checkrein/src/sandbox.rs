//! `checkrein sandbox`: the local platform alone, and how the other commands start it.

use std::path::PathBuf;

use checkrein_catalog::Catalog;
use checkrein_sandbox::{Options, Running, Sandbox, Seed};
use checkrein_settings::{LogLevel, Secret, ServeSettings};
use clap::{Args, ValueEnum};
use url::Url;

use crate::failure::Failure;
use crate::terminal::say;
use crate::{logging, until};

/// The account of the sandbox; any key is accepted, and one of this form names it.
const ACCOUNT: &str = checkrein_sandbox::world::ACCOUNT;
/// Where the seeded world is worth a first look.
pub(crate) const ORG: &str = "default";
pub(crate) const PROJECT: &str = "storefront";
/// Pipelines take minutes of the platform's time; an agent should wait seconds.
const SPEED: f64 = 60.0;

/// What `sandbox` is told.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The port on loopback; 0 takes a free one
    #[arg(long, default_value_t = 7080, value_name = "PORT")]
    port: u16,
    /// Keep the world in this directory; without one it ends with the program
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// What a new world starts with
    #[arg(long, value_enum, default_value_t = Start::World, value_name = "NAME")]
    seed: Start,
    /// How much faster than the real one its clock runs
    #[arg(long, default_value_t = SPEED, value_name = "TIMES")]
    speed: f64,
}

/// What a new world starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Start {
    /// Two organizations with projects, pipelines and a past
    World,
    /// An account and nothing else
    Empty,
}

/// Runs the sandbox until it is stopped.
pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    if !arguments.speed.is_finite() || arguments.speed < 0.0 {
        return Err(Failure::usage("`--speed` must be 0 or more"));
    }
    logging::start(LogLevel::Info);
    let options = Options {
        port: Some(arguments.port),
        data_dir: arguments.data,
        seed: match arguments.seed {
            Start::World => Seed::World,
            Start::Empty => Seed::Empty,
        },
        speed: arguments.speed,
        ..Options::default()
    };
    let runtime = until::runtime()?;
    let served = runtime.block_on(async {
        let stopped = until::stopped();
        let running = start(options, &checkrein_builtin::catalog()).await?;
        say(&format!("The sandbox is at {}. Stop it with Ctrl-C.", running.url()));
        say(&format!(
            "Serve it with HARNESS_BASE_URL={} HARNESS_ALLOW_HTTP=true HARNESS_API_KEY={} \
             HARNESS_ORG={ORG} HARNESS_PROJECT={PROJECT}",
            running.url(),
            key()
        ));
        stopped.cancelled().await;
        running.stop().await;
        Ok(())
    });
    runtime.shutdown_background();
    served
}

/// A sandbox in memory, for a server or an agent in the same process, that answers to the types of
/// this catalogue.
pub(crate) async fn embedded(catalog: &Catalog) -> Result<Running, Failure> {
    start(Options { speed: SPEED, ..Options::default() }, catalog).await
}

async fn start(options: Options, catalog: &Catalog) -> Result<Running, Failure> {
    let routes = checkrein_sandbox::generic_routes(catalog);
    Sandbox::start(options, routes).await.map_err(Failure::new)
}

/// A key for the sandbox; it opens nothing else.
pub(crate) fn key() -> String {
    format!("pat.{ACCOUNT}.sandbox.sandbox")
}

/// Makes settings serve a running sandbox instead of an account.
pub(crate) fn point_at(running: &Running, settings: &mut ServeSettings) -> Result<(), Failure> {
    settings.base_url = Url::parse(running.url()).map_err(Failure::new)?;
    settings.account = ACCOUNT.to_owned();
    settings.api_key = Some(Secret::new(key()));
    settings.org.get_or_insert_with(|| ORG.to_owned());
    settings.project.get_or_insert_with(|| PROJECT.to_owned());
    Ok(())
}
