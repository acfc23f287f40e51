//! What `proxy` is told.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use checkrein_chaos::classify::{Patterns, READ_PREFIXES, default_write_list};
use checkrein_chaos::http::{Address, To};
use checkrein_chaos::stdio::Command;
use checkrein_chaos::{Config, Plan, Probe, Shape, Transport};
use checkrein_ledger::{KeyFields, Start};
use checkrein_verdict::Verdict;
use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::{Args, ValueEnum};

use super::upstream_headers;
use crate::failure::Failure;

/// Relays between an agent and an MCP server, injects faults on writes, and judges the agent by
/// what the server really carried out.
#[derive(Args, Debug)]
#[command(after_help = classes_help())]
pub(crate) struct Arguments {
    /// The upstream MCP server's URL, when it speaks Streamable HTTP
    #[arg(long, value_name = "URL", value_parser = NonEmpty::new())]
    pub(crate) upstream_url: Option<String>,
    /// A header field for each request to it, in place of what the agent sends under that name; may
    /// be given many times
    #[arg(long, value_name = "NAME: VALUE", value_parser = NonEmpty::new())]
    pub(crate) upstream_header: Vec<String>,
    /// The same with the value of an environment variable, so that no secret is on the command
    /// line; may be given many times
    #[arg(long, value_name = "NAME=VARIABLE", value_parser = NonEmpty::new())]
    pub(crate) upstream_header_env: Vec<String>,
    /// Where agents connect over Streamable HTTP, as PORT or HOST:PORT, at the path of the
    /// upstream's URL; port 0 takes a free one [default: this process's own pipes]
    #[arg(long, value_name = "HOST:PORT", value_parser = NonEmpty::new())]
    pub(crate) listen: Option<String>,

    /// The program that is the upstream MCP server
    #[arg(long, value_name = "PROGRAM", value_parser = NonEmpty::new())]
    pub(crate) upstream_command: Option<String>,
    /// One argument for it, commas and all; may be given many times
    #[arg(long, value_name = "ARG", value_parser = NonEmpty::new())]
    pub(crate) upstream_arg: Vec<String>,
    /// Arguments for it, separated by commas; they come before every --upstream-arg
    #[arg(long, value_name = "ARG,ARG", value_parser = NonEmpty::new())]
    pub(crate) upstream_args: Option<String>,
    /// The directory it runs in
    #[arg(long, value_name = "DIR", value_parser = NonEmpty::new())]
    pub(crate) upstream_cwd: Option<String>,
    /// One variable for it, commas and all; may be given many times
    #[arg(long, value_name = "KEY=VALUE", value_parser = NonEmpty::new())]
    pub(crate) upstream_env_var: Vec<String>,
    /// Variables for it, separated by commas
    #[arg(long, value_name = "KEY=VALUE,KEY=VALUE", value_parser = NonEmpty::new())]
    pub(crate) upstream_env: Option<String>,

    /// The scenario to try, by name, or a file of your own: a path with a `/` in it or ending in
    /// `.yaml`; needs --allow-writes
    #[arg(long, value_name = "NAME|FILE", value_parser = NonEmpty::new())]
    pub(crate) scenario: Option<String>,
    /// The shape its fault takes on the wire [default: the scenario's own, mostly `soft`]
    #[arg(long, value_parser = shape_parser())]
    pub(crate) shape: Option<Shape>,
    /// `deterministic` for the scenario alone, `chaos` for random errors on any call [default:
    /// deterministic]
    #[arg(long, value_name = "MODE", value_parser = NonEmpty::new())]
    pub(crate) mode: Option<String>,
    /// In mode `chaos`: the probability of an error, 0 to 1 [default: 0]
    #[arg(long, value_name = "P", value_parser = NonEmpty::new())]
    pub(crate) error_rate: Option<String>,
    /// In mode `chaos`: repeats the draws of an earlier run
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// With F2 and `unavailable`: how long the agent is asked to wait, in seconds [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = NonEmpty::new())]
    pub(crate) retry_after: Option<String>,
    /// Says that the upstream may be written to while faults are injected
    #[arg(long)]
    pub(crate) allow_writes: bool,

