//! Reads settings one by one and remembers everything that is wrong.

use std::path::PathBuf;

use url::Url;

use crate::setting::{Beyond, Effect, Kind, Number, Setting};
use crate::sources::Sources;
use crate::table;
use crate::{Notice, Problem, Secret, hosts};

/// Reads from some sources.
pub(crate) struct Reader<'a> {
    sources: &'a Sources,
    pub(crate) problems: Vec<Problem>,
    pub(crate) notices: Vec<Notice>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(sources: &'a Sources) -> Self {
        Self { sources, problems: Vec::new(), notices: sources.misspelt() }
    }

    pub(crate) fn problem(&mut self, setting: &Setting, text: impl Into<String>) {
        self.problems.push(Problem::new(setting.variable, text));
    }

    pub(crate) fn notice(&mut self, text: impl Into<String>) {
        self.notices.push(Notice(text.into()));
    }

    /// A text that is set and not empty.
    pub(crate) fn text(&self, setting: &Setting) -> Option<String> {
        self.sources.value(setting).filter(|value| !value.is_empty()).map(str::to_owned)
    }

    pub(crate) fn secret(&self, setting: &Setting) -> Option<Secret> {
        self.text(setting).map(Secret::new)
    }

    pub(crate) fn switch(&self, setting: &Setting) -> bool {
        self.text(setting).is_some_and(|value| {
            ["true", "1", "yes"].iter().any(|on| value.eq_ignore_ascii_case(on))
        })
    }

    pub(crate) fn word(&mut self, setting: &Setting) -> Option<&'static str> {
        let Kind::OneOf { words, refuse_empty } = setting.kind else { return None };
        let default = || words.iter().copied().find(|word| Some(*word) == setting.default);
        let value = match self.sources.value(setting) {
            None => return default(),
            Some("") if !refuse_empty => return default(),
            Some(value) => value.to_owned(),
        };
        let found = words.iter().copied().find(|word| *word == value);
        if found.is_none() {
            let nearest = words
                .iter()
                .max_by(|a, b| {
                    strsim::jaro_winkler(a, &value).total_cmp(&strsim::jaro_winkler(b, &value))
                })
                .filter(|word| strsim::jaro_winkler(word, &value) > 0.8)
                .map(|word| format!(", did you mean `{word}`?"))
                .unwrap_or_default();
            let known = words.join(", ");
            self.problem(setting, format!("`{value}` is not one of {known}{nearest}"));
        }
        found
    }

    pub(crate) fn number(&mut self, setting: &Setting) -> f64 {
        let Kind::Number(limits) = &setting.kind else { return 0.0 };
        let default = setting.default.and_then(|text| text.parse().ok()).unwrap_or(limits.least);
        let value = match self.sources.value(setting) {
            None => return default,
            Some("") if limits.beyond == Beyond::Clamped => return default,
            Some(value) => value.trim().to_owned(),
        };
        match value.parse::<f64>() {
            Ok(number) if number.is_finite() => self.within(setting, limits, number),
            _ => {
                self.problem(setting, format!("`{value}` is not a number"));
                default
            }
        }
    }

    fn within(&mut self, setting: &Setting, limits: &Number, number: f64) -> f64 {
        let Number { least, most, beyond, whole } = *limits;
        let clamped = number.clamp(least, most);
        let clamped = if whole { clamped.trunc() } else { clamped };
        if clamped == number {
            return number;
        }
        match beyond {
            Beyond::Clamped => {
                self.notice(format!("{}: {number} is used as {clamped}", setting.variable));
            }
            Beyond::Refused => {
                let sort = if whole { "a whole number" } else { "a number" };
                let text = format!("`{number}` is not {sort} from {least} to {most}");
                self.problem(setting, text);
            }
        }
        clamped
    }

    /// An address; without TLS only when that is allowed.
    pub(crate) fn url(&mut self, setting: &Setting) -> Option<Url> {
        let value = self.text(setting).or_else(|| setting.default.map(str::to_owned))?;
        // The value is not repeated: addresses can carry passwords.
        let url = match Url::parse(&value) {
            Ok(url) if url.has_host() && matches!(url.scheme(), "https" | "http") => url,
            Ok(_) => {
                self.problem(setting, "must be an `https://` address with a host");
                return None;
            }
            Err(error) => {
                self.problem(setting, format!("not an address: {error}"));
                return None;
            }
        };
        if url.scheme() == "http" && !self.switch(&table::ALLOW_HTTP) {
            let text = format!(
                "must start with `https://`; set `{}=true` for local development",
                table::ALLOW_HTTP.variable
            );
            self.problem(setting, text);
        }
        Some(url)
    }

    pub(crate) fn hosts(&mut self, setting: &Setting) {
        let Some(value) = self.text(setting) else { return };
        for host in value.split(',').map(str::trim) {
            if !hosts::is_host(host) {
                self.problem(setting, format!("`{host}` is not a host name"));
            }
        }
    }

    pub(crate) fn directories(&self, setting: &Setting) -> Vec<PathBuf> {
        if let Some(flags) = self.sources.flags.get(setting.variable) {
            return flags.iter().map(PathBuf::from).collect();
        }
        let Some(value) = self.text(setting) else { return Vec::new() };
        std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect()
    }

    /// Checks a setting that nothing reads yet, and says what the user has to know.
    pub(crate) fn check(&mut self, setting: &Setting) {
        match &setting.kind {
            Kind::OneOf { .. } => drop(self.word(setting)),
            Kind::Number(_) => drop(self.number(setting)),
            Kind::Url => drop(self.url(setting)),
            Kind::Hosts => self.hosts(setting),
            Kind::Text | Kind::Secret | Kind::Switch | Kind::Port | Kind::Directories => {}
        }
        if let Effect::Refused(why) = setting.effect
            && self.text(setting).is_some()
        {
            self.problem(setting, format!("cannot be honoured: {why}; unset it to start without"));
        }
    }
}
