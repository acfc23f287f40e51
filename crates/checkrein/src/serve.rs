//! `checkrein serve`: the platform for an agent.

mod toolsets;

use std::io::{self, IsTerminal, Read};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use checkrein_catalog::{Catalog, Defaults};
use checkrein_mcp::{CancellationToken, ToolSet, serve_stdio};
use checkrein_platform::{Client, Options as ClientOptions, Secret};
use checkrein_settings::{AutoApprove, ServeSettings, Sources, Transport, log_level};
use checkrein_tools::{Options as ToolOptions, Tools};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::failure::Failure;
use crate::terminal::complain;
use crate::{logging, sandbox, shipped, until};

const TRANSPORT: &str = "transport";
const SANDBOX: &str = "sandbox";
/// A client writes its first message at once.
const LONGEST_HEARING: Duration = Duration::from_millis(250);

/// What `serve` is told: the transport, and every flag of the settings.
#[derive(Debug)]
pub(crate) struct Arguments {
    matches: ArgMatches,
}

impl FromArgMatches for Arguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { matches: matches.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.matches = matches.clone();
        Ok(())
    }
}

impl Args for Arguments {
    fn augment_args(command: Command) -> Command {
        command
            .arg(
                Arg::new(TRANSPORT)
                    .value_name("TRANSPORT")
                    .default_value("stdio")
                    .help("How the agent reaches it: `stdio`, or `http` in a later version"),
            )
            .arg(
                Arg::new(SANDBOX)
                    .long(SANDBOX)
                    .action(ArgAction::SetTrue)
                    .help("Serve the local platform instead of an account: no key, no network"),
            )
            .args(checkrein_settings::arguments())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Serves until the client leaves or the user stops it.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let prepared = prepare(&arguments.matches);
    let (settings, catalog) = prepared.inspect_err(|_| hear_out())?;
    let runtime = until::runtime()?;
    let served = runtime.block_on(serve(settings, catalog));
    // A read of standard input may still be under way, and cannot be called off.
    runtime.shutdown_background();
    served
}

fn prepare(matches: &ArgMatches) -> Result<(ServeSettings, Catalog), Failure> {
    let name = matches.get_one::<String>(TRANSPORT).map_or("stdio", String::as_str);
    let transport = Transport::parse(name).map_err(Failure::usage)?;
    let settings = read(matches, transport)?;
    if transport == Transport::Http {
        return Err(Failure::new("`serve http` is not part of this version")
            .hint("use `checkrein serve stdio`"));
    }
    let catalog = catalog(&settings)?;
    Ok((settings, catalog))
}

/// Takes the first message of a client before leaving without an answer.
///
/// It was sent before anybody could know that there is no server. Were the pipe gone by then, many
/// clients would show their user that, and not what we have to say.
fn hear_out() {
    if io::stdin().is_terminal() {
        return;
    }
    let (heard, hearing) = sync_channel(1);
    thread::spawn(move || {
        let read = io::stdin().read(&mut [0; 64 * 1024]);
        let _ = heard.send(read.is_ok());
    });
    let _ = hearing.recv_timeout(LONGEST_HEARING);
}

fn read(matches: &ArgMatches, transport: Transport) -> Result<ServeSettings, Failure> {
    let sources = Sources::collect(matches).map_err(Failure::new)?;
    logging::start(log_level(&sources));
    let (settings, notices) = ServeSettings::read(&sources, transport, matches.get_flag(SANDBOX));
    for notice in notices {
        complain(&format!("notice: {notice}"));
    }
    settings.map_err(Failure::new)
}

fn catalog(settings: &ServeSettings) -> Result<Catalog, Failure> {
    let (catalog, problems) = shipped::with_directories(&settings.catalog_dirs);
    for problem in problems {
        complain(&format!("skipped: {problem}"));
    }
    let chosen = settings.toolsets.as_deref().unwrap_or_default();
    let (catalog, missing) = toolsets::choose(&catalog, chosen)
        .map_err(|error| Failure::new(format!("HARNESS_TOOLSETS: {error}")))?;
    for name in missing {
        complain(&format!(
            "notice: HARNESS_TOOLSETS: toolset `{name}` is not part of this version"
        ));
    }
    Ok(catalog)
}

async fn serve(mut settings: ServeSettings, catalog: Catalog) -> Result<(), Failure> {
    let stopped = until::stopped();
    let running = if settings.sandbox {
        let running = sandbox::embedded(&catalog).await?;
        sandbox::point_at(&running, &mut settings)?;
        Some(running)
    } else {
        None
    };
    let tools = tools(&settings, catalog)?;
    let served = stdio(tools, stopped).await;
    if let Some(running) = running {
        running.stop().await;
    }
    served
}

async fn stdio(tools: Tools, stopped: CancellationToken) -> Result<(), Failure> {
    let tools: Arc<dyn ToolSet> = Arc::new(tools);
    serve_stdio(tools, stopped).await.map_err(Failure::new)
}

/// The tools over the account that the settings name.
pub(crate) fn tools(settings: &ServeSettings, catalog: Catalog) -> Result<Tools, Failure> {
    let key = settings.api_key.as_ref().map_or("", |key| key.reveal());
    let base_url = settings.base_url.as_str().trim_end_matches('/').to_owned();
    let client = Client::new(ClientOptions {
        base_url: base_url.clone(),
        account: settings.account.clone(),
        credential: Secret::new(key),
        timeout: settings.api_timeout,
        max_retries: settings.max_retries,
        rate_per_second: settings.rate_limit_rps,
        log_bodies: settings.log_unsafe_bodies,
    })
    .map_err(Failure::new)?;
    let options = ToolOptions {
        defaults: Defaults {
            account: settings.account.clone(),
            org: settings.org.clone(),
            project: settings.project.clone(),
        },
        base_url,
        read_only: settings.read_only,
        auto_approve: auto_approve(settings.auto_approve),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    Ok(Tools::new(catalog, client, options))
}

fn auto_approve(upto: AutoApprove) -> checkrein_tools::AutoApprove {
    use checkrein_catalog::model::Risk;
    use checkrein_tools::AutoApprove as Approve;

    match upto {
        AutoApprove::Nothing => Approve::None,
        AutoApprove::LowWrite => Approve::UpTo(Risk::LowWrite),
        AutoApprove::MediumWrite => Approve::UpTo(Risk::MediumWrite),
        AutoApprove::HighWrite => Approve::UpTo(Risk::HighWrite),
        AutoApprove::Everything => Approve::All,
    }
}
