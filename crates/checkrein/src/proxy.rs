//! `checkrein proxy`: faults between an agent and its upstream, and a verdict.

mod arguments;
mod progress;
pub(crate) mod refusal;
pub(crate) mod run_dir;
mod scenarios;

use checkrein_chaos::stdio::{self, Ending};
use checkrein_report::Target;

pub(crate) use arguments::{Arguments, FailOn, Switch};

use crate::failure::Failure;
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
    let run_dir = run_dir::choose(arguments.run_dir.as_deref())?;
    let report = arguments.report_file.clone().unwrap_or_else(|| run_dir.join("report.json"));
    if arguments.report_file.is_none() {
        run_dir::make(&run_dir)?;
    }
    let target = Target::check(&report).map_err(Failure::new)?;
    let options = stdio::Options {
        command: arguments.command()?,
        run_dir,
        start: arguments.start(&plan),
        config: arguments.config(plan, probes),
    };
    let mut progress = Progress::new(target, arguments);
    let ending = stdio::run(options, &mut progress).map_err(Failure::new)?;
    progress.close(ending);
    match (arguments.fail_on, ending) {
        (
            Some(limit),
            Ending::EndOfInput | Ending::Signal | Ending::UpstreamGone | Ending::Closed,
        ) if limit.is_reached(progress.verdict()) => Err(Failure::verdict(progress.sentence())),
        _ => Ok(()),
    }
}
