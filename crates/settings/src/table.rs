//! The declarations. Names, defaults and meaning of `HARNESS_*` are those of the Node server that
//! Checkrein replaces.

use crate::setting::Beyond::{Clamped, Refused};
use crate::setting::Effect::{self, HttpOnly, OldNameOf, Works};
use crate::setting::Group::{
    Account, Audit, Catalogue, Http, Logging, Permissions, Requests, Search,
};
use crate::setting::{Kind, Number, Setting};

macro_rules! settings {
    ($($name:ident = $variable:literal $(--$flag:literal)? $group:ident, $kind:expr, $default:expr,
       $effect:expr, $about:literal;)+) => {
        $(
            #[doc = $about]
            pub static $name: Setting = Setting {
                variable: $variable,
                flag: settings!(@flag $($flag)?),
                group: $group,
                kind: $kind,
                default: $default,
                about: $about,
                effect: $effect,
            };
        )+
        /// Every setting of `serve`, in the order of the reference.
        pub static ALL: &[&Setting] = &[$(&$name),+];
    };
    (@flag) => { None };
    (@flag $flag:literal) => { Some($flag) };
}

const fn number(least: f64, most: f64, beyond: crate::setting::Beyond) -> Kind {
    Kind::Number(Number { least, most, beyond, whole: true })
}

const fn one_of(words: &'static [&'static str]) -> Kind {
    Kind::OneOf { words, refuse_empty: false }
}

/// An hour: no call of the platform takes longer.
const LONGEST_TIMEOUT_MS: f64 = 3_600_000.0;
const LONGEST_SESSION_MS: f64 = 31.0 * 86_400_000.0;
const NO_SEARCH: Effect = Effect::None("this version has no `harness_search`");
const NO_AUDIT: Effect = Effect::Refused("this version writes no audit events");

