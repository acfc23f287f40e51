//! `checkrein proxy`: faults between an agent and its upstream, and a verdict.

mod arguments;
mod lists;
mod progress;
mod reference;
pub(crate) mod refusal;
pub(crate) mod run_dir;
mod scenarios;
mod upstream_headers;

use std::net::SocketAddr;

use checkrein_chaos::http::{self, To};
use checkrein_chaos::stdio::{self, Ending, ProxyError};
use checkrein_report::Target;

pub(crate) use arguments::{Arguments, FailOn, Switch};
pub(crate) use reference::markdown;

use crate::failure::Failure;
use crate::terminal::complain;
use crate::until::asked_to_stop;
use progress::Progress;

/// Relays until one side ends, and leaves a report.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.list_scenarios {
        return scenarios::list();
    }
    if let Some(path) = &arguments.check_scenario {
        return scenarios::check(path);
    }
    let plan = refusal::check(arguments)?;
    let probes = refusal::probes(arguments)?;
    let (listen, upstream) = (arguments.listen()?, arguments.upstream()?);
    let run_dir = run_dir::choose(arguments.run_dir.as_deref())?;
    let report = arguments.report_file.clone().unwrap_or_else(|| run_dir.join("report.json"));
    if arguments.report_file.is_none() {
        run_dir::make(&run_dir)?;
    }
    let target = Target::check(&report).map_err(Failure::new)?;
    let (start, config) = (arguments.start(&plan), arguments.config(plan, probes));
    let mut progress = Progress::new(target, arguments);
    let ending = match (listen, upstream) {
        (None, To::Command(command)) => {
            let options = stdio::Options { command, run_dir, start, config };
            stdio::run(options, &mut progress)
        }
        (listen, upstream) => {
            over_http(http::Options { listen, upstream, run_dir, start, config }, &mut progress)
        }
    };
    let ending = ending.map_err(Failure::new)?;
    progress.close(ending);
    match (arguments.fail_on, ending) {
        (
            Some(limit),
            Ending::EndOfInput | Ending::Signal | Ending::UpstreamGone | Ending::Closed,
        ) if limit.is_reached(progress.verdict()) => Err(Failure::verdict(progress.sentence())),
        _ => Ok(()),
    }
}

/// Relays with HTTP on one side or both, until one side ends or a signal comes.
fn over_http(options: http::Options, progress: &mut Progress) -> Result<Ending, ProxyError> {
    let target = match &options.upstream {
        To::Url(address) => address.target().to_owned(),
        To::Command(_) => "/mcp".to_owned(),
    };
    let ready = |address: SocketAddr| {
        complain(&format!("listening on http://{address}{target}"));
        if !address.ip().is_loopback() {
            complain(
                "warning: whoever reaches this address can call the upstream's tools; listen on \
                 127.0.0.1 unless the agent runs elsewhere",
            );
        }
    };
    http::run(options, progress, ready, asked_to_stop())
}
