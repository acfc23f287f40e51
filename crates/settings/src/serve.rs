//! What `serve` is told.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::reader::Reader;
use crate::setting::Effect;
use crate::sources::Sources;
use crate::table::{self, ALL};
use crate::{Notice, Problem, Problems, Secret, account};

/// How clients reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Over standard input and output.
    Stdio,
    /// Over HTTP.
    Http,
}

impl Transport {
    /// The transport of a name.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn parse(name: &str) -> Result<Self, Problem> {
        match name {
            "stdio" => Ok(Self::Stdio),
            "http" => Ok(Self::Http),
            _ => Err(Problem::new("transport", format!("`{name}` is not one of stdio, http"))),
        }
    }
}

/// The highest risk that runs without confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoApprove {
    /// Nothing does.
    Nothing,
    /// Up to `low_write`.
    LowWrite,
    /// Up to `medium_write`.
    MediumWrite,
    /// Up to `high_write`.
    HighWrite,
    /// Everything does.
    Everything,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Everything useful when something is wrong.
    Debug,
    /// What happens.
    Info,
    /// What should not happen.
    Warn,
    /// What failed.
    Error,
}

/// Everything the server needs to start.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    /// How clients reach it.
    pub transport: Transport,
    /// Whether the embedded platform is served instead of a real account.
    pub sandbox: bool,
    /// Whom to act as; always there unless the sandbox is served.
    pub api_key: Option<Secret>,
    /// The account; empty when the sandbox is served and none is named.
    pub account: String,
    /// Where the platform is.
    pub base_url: Url,
    /// The organization used when a call names none.
    pub org: Option<String>,
    /// The project used when a call names none.
    pub project: Option<String>,
    /// The toolset filter as it was written.
    pub toolsets: Option<String>,
    /// Whether writes are refused.
    pub read_only: bool,
    /// What runs without confirmation.
    pub auto_approve: AutoApprove,
    /// How long one request may take.
    pub api_timeout: Duration,
    /// How often a request is repeated.
    pub max_retries: u32,
    /// How many requests a second at most.
    pub rate_limit_rps: u32,
    /// Directories with resource files of the user's own.
    pub catalog_dirs: Vec<PathBuf>,
    /// How much is logged.
    pub log_level: LogLevel,
    /// Whether debug logs show bodies.
    pub log_unsafe_bodies: bool,
}

impl ServeSettings {
    /// Reads everything, and says what the user has to know even when it works.
    ///
    /// # Errors
    /// With every problem there is.
    pub fn read(
        sources: &Sources,
        transport: Transport,
        sandbox: bool,
    ) -> (Result<Self, Problems>, Vec<Notice>) {
        let mut reader = Reader::new(sources);
        for setting in ALL.iter().filter(|setting| setting.effect != Effect::Works) {
            reader.check(setting);
        }
        check_mode(&mut reader, transport);
        check_effects(&mut reader);
        let api_key = reader.secret(&table::API_KEY);
        let base_url = reader.url(&table::BASE_URL);
        let account = read_account(&mut reader, api_key.as_ref(), sandbox);
        let settings = base_url.map(|base_url| Self {
            transport,
            sandbox,
            account,
            base_url,
            org: renamed(&mut reader, &table::ORG, &table::DEFAULT_ORG_ID),
            project: renamed(&mut reader, &table::PROJECT, &table::DEFAULT_PROJECT_ID),
            toolsets: reader.text(&table::TOOLSETS),
            read_only: reader.switch(&table::READ_ONLY),
            auto_approve: auto_approve(&mut reader),
            api_timeout: Duration::from_secs_f64(reader.number(&table::API_TIMEOUT_MS) / 1000.0),
            max_retries: whole(reader.number(&table::MAX_RETRIES)),
            rate_limit_rps: whole(reader.number(&table::RATE_LIMIT_RPS)),
            catalog_dirs: reader.directories(&table::CATALOG_DIR),
            log_level: level(reader.word(&table::LOG_LEVEL)),
            log_unsafe_bodies: reader.switch(&table::LOG_UNSAFE_BODIES),
            api_key,
        });
        let Reader { mut problems, notices, .. } = reader;
        problems.sort_by_key(|problem| position(&problem.setting));
        problems.dedup();
        let result = match settings {
            Some(settings) if problems.is_empty() => Ok(settings),
            _ => Err(Problems(problems)),
        };
        (result, notices)
    }
}