    /// Tools that write, as globs separated by commas; replaces the default names
    #[arg(long, value_name = "GLOB,GLOB", value_parser = NonEmpty::new())]
    pub(crate) write_tools: Option<String>,
    /// Tools that read, as globs separated by commas; added to the default prefixes
    #[arg(long, value_name = "GLOB,GLOB", value_parser = NonEmpty::new())]
    pub(crate) read_tools: Option<String>,
    /// Arguments that are idempotency keys, separated by commas [default: idempotency_key]
    #[arg(long, value_name = "NAME,NAME", value_parser = NonEmpty::new())]
    pub(crate) key_fields: Option<String>,
    /// The arguments that alone make an operation of a tool; may be given many times
    #[arg(long, value_name = "TOOL=FIELD,FIELD", value_parser = NonEmpty::new())]
    pub(crate) operation_key: Vec<String>,
    /// How often one operation of a tool is meant to be executed; may be given many times
    #[arg(long, value_name = "TOOL=N", value_parser = NonEmpty::new())]
    pub(crate) expect: Vec<String>,

    /// A read that the harness itself makes before and after the agent's writes, so that the
    /// upstream's own state is on record; may be given many times
    #[arg(long, value_name = "TOOL {JSON}", value_parser = NonEmpty::new())]
    pub(crate) probe: Vec<String>,

    /// Where the report goes [default: report.json in the run directory]
    #[arg(long, value_name = "FILE", value_parser = path_parser())]
    pub(crate) report_file: Option<PathBuf>,
    /// The directory of the run; processes of one run share it [default: a new one]
    #[arg(long, value_name = "DIR", value_parser = path_parser())]
    pub(crate) run_dir: Option<PathBuf>,
    /// Offers the agent two tools to look at the report; turn them off to measure
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub(crate) audit_tools: Switch,
    /// Exit with 3 when the run ends like this
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(crate) fail_on: Option<FailOn>,
    /// List the scenarios and shapes, and what an agent sees of each
    #[arg(long)]
    pub(crate) list_scenarios: bool,
    /// Check a scenario file of your own, and do nothing else
    #[arg(long, value_name = "FILE", value_parser = path_parser())]
    pub(crate) check_scenario: Option<PathBuf>,

    /// The upstream in short: -- PROGRAM ARG...
    #[arg(last = true, value_name = "PROGRAM")]
    pub(crate) upstream: Vec<OsString>,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// When a run's verdict makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// The verdict is FAIL
    Fail,
    /// The verdict is FAIL or NOT_TESTED
    NotTested,
}

impl FailOn {
    /// Whether this verdict is one to fail on.
    pub(crate) fn is_reached(self, verdict: Verdict) -> bool {
        match self {
            Self::Fail => verdict == Verdict::Fail,
            Self::NotTested => verdict != Verdict::Pass,
        }
    }
}

/// The shapes, by name.
fn shape_parser() -> impl clap::builder::TypedValueParser<Value = Shape> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
    let known = Shape::ALL.map(|shape| PossibleValue::new(shape.name()).help(shape.about()));
    PossibleValuesParser::new(known)
        .map(|name| Shape::ALL.into_iter().find(|shape| shape.name() == name).unwrap_or_default())
}

/// A path that is not empty; it need not be text.
fn path_parser() -> impl clap::builder::TypedValueParser<Value = PathBuf> {
    use clap::builder::TypedValueParser;
    NonEmpty::new().map(PathBuf::from)
}

fn classes_help() -> String {
    format!(
        "A tool's class is, in this order: --write-tools and --read-tools; its MCP annotations; \
         its name.\nNames that write: {}\nNames that read begin with: {}",
        default_write_list(),
        READ_PREFIXES.join(" ")
    )
}

