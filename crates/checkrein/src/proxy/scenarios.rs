//! Scenarios by name or file, listed and checked.

use std::fs;
use std::path::Path;

use checkrein_chaos::scenario::{self, Scenario};
use checkrein_chaos::{Shape, Transport};

use crate::failure::Failure;
use crate::terminal::{complain, say};

/// No scenario is larger.
const MAX_BYTES: u64 = 64 << 10;

/// The built-in scenario of this name, or the one in this file.
pub(super) fn find(name: &str) -> Result<Scenario, Failure> {
    let is_file = name.contains('/') || name.ends_with(".yaml") || name.ends_with(".yml");
    if is_file {
        return read(Path::new(name)).map_err(|problems| {
            problems.iter().for_each(|problem| complain(problem));
            Failure::new(format!("`{name}` is no scenario that can be run"))
        });
    }
    let known = Scenario::built_in();
    let names: Vec<_> = known.iter().map(|scenario| scenario.name.as_str()).collect();
    if let Some(found) = known.iter().find(|scenario| scenario.name == name) {
        return Ok(found.clone());
    }
    let failure = Failure::new(format!("`{name}` is no scenario: there are {}", names.join(", ")));
    Err(match scenario::nearest(name, names.iter().copied()) {
        Some(nearest) => failure.hint(format!("did you mean {nearest}?")),
        None => failure.hint("a file of your own is named by a path with a `/`"),
    })
}

/// Checks a scenario file, and says everything that is wrong with it.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    let text = load(path).map_err(Failure::new)?;
    match parse(&text, path) {
        Ok(scenario) => {
            say(&format!("{}: `{}` can be run", path.display(), scenario.name));
            Ok(())
        }
        Err(problems) => {
            problems.iter().for_each(|problem| complain(problem));
            let count = problems.len();
            let what =
                if count == 1 { "1 problem".to_owned() } else { format!("{count} problems") };
            Err(Failure::new(format!("`{}` has {what}", path.display())))
        }
    }
}

fn read(path: &Path) -> Result<Scenario, Vec<String>> {
    let text = load(path).map_err(|why| vec![why])?;
    parse(&text, path)
}

fn load(path: &Path) -> Result<String, String> {
    let failed = |why: String| format!("failed to read scenario `{}`: {why}", path.display());
    let size = fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if size > MAX_BYTES {
        return Err(failed(format!("it is larger than {MAX_BYTES} bytes")));
    }
    fs::read_to_string(path).map_err(|error| failed(error.to_string()))
}

fn parse(text: &str, path: &Path) -> Result<Scenario, Vec<String>> {
    let shown = path.display();
    scenario::read(text)
        .map_err(|problems| problems.iter().map(|problem| format!("{shown}:{problem}")).collect())
}

/// Prints what there is to try.
pub(super) fn list() -> Result<(), Failure> {
    let known = Scenario::built_in();
    let width = known.iter().map(|scenario| scenario.name.len()).max().unwrap_or_default();
    for scenario in &known {
        say(&format!("{:<width$}  {}", scenario.name, scenario.about));
        for (what, about) in details(scenario) {
            say(&format!("{:<width$}    {what:<18} {about}", ""));
        }
    }
    Ok(())
}

/// What an agent sees of it, what it tells apart, how it is counted, and where it has no sense.
pub(super) fn details(scenario: &Scenario) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (shape, seen) in shapes(scenario) {
        let only = match (shape.is_on(Transport::Stdio), shape.is_on(Transport::Http)) {
            (true, false) => " (stdio only)",
            (false, true) => " (HTTP only)",
            _ => "",
        };
        lines.push((format!("--shape {}", shape.name()), format!("{seen}{only}")));
    }
    let tells = scenario.tells.as_ref().map(|tells| ("worth".to_owned(), tells.clone()));
    let verdict = scenario.verdict.as_ref().map(|verdict| ("verdict".to_owned(), verdict.clone()));
    lines.extend(tells.into_iter().chain(verdict));
    for (transport, name) in
        [(Transport::Stdio, "with a program"), (Transport::Http, "with --upstream-url")]
    {
        let why = scenario.why_not_on(transport);
        lines.extend(why.map(|why| (format!("not {name}"), why.to_owned())));
    }
    lines
}

/// The shapes that any transport has, each once.
fn shapes(scenario: &Scenario) -> Vec<(Shape, &'static str)> {
    let on = |transport| scenario.shapes(transport);
    let further =
        on(Transport::Http).into_iter().filter(|(shape, _)| !shape.is_on(Transport::Stdio));
    on(Transport::Stdio).into_iter().chain(further).collect()
}