/// How much to log, read before anything else and forgiving.
pub fn log_level(sources: &Sources) -> LogLevel {
    level(Reader::new(sources).word(&table::LOG_LEVEL))
}

/// In the order of the table, so that a list of problems reads like the reference.
fn position(variable: &str) -> usize {
    ALL.iter().position(|setting| setting.variable == variable).unwrap_or(usize::MAX)
}

fn check_mode(reader: &mut Reader<'_>, transport: Transport) {
    if reader.word(&table::MCP_MODE) != Some("multi-user") {
        return;
    }
    if transport == Transport::Stdio {
        let text = "`multi-user` needs `serve http`: a client on standard input is one user";
        reader.problem(&table::MCP_MODE, text);
    }
    for key in [&table::API_KEY, &table::FME_API_KEY] {
        if reader.secret(key).is_some() {
            reader.problem(key, "must not be set in multi-user mode: every session brings its own");
        }
    }
}

/// Says which settings are there for nothing, where somebody may expect something.
fn check_effects(reader: &mut Reader<'_>) {
    if reader.word(&table::SEARCH_PROVIDER) == Some("remote")
        && reader.text(&table::SEARCH_SERVICE_URL).is_none()
    {
        let url = table::SEARCH_SERVICE_URL.variable;
        reader.notice(format!("{url} is not set, so there is no remote search"));
    }
    if reader.text(&table::OTLP_ENDPOINT).is_some() {
        let variable = table::OTLP_ENDPOINT.variable;
        reader.notice(format!("{variable} has no effect: this version exports no traces"));
    }
}

fn read_account(reader: &mut Reader<'_>, key: Option<&Secret>, sandbox: bool) -> String {
    let named = reader.text(&table::ACCOUNT_ID);
    let multi_user = reader.text(&table::MCP_MODE).as_deref() == Some("multi-user");
    if sandbox || multi_user {
        return named.unwrap_or_default();
    }
    let Some(key) = key else {
        let text = "is not set; create a key in the platform's user profile, or use `--sandbox` \
                    to try without one";
        reader.problem(&table::API_KEY, text);
        return named.unwrap_or_default();
    };
    if let Some(named) = named {
        return named;
    }
    let Some(account) = account::of_key(key.reveal()) else {
        let text = format!(
            "is not set, and `{}` is not of the form `pat.<account>.<id>.<secret>` that would name it",
            table::API_KEY.variable
        );
        reader.problem(&table::ACCOUNT_ID, text);
        return String::new();
    };
    account.to_owned()
}

/// A setting that had another name; the old one still counts, and is spoken of.
fn renamed(
    reader: &mut Reader<'_>,
    new: &crate::setting::Setting,
    old: &crate::setting::Setting,
) -> Option<String> {
    if let Some(value) = reader.text(new) {
        return Some(value);
    }
    let value = reader.text(old)?;
    reader.notice(format!("{} is deprecated, use {} instead", old.variable, new.variable));
    Some(value)
}

fn auto_approve(reader: &mut Reader<'_>) -> AutoApprove {
    let new = &table::AUTO_APPROVE_RISK;
    let old = &table::SKIP_ELICITATION;
    if reader.text(new).is_none() && reader.switch(old) {
        let text = format!("{} is deprecated, use {}=all instead", old.variable, new.variable);
        reader.notice(text);
        return AutoApprove::Everything;
    }
    match reader.word(new) {
        Some("low_write") => AutoApprove::LowWrite,
        Some("medium_write") => AutoApprove::MediumWrite,
        Some("high_write") => AutoApprove::HighWrite,
        Some("all") => AutoApprove::Everything,
        _ => AutoApprove::Nothing,
    }
}

fn level(word: Option<&str>) -> LogLevel {
    match word {
        Some("debug") => LogLevel::Debug,
        Some("warn") => LogLevel::Warn,
        Some("error") => LogLevel::Error,
        _ => LogLevel::Info,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the table keeps the number whole and between its limits"
)]
fn whole(number: f64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests;