settings! {
    API_KEY = "HARNESS_API_KEY" Account, Kind::Secret, None, Works,
        "The key of the user or service account to act as. Needed unless the sandbox is served.";
    ACCOUNT_ID = "HARNESS_ACCOUNT_ID" --"account-id" Account, Kind::Text, None, Works,
        "The account. Taken from keys of the form `pat.<account>.…` and `sat.<account>.…` when not set.";
    BASE_URL = "HARNESS_BASE_URL" --"base-url" Account, Kind::Url, Some("https://app.harness.io"), Works,
        "Where the platform is.";
    ALLOW_HTTP = "HARNESS_ALLOW_HTTP" --"allow-http" Account, Kind::Switch, Some("false"), Works,
        "Accept addresses without TLS, for local development.";
    ORG = "HARNESS_ORG" --"org" Account, Kind::Text, None, Works,
        "The organization used when a call names none.";
    PROJECT = "HARNESS_PROJECT" --"project" Account, Kind::Text, None, Works,
        "The project used when a call names none.";
    DEFAULT_ORG_ID = "HARNESS_DEFAULT_ORG_ID" Account, Kind::Text, None, OldNameOf("HARNESS_ORG"),
        "Used when `HARNESS_ORG` is not set.";
    DEFAULT_PROJECT_ID = "HARNESS_DEFAULT_PROJECT_ID" Account, Kind::Text, None, OldNameOf("HARNESS_PROJECT"),
        "Used when `HARNESS_PROJECT` is not set.";
    FME_API_KEY = "HARNESS_FME_API_KEY" Account, Kind::Secret, None,
        Effect::None("this version has no feature management resource types"),
        "The key for the feature management API, which has its own.";
    FME_BASE_URL = "HARNESS_FME_BASE_URL" --"fme-base-url" Account, Kind::Url, Some("https://api.split.io"),
        Effect::None("this version has no feature management resource types"),
        "Where the feature management API is.";
    TOOLSETS = "HARNESS_TOOLSETS" --"toolsets" Permissions, Kind::Text, None, Works,
        "The toolsets to offer, separated by commas: names alone are the whole list, `+name` and `-name` change the default.";
    READ_ONLY = "HARNESS_READ_ONLY" --"read-only" Permissions, Kind::Switch, Some("false"), Works,
        "Refuse everything that changes something.";
    AUTO_APPROVE_RISK = "HARNESS_AUTO_APPROVE_RISK" --"auto-approve-risk" Permissions,
        one_of(&["none", "low_write", "medium_write", "high_write", "all"]), Some("none"), Works,
        "The highest risk that runs without confirmation.";
    SKIP_ELICITATION = "HARNESS_SKIP_ELICITATION" Permissions, Kind::Switch, Some("false"),
        OldNameOf("HARNESS_AUTO_APPROVE_RISK"),
        "The same as `HARNESS_AUTO_APPROVE_RISK=all`, when that is not set.";
    PIPELINE_VERSION = "HARNESS_PIPELINE_VERSION" --"pipeline-version" Permissions,
        Kind::OneOf { words: &["0", "1"], refuse_empty: true }, None,
        Effect::None("the types of both generations are always offered"),
        "Which generation of pipelines is preferred.";
    API_TIMEOUT_MS = "HARNESS_API_TIMEOUT_MS" --"api-timeout-ms" Requests,
        number(1.0, LONGEST_TIMEOUT_MS, Clamped), Some("30000"), Works,
        "How long one request to the platform may take, in milliseconds.";
    MAX_RETRIES = "HARNESS_MAX_RETRIES" --"max-retries" Requests,
        number(0.0, 20.0, Clamped), Some("3"), Works,
        "How often a request that may be repeated is repeated.";
    RATE_LIMIT_RPS = "HARNESS_RATE_LIMIT_RPS" --"rate-limit-rps" Requests,
        number(1.0, 1_000_000.0, Clamped), Some("10"), Works,
        "How many requests a second the platform gets at most.";
    CATALOG_DIR = "CHECKREIN_CATALOG_DIR" --"catalog-dir" Catalogue, Kind::Directories, None, Works,
        "Directories with resource files of your own, read after the built-in ones.";
    LOG_LEVEL = "LOG_LEVEL" --"log-level" Logging,
        one_of(&["debug", "info", "warn", "error"]), Some("info"), Works,
        "How much is written to standard error.";
    LOG_UNSAFE_BODIES = "HARNESS_LOG_UNSAFE_BODIES" Logging, Kind::Switch, Some("false"), Works,
        "Let debug logs show request and reply bodies, secrets included.";
    OTLP_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT" Logging, Kind::Text, None,
        Effect::None("this version exports no traces"),
        "Where traces are sent.";
    MCP_MODE = "HARNESS_MCP_MODE" Http, one_of(&["single-user", "multi-user"]), Some("single-user"), HttpOnly,
        "Whether every session brings its own key. Only `serve http` can be `multi-user`.";
    HOST = "HOST" Http, Kind::Text, Some("127.0.0.1"), HttpOnly,
        "The address to listen on.";
    PORT = "PORT" --"port" Http, Kind::Port, Some("3000"), HttpOnly,
        "The port to listen on.";
    AUTH_TOKEN = "HARNESS_MCP_AUTH_TOKEN" Http, Kind::Secret, None, HttpOnly,
        "The bearer token clients have to show.";
    ALLOW_UNAUTHENTICATED_HTTP = "HARNESS_MCP_ALLOW_UNAUTHENTICATED_HTTP" Http, Kind::Switch, Some("false"), HttpOnly,
        "Listen on other than loopback addresses without a token.";
    ALLOWED_HOSTS = "HARNESS_MCP_ALLOWED_HOSTS" Http, Kind::Hosts, None, HttpOnly,
        "Host names accepted besides loopback, separated by commas.";
    TRUST_PROXY = "HARNESS_MCP_TRUST_PROXY" Http, number(0.0, 100.0, Refused), Some("0"), HttpOnly,
        "How many proxies in front are trusted to name the client.";
    SESSION_TTL_MS = "MCP_SESSION_TTL_MS" Http, number(1.0, LONGEST_SESSION_MS, Refused), Some("1800000"), HttpOnly,
        "How long an idle session is kept, in milliseconds.";
    MAX_BODY_SIZE_MB = "HARNESS_MAX_BODY_SIZE_MB" Http,
        Kind::Number(Number { least: 0.1, most: 1000.0, beyond: Clamped, whole: false }), Some("10"), HttpOnly,
        "The largest request body, in megabytes.";
    AUDIT_FILE = "HARNESS_AUDIT_FILE" Audit, Kind::Text, None, NO_AUDIT,
        "The file audit events are appended to.";
    AUDIT_WEBHOOK_URL = "HARNESS_AUDIT_WEBHOOK_URL" Audit, Kind::Url, None, NO_AUDIT,
        "Where audit events are posted.";
    AUDIT_WEBHOOK_TOKEN = "HARNESS_AUDIT_WEBHOOK_TOKEN" Audit, Kind::Secret, None, NO_AUDIT,
        "The bearer token of the webhook.";
    AUDIT_WEBHOOK_BATCH_SIZE = "HARNESS_AUDIT_WEBHOOK_BATCH_SIZE" Audit,
        number(1.0, 10_000.0, Refused), Some("10"), Effect::None("this version writes no audit events"),
        "How many events are posted at once.";
    AUDIT_WEBHOOK_FLUSH_MS = "HARNESS_AUDIT_WEBHOOK_FLUSH_MS" Audit,
        number(1.0, 3_600_000.0, Refused), Some("5000"), Effect::None("this version writes no audit events"),
        "How long an event waits for others, in milliseconds.";
    SEARCH_PROVIDER = "HARNESS_SEARCH_PROVIDER" Search, one_of(&["local", "remote", "none"]), Some("local"), NO_SEARCH,
        "Who turns words into resource types.";
    SEARCH_SERVICE_URL = "HARNESS_SEARCH_SERVICE_URL" Search, Kind::Url, None, NO_SEARCH,
        "Where the remote search service is.";
    DIAGNOSE_LOG_FETCH_CONCURRENCY = "HARNESS_DIAGNOSE_LOG_FETCH_CONCURRENCY" Search,
        number(1.0, 20.0, Refused), Some("3"), Effect::None("this version has no `harness_diagnose`"),
        "How many logs a diagnosis fetches at once.";
}

/// The setting behind an environment variable.
pub fn by_variable(variable: &str) -> Option<&'static Setting> {
    ALL.iter().copied().find(|setting| setting.variable == variable)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_name_is_used_twice_and_no_secret_has_a_flag() {
        let variables: BTreeSet<_> = ALL.iter().map(|setting| setting.variable).collect();
        assert_eq!(variables.len(), ALL.len());
        let flags: Vec<_> = ALL.iter().filter_map(|setting| setting.flag).collect();
        assert_eq!(flags.iter().collect::<BTreeSet<_>>().len(), flags.len());
        for setting in ALL {
            assert!(!matches!(setting.kind, Kind::Secret) || setting.flag.is_none());
        }
    }

    #[test]
    fn an_old_name_points_at_a_setting() {
        for setting in ALL {
            if let OldNameOf(new) = setting.effect {
                assert!(by_variable(new).is_some(), "{new}");
            }
        }
    }
}
