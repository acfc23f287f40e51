//! `checkrein doctor`: looks at everything a run of the proxy depends on, and calls no tool.

mod clients;
mod conversation;
mod entry;
mod habits;
mod places;
mod sheet;
mod tools;
mod upstream;
mod url;

use checkrein_chaos::Config;
use checkrein_chaos::http::To;
use checkrein_chaos::review::{Level, review};
use clap::Args;

use self::entry::Sought;
use self::sheet::Sheet;
use self::upstream::{NoVisit, Visit};
use crate::failure::Failure;
use crate::terminal::say;
use crate::{proxy, until};

/// What `--help` ends with.
pub(crate) const AFTER_HELP: &str = "A whole command line of `proxy` can be given: its flags for \
    faults are checked, and do nothing here.\n\nExit status: 0 nothing stands in the way, 1 a \
    problem makes a run impossible, 2 the command line makes no sense";
/// The flags of `proxy` that have no effect here.
const WITHOUT_EFFECT: [&str; 10] = [
    "scenario",
    "shape",
    "mode",
    "error_rate",
    "seed",
    "retry_after",
    "allow_writes",
    "audit_tools",
    "fail_on",
    "expect",
];
/// Those that are refused here.
const REFUSED: [&str; 2] = ["list_scenarios", "check_scenario"];

/// Leaves out of the help what means nothing to this command.
pub(crate) fn without_faults(flag: clap::Arg) -> clap::Arg {
    let name = flag.get_id().as_str();
    let is_hidden = WITHOUT_EFFECT.contains(&name) || REFUSED.contains(&name);
    if is_hidden { flag.hide(true) } else { flag }
}

/// Looks at the upstream, its tools, the places for the report and the agents' configurations, and
/// says what stands in the way of a run. Takes what `proxy` takes; calls no tool.
// Without a group: that of the proxy's flags has the same name.
#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct Arguments {
    #[command(flatten)]
    proxy: proxy::Arguments,
    /// A client to tell of even when no configuration of it is found; may be given many times
    #[arg(long, value_name = "NAME", value_parser = habits::parser())]
    client: Vec<&'static habits::Habits>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Looks at everything, and fails when something makes a run impossible.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let asks_for_more = arguments.proxy.list_scenarios || arguments.proxy.check_scenario.is_some();
    if asks_for_more {
        return Err(Failure::usage("--list-scenarios and --check-scenario go with `proxy` only"));
    }
    let upstream = arguments.proxy.upstream().map_err(Failure::into_usage)?;
    arguments.proxy.listen().map_err(Failure::into_usage)?;
    let plan = proxy::refusal::check(&arguments.proxy).map_err(Failure::into_usage)?;
    let probes = proxy::refusal::probes(&arguments.proxy).map_err(Failure::into_usage)?;
    let config = arguments.proxy.config(plan, probes);

    let mut sheet = Sheet::default();
    match &upstream {
        To::Command(command) => note(until_over(upstream::visit(command))?, &config, &mut sheet),
        To::Url(address) => note(until_over(url::visit(address.clone()))?, &config, &mut sheet),
    }
    sheet.section("places", places::findings(&arguments.proxy));
    let sought = match &upstream {
        To::Command(command) => Sought::Program(command),
        To::Url(_) => Sought::Url(arguments.proxy.upstream_url.as_deref().unwrap_or_default()),
    };
    let wanted = clients::Wanted { upstream: sought, start: sheet.start, named: &arguments.client };
    sheet.section("clients", clients::findings(&wanted));
    say(&if arguments.json { sheet.to_json() } else { sheet.to_text() });
    match sheet.count(Level::Problem) {
        0 => Ok(()),
        1 => Err(Failure::new("1 problem makes a run impossible")),
        count => Err(Failure::new(format!("{count} problems make a run impossible"))),
    }
}

fn until_over<T>(visit: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = until::runtime()?;
    let visit = runtime.block_on(visit);
    runtime.shutdown_background();
    Ok(visit)
}

/// Puts down what the upstream said of itself.
fn note(visit: Result<Visit, NoVisit>, config: &Config, sheet: &mut Sheet) {
    sheet.section("upstream", upstream::findings(&visit));
    let Ok(visit) = visit else { return };
    sheet.start = Some(visit.start);
    sheet.tools = tools::classes(&visit.tools, &config.patterns);
    sheet.section("tools", tools::findings(&sheet.tools, &config.probes));
    let definitions = tools::definitions(&visit.tools);
    sheet.section("schemas", review(&definitions, &config.patterns, &config.keys));
}
