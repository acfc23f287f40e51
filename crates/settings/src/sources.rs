//! Where values come from: the command line, the environment, a file. In this order.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches};

use crate::env_file;
use crate::setting::{Effect, Kind, Setting};
use crate::table::ALL;
use crate::{EnvFileError, Notice};

/// The flag that names a file of variables.
const ENV_FILE: &str = "env-file";

/// The values a command was started with.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// What the flags say, by variable.
    pub flags: BTreeMap<&'static str, Vec<String>>,
    /// The environment.
    pub environment: BTreeMap<String, String>,
    /// The file of variables; the environment wins over it.
    pub file: BTreeMap<String, String>,
}

impl Sources {
    /// Collects everything: flags, the process environment, and `--env-file` or `.env`.
    ///
    /// # Errors
    /// When a file was named and cannot be read; a `.env` that is not there is none.
    pub fn collect(matches: &ArgMatches) -> Result<Self, EnvFileError> {
        let file = match matches.get_one::<PathBuf>(ENV_FILE) {
            Some(path) => env_file::read(path)?,
            None => env_file::read(".env".as_ref()).unwrap_or_default(),
        };
        // A variable that is not Unicode is none of ours.
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Ok(Self { flags: given(matches), environment, file })
    }

    /// The value of a setting as it was given.
    pub(crate) fn value(&self, setting: &Setting) -> Option<&str> {
        if let Some(value) = self.flags.get(setting.variable).and_then(|values| values.last()) {
            return Some(value);
        }
        self.environment
            .get(setting.variable)
            .or_else(|| self.file.get(setting.variable))
            .map(String::as_str)
    }

    /// Variables that look like a misspelt one; `HARNESS_READONLY` must not go unnoticed.
    pub(crate) fn misspelt(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        for name in self.environment.keys().chain(self.file.keys()) {
            let is_known = ALL.iter().any(|setting| setting.variable == name);
            if is_known || !name.starts_with("HARNESS_") {
                continue;
            }
            let near = ALL
                .iter()
                .map(|setting| setting.variable)
                .find(|known| strsim::damerau_levenshtein(known, name) <= MOST_TYPOS);
            if let Some(near) = near {
                notices.push(Notice(format!("unknown variable `{name}`, did you mean `{near}`?")));
            }
        }
        notices
    }
}

/// Harness pipelines set many variables of their own; only a near miss is a mistake.
const MOST_TYPOS: usize = 2;

/// The flags of `serve`, made from the table.
pub fn arguments() -> Vec<Arg> {
    let mut arguments: Vec<_> = ALL.iter().filter_map(|setting| argument(setting)).collect();
    arguments.push(
        Arg::new(ENV_FILE)
            .long(ENV_FILE)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("Read variables from this file; those already set win [default: .env]"),
    );
    arguments
}

fn argument(setting: &'static Setting) -> Option<Arg> {
    let flag = setting.flag?;
    let argument = Arg::new(setting.variable)
        .long(flag)
        .help(help(setting))
        .help_heading(setting.group.title())
        .hide(setting.effect != Effect::Works);
    Some(match setting.kind {
        Kind::Switch => argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_name("BOOL"),
        Kind::Directories => argument.action(ArgAction::Append).value_name("DIR"),
        Kind::Number(_) | Kind::Port => argument.value_name("N").allow_negative_numbers(true),
        Kind::Url => argument.value_name("URL"),
        Kind::OneOf { words, .. } => argument.value_name(words.join("|")),
        _ => argument.value_name("TEXT"),
    })
}

fn help(setting: &Setting) -> String {
    let about = setting.about.trim_end_matches('.');
    match setting.default {
        Some(default) => format!("{about} [env: {}] [default: {default}]", setting.variable),
        None => format!("{about} [env: {}]", setting.variable),
    }
}

/// What the flags say, by variable.
pub fn given(matches: &ArgMatches) -> BTreeMap<&'static str, Vec<String>> {
    let mut given = BTreeMap::new();
    for setting in ALL.iter().filter(|setting| setting.flag.is_some()) {
        if let Some(values) = matches.get_many::<String>(setting.variable) {
            given.insert(setting.variable, values.cloned().collect());
        }
    }
    given
}
