use super::*;

fn environment(pairs: &[(&str, &str)]) -> Sources {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Sources { environment: pairs.iter().map(pair).collect(), ..Sources::default() }
}

fn read(pairs: &[(&str, &str)]) -> Result<ServeSettings, String> {
    ServeSettings::read(&environment(pairs), Transport::Stdio, false)
        .0
        .map_err(|problems| problems.to_string())
}

fn with_key(pairs: &[(&str, &str)]) -> Result<ServeSettings, String> {
    let mut all = vec![("HARNESS_API_KEY", "pat.acct.id.s3cr3t")];
    all.extend_from_slice(pairs);
    read(&all)
}

#[test]
fn a_key_alone_is_enough() {
    let settings = with_key(&[]).expect("a key is enough");
    assert_eq!(settings.account, "acct");
    assert_eq!(settings.base_url.as_str(), "https://app.harness.io/");
    assert_eq!(settings.api_timeout, Duration::from_secs(30));
    assert_eq!((settings.max_retries, settings.rate_limit_rps), (3, 10));
    assert_eq!(settings.auto_approve, AutoApprove::Nothing);
    assert!(!settings.read_only);
    assert!(!format!("{settings:?}").contains("s3cr3t"));
}

#[test]
fn every_problem_is_listed_at_once_and_no_secret_with_them() {
    let text = read(&[
        ("HARNESS_API_KEY", "s3cr3t"),
        ("HARNESS_BASE_URL", "http://user:s3cr3t@x"),
        ("HARNESS_FME_BASE_URL", "nonsense"),
        ("HARNESS_AUTO_APPROVE_RISK", "low_wriet"),
        ("HARNESS_API_TIMEOUT_MS", "abc"),
        ("HARNESS_PIPELINE_VERSION", ""),
        ("HARNESS_MCP_ALLOWED_HOSTS", "good.com, bad host/"),
        ("MCP_SESSION_TTL_MS", "0"),
        ("HARNESS_MCP_TRUST_PROXY", "-1"),
        ("HARNESS_AUDIT_FILE", "a.log"),
    ])
    .expect_err("nothing of this is right");
    assert_eq!(
        text,
        "invalid configuration
  HARNESS_ACCOUNT_ID: is not set, and `HARNESS_API_KEY` is not of the form `pat.<account>.<id>.<secret>` that would name it
  HARNESS_BASE_URL: must start with `https://`; set `HARNESS_ALLOW_HTTP=true` for local development
  HARNESS_FME_BASE_URL: not an address: relative URL without a base
  HARNESS_AUTO_APPROVE_RISK: `low_wriet` is not one of none, low_write, medium_write, high_write, all, did you mean `low_write`?
  HARNESS_PIPELINE_VERSION: `` is not one of 0, 1
  HARNESS_API_TIMEOUT_MS: `abc` is not a number
  HARNESS_MCP_ALLOWED_HOSTS: `bad host/` is not a host name
  HARNESS_MCP_TRUST_PROXY: `-1` is not a whole number from 0 to 100
  MCP_SESSION_TTL_MS: `0` is not a whole number from 1 to 2678400000
  HARNESS_AUDIT_FILE: cannot be honoured: this version writes no audit events; unset it to start without"
    );
}

#[test]
fn an_empty_value_is_no_value() {
    let settings = with_key(&[
        ("HARNESS_BASE_URL", ""),
        ("HARNESS_ORG", ""),
        ("HARNESS_AUTO_APPROVE_RISK", ""),
        ("HARNESS_API_TIMEOUT_MS", ""),
    ])
    .expect("empty values are ignored");
    assert_eq!(settings.base_url.as_str(), "https://app.harness.io/");
    assert_eq!((settings.org, settings.api_timeout), (None, Duration::from_secs(30)));
}

#[test]
fn only_three_words_switch_something_on() {
    for (value, on) in [("true", true), ("YES", true), ("1", true), ("on", false), ("false", false)]
    {
        let settings = with_key(&[("HARNESS_READ_ONLY", value)]).expect("any text is accepted");
        assert_eq!(settings.read_only, on, "{value}");
    }
}

#[test]
fn old_names_count_only_without_the_new_one_and_are_spoken_of() {
    let sources = environment(&[
        ("HARNESS_API_KEY", "pat.acct.id.secret"),
        ("HARNESS_DEFAULT_ORG_ID", "old"),
        ("HARNESS_DEFAULT_PROJECT_ID", "old"),
        ("HARNESS_PROJECT", "new"),
        ("HARNESS_SKIP_ELICITATION", "true"),
        ("HARNESS_READONLY", "true"),
    ]);
    let (settings, notices) = ServeSettings::read(&sources, Transport::Stdio, false);
    let settings = settings.expect("old names still work");
    assert_eq!((settings.org.as_deref(), settings.project.as_deref()), (Some("old"), Some("new")));
    assert_eq!(settings.auto_approve, AutoApprove::Everything);
    let notices: Vec<_> = notices.iter().map(ToString::to_string).collect();
    assert_eq!(
        notices,
        [
            "unknown variable `HARNESS_READONLY`, did you mean `HARNESS_READ_ONLY`?",
            "HARNESS_DEFAULT_ORG_ID is deprecated, use HARNESS_ORG instead",
            "HARNESS_SKIP_ELICITATION is deprecated, use HARNESS_AUTO_APPROVE_RISK=all instead",
        ]
    );
}

#[test]
fn a_number_that_ran_before_still_runs_within_reason() {
    let settings = with_key(&[("HARNESS_API_TIMEOUT_MS", "-5"), ("HARNESS_MAX_RETRIES", "2.5")])
        .expect("clamped");
    assert_eq!((settings.api_timeout, settings.max_retries), (Duration::from_millis(1), 2));
}

#[test]
fn many_users_need_http_and_their_own_keys() {
    let text = read(&[("HARNESS_MCP_MODE", "multi-user"), ("HARNESS_API_KEY", "pat.a.b.c")])
        .expect_err("stdio is one user");
    assert!(text.contains("HARNESS_MCP_MODE") && text.contains("HARNESS_API_KEY"), "{text}");
}

#[test]
fn the_sandbox_needs_no_key() {
    let (settings, _) = ServeSettings::read(&environment(&[]), Transport::Stdio, true);
    assert!(settings.is_ok());
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let command = clap::Command::new("serve").args(crate::arguments());
    let matches = command
        .try_get_matches_from([
            "serve",
            "--org",
            "flag",
            "--read-only",
            "--catalog-dir",
            "a",
            "--catalog-dir",
            "b",
        ])
        .expect("the flags exist");
    let mut sources = environment(&[
        ("HARNESS_API_KEY", "pat.a.b.c"),
        ("HARNESS_ORG", "env"),
        ("HARNESS_PROJECT", "env"),
    ]);
    sources.flags = crate::given(&matches);
    sources.file =
        crate::parse_env_file("HARNESS_PROJECT=file\nHARNESS_BASE_URL=https://file.example");
    let settings = ServeSettings::read(&sources, Transport::Stdio, false).0.expect("all is well");
    assert_eq!((settings.org.as_deref(), settings.project.as_deref()), (Some("flag"), Some("env")));
    assert_eq!(settings.base_url.as_str(), "https://file.example/");
    assert!(settings.read_only);
    assert_eq!(settings.catalog_dirs, [PathBuf::from("a"), PathBuf::from("b")]);
}

#[test]
fn a_port_that_is_none_counts_as_not_set() {
    assert!(with_key(&[("PORT", "tcp://10.0.0.1:80")]).is_ok());
}