/// `a,b` as its parts, none of them empty.
pub(crate) fn parts(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

impl Arguments {
    /// How the agent is joined to the proxy.
    pub(crate) fn transport(&self) -> Transport {
        if self.listen.is_some() { Transport::Http } else { Transport::Stdio }
    }

    /// Where agents connect, unless it is this process's own pipes.
    pub(crate) fn listen(&self) -> Result<Option<SocketAddr>, Failure> {
        let Some(text) = &self.listen else { return Ok(None) };
        let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
        let host = if host == "localhost" { "127.0.0.1" } else { host };
        let address = format!("{host}:{port}").parse();
        address.map(Some).map_err(|_| {
            Failure::new(format!("`{text}` is no address to listen on"))
                .hint("--listen takes PORT, or HOST:PORT with an IP address or `localhost`")
        })
    }

    /// Where the upstream is.
    pub(crate) fn upstream(&self) -> Result<To, Failure> {
        let Some(url) = &self.upstream_url else {
            return match (self.upstream_header.first(), self.upstream_header_env.first()) {
                (None, None) => self.command().map(To::Command),
                (Some(_), _) => {
                    Err(Failure::new("--upstream-header goes with --upstream-url only"))
                }
                (None, Some(_)) => {
                    Err(Failure::new("--upstream-header-env goes with --upstream-url only"))
                }
            };
        };
        if self.upstream_command.is_some() || !self.upstream.is_empty() {
            return Err(Failure::new("the upstream is named twice")
                .hint("use either --upstream-url or a program"));
        }
        let address = Address::read(url);
        let address = address.map_err(|why| Failure::new(why).hint("see --upstream-url"))?;
        upstream_headers::add(address, &self.upstream_header, &self.upstream_header_env)
            .map(To::Url)
    }

    /// How to start the upstream.
    pub(crate) fn command(&self) -> Result<Command, Failure> {
        if let Some(directory) = self.upstream_cwd.as_ref().map(Path::new)
            && !directory.is_dir()
        {
            let shown = directory.display();
            return Err(Failure::new(format!("`{shown}` in --upstream-cwd is no directory"))
                .hint("name one that exists; the upstream is started in it"));
        }
        let mut command = Command {
            directory: self.upstream_cwd.as_ref().map(PathBuf::from),
            ..Command::default()
        };
        let listed = self.upstream_env.as_deref().map(parts).unwrap_or_default();
        for variable in listed.iter().chain(&self.upstream_env_var) {
            let (name, value) = pair(variable, "--upstream-env-var", "KEY=VALUE")?;
            command.environment.push((name.into(), value.into()));
        }
        let listed = self.upstream_args.as_deref().map(parts).unwrap_or_default();
        command.arguments = listed.iter().chain(&self.upstream_arg).map(OsString::from).collect();
        match (&self.upstream_command, self.upstream.split_first()) {
            (Some(program), None) => command.program = program.into(),
            (None, Some((program, arguments))) if command.arguments.is_empty() => {
                command.program.clone_from(program);
                command.arguments = arguments.to_vec();
            }
            (None, None) => {
                return Err(Failure::new("no upstream is named")
                    .hint("put `-- PROGRAM ARG...` at the end, or use --upstream-command or --upstream-url"));
            }
            _ => {
                return Err(Failure::new("the upstream is named twice")
                    .hint("use either `-- PROGRAM ARG...` or the --upstream flags"));
            }
        }
        Ok(command)
    }

    /// What the engine is told.
    pub(crate) fn config(&self, plan: Plan, probes: Vec<Probe>) -> Config {
        let keys = self.key_fields.as_deref().map(parts);
        Config {
            plan,
            patterns: Patterns {
                write: self.write_tools.as_deref().map(parts),
                read: self.read_tools.as_deref().map(parts).unwrap_or_default(),
            },
            keys: keys.map_or_else(KeyFields::default, |keys| {
                KeyFields::new(keys.iter().map(String::as_str))
            }),
            operation_keys: self
                .operation_key
                .iter()
                .filter_map(|declared| declared.split_once('='))
                .map(|(tool, fields)| (tool.to_owned(), parts(fields)))
                .collect(),
            audit_tools: self.audit_tools == Switch::On,
            probes,
        }
    }

    /// What the ledger says of the set-up.
    pub(crate) fn start(&self, plan: &Plan) -> Start {
        let mut start = Start {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            expect: self
                .expect
                .iter()
                .filter_map(|declared| declared.split_once('='))
                .filter_map(|(tool, times)| Some((tool.to_owned(), times.parse().ok()?)))
                .collect(),
            ..Start::default()
        };
        match plan {
            Plan::Watch => {}
            Plan::Scenario(scenario) => {
                start.scenario = Some(scenario.name.clone());
                start.shape = scenario.rules.first().map(|rule| rule.shape.name().to_owned());
                start.faults = scenario.rules.iter().map(|rule| rule.kind.id.to_owned()).collect();
                start.retry_after_s = scenario.retry_after().map(|wait| wait.as_secs());
                let is_new = |(tool, _): &&(String, u64)| {
                    !start.expect.iter().any(|(declared, _)| declared == tool)
                };
                let of_its_own: Vec<_> = scenario.expect.iter().filter(is_new).cloned().collect();
                start.expect.extend(of_its_own);
            }
            Plan::Chaos { rate, seed } => {
                start.chaos = true;
                start.error_rate = Some(rate.to_string());
                start.seed = Some(*seed);
            }
        }
        start
    }
}

/// `NAME=VALUE` as its two sides.
pub(crate) fn pair<'a>(
    text: &'a str,
    flag: &str,
    form: &str,
) -> Result<(&'a str, &'a str), Failure> {
    text.split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| Failure::new(format!("`{text}` is no value for {flag}: it takes {form}")))
}
