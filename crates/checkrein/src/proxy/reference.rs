//! The page `docs/reference/proxy.md`, written from the flags, scenarios and faults themselves.

use std::fmt::Write as _;

use checkrein_chaos::Scenario;
use checkrein_chaos::classify::{READ_PREFIXES, default_write_list};
use checkrein_chaos::faults::{Is, KINDS, Kind, Parameter};
use clap::{Arg, Args, Command};

use super::arguments::Arguments;
use super::scenarios;

/// The whole page.
pub(crate) fn markdown() -> String {
    let mut page = String::from(
        "# checkrein proxy\n\n\
         `checkrein proxy [FLAGS] -- PROGRAM ARG...` stands between an agent and an MCP server, \
         injects faults on the agent's writes, and judges the agent by what the server really \
         carried out.\n\n## Flags\n\n| Flag | |\n|---|---|\n",
    );
    let command = Arguments::augment_args(Command::new("proxy"));
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        page.push_str(&flag(argument));
    }
    let _ = write!(
        page,
        "\nA tool's class is, in this order: `--write-tools` and `--read-tools`; its MCP \
         annotations; its name. Names that write: {}. Names that read begin with: {}.\n",
        words(&default_write_list()),
        words(&READ_PREFIXES.join(" ")),
    );
    page.push_str("\n## Scenarios\n\n`--scenario NAME` runs one of these.\n");
    for scenario in Scenario::built_in() {
        let _ = write!(page, "\n### `{}`\n\n{}.\n\n", scenario.name, first_upper(&scenario.about));
        for (what, about) in scenarios::details(&scenario) {
            let _ = writeln!(page, "- `{what}`: {}", cell(&about));
        }
    }
    page.push_str(FILE);
    page.push_str("\n| Fault | | Counts | `with` |\n|---|---|---|---|\n");
    KINDS.iter().for_each(|kind| page.push_str(&fault(kind)));
    page
}

/// How a scenario file is written.
const FILE: &str = "
## Your own scenario

`--scenario FILE` runs one of your own, `--check-scenario FILE` names everything that is wrong with
it, with line and column.

```yaml
scenario: bookings-get-lost       # its name
about: the second booking of a customer times out
tells: what it tells apart        # may be left out
verdict: how to read the verdict  # may be left out
expect: { create_booking: 1 }     # how often one operation is meant to be executed
rules:                            # of those that strike at one moment, the first that applies
  - on:                           # the agent's writes, unless it says otherwise
      method: tools/call          # any other method takes a fault that withholds the call
      tool: 'create_*'            # a glob
      class: write                # write, read, unclassified or any
      nth: 2                      # from the second such call of the run on
      arguments: { customer: 'Muster*', vip: true }
    fault: ghost-write
    with: { text: 'Gateway timeout' }
    shape: error
    times: 1                      # how many calls it strikes
```

A rule is used up only by a call that it was really applied to, and over all processes that share
the run directory.
";

fn flag(argument: &Arg) -> String {
    let values = argument.get_value_names().unwrap_or_default();
    let value = values.first().filter(|_| argument.get_action().takes_values());
    let value = value.map_or_else(String::new, |value| format!(" {value}"));
    let name = match argument.get_long() {
        Some(long) => format!("--{long}{value}"),
        None => format!("--{value}..."),
    };
    let about = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let possible: Vec<_> = argument
        .get_possible_values()
        .iter()
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    let possible = match possible.as_slice() {
        known if known.is_empty() || !argument.get_action().takes_values() => String::new(),
        known => format!(" One of {}.", known.join(", ")),
    };
    format!("| `{}` | {}.{possible} |\n", cell(&name), cell(about.trim_end_matches('.')))
}

fn fault(kind: &Kind) -> String {
    let takes: Vec<_> = kind.takes.iter().map(parameter).collect();
    format!(
        "| `{}` | {} | {} | {} |\n",
        kind.id,
        cell(kind.about),
        cell(kind.counts),
        takes.join("; ")
    )
}

fn parameter(parameter: &Parameter) -> String {
    let default = match &parameter.is {
        Is::Seconds { default, .. } => format!(" ({})", default.as_secs_f64()),
        Is::Whole { default: Some(default), .. } => format!(" ({default})"),
        Is::Whole { default: None, .. } | Is::Words => String::new(),
    };
    format!("`{}`: {}{default}", parameter.name, cell(parameter.about))
}

fn words(list: &str) -> String {
    list.split(' ').map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn first_upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_flag_scenario_and_fault() {
        let page = markdown();
        let command = Arguments::augment_args(Command::new("proxy"));
        for long in command.get_arguments().filter_map(Arg::get_long) {
            assert!(page.contains(&format!("| `--{long}")), "{long}");
        }
        for name in Scenario::built_in().iter().map(|scenario| &scenario.name) {
            assert!(page.contains(&format!("\n### `{name}`\n")), "{name}");
        }
        for kind in KINDS {
            assert!(page.contains(&format!("| `{}` | {}", kind.id, kind.about)), "{}", kind.id);
        }
    }

    #[test]
    fn the_scenario_on_the_page_can_be_run() {
        let yaml = FILE.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
        let read = checkrein_chaos::scenario::read(yaml);
        assert!(read.is_ok(), "{read:?}");
    }
}
