//! What is wrong with a configuration is said before anything is served, all of it at once.

use std::process::Output;

use checkrein_testkit::Place;

#[test]
fn every_problem_is_named_and_nothing_is_on_standard_output() {
    let place = Place::new()
        .with("HARNESS_API_KEY", "s3cr3t")
        .with("HARNESS_BASE_URL", "http://platform.example")
        .with("HARNESS_API_TIMEOUT_MS", "soon")
        .with("HARNESS_AUTO_APPROVE_RISK", "low_writ");
    let output = place.run(&["serve", "stdio"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    insta::assert_snapshot!(complaints(&output), @r"
    error: invalid configuration
      HARNESS_ACCOUNT_ID: is not set, and `HARNESS_API_KEY` is not of the form `pat.<account>.<id>.<secret>` that would name it
      HARNESS_BASE_URL: must start with `https://`; set `HARNESS_ALLOW_HTTP=true` for local development
      HARNESS_AUTO_APPROVE_RISK: `low_writ` is not one of none, low_write, medium_write, high_write, all, did you mean `low_write`?
      HARNESS_API_TIMEOUT_MS: `soon` is not a number
    ");
}

#[test]
fn without_a_key_the_sandbox_is_offered() {
    let output = Place::new().run(&["serve"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(complaints(&output).contains("--sandbox"));
}

#[test]
fn unknown_toolsets_are_all_named() {
    let output = with_key().with("HARNESS_TOOLSETS", "+nope,-alsonope").run(&["serve", "stdio"]);
    assert_eq!(output.status.code(), Some(1));
    let text = complaints(&output);
    for word in ["HARNESS_TOOLSETS", "`nope`", "`alsonope`", "pipelines"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn http_is_refused_for_now() {
    let output = with_key().run(&["serve", "http", "--port", "4000"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(complaints(&output), @r"
    error: `serve http` is not part of this version
    hint: use `checkrein serve stdio`
    ");
}

#[test]
fn an_audit_that_would_not_be_written_is_refused() {
    let output = with_key().with("HARNESS_AUDIT_FILE", "audit.log").run(&["serve", "stdio"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(complaints(&output).contains("HARNESS_AUDIT_FILE"));
}

#[test]
fn old_names_and_near_misses_are_spoken_of() {
    let output = with_key()
        .with("HARNESS_DEFAULT_ORG_ID", "default")
        .with("HARNESS_SKIP_ELICITATION", "true")
        .with("HARNESS_READONLY", "true")
        .run(&["serve", "stdio"]);
    assert!(output.status.success());
    insta::assert_snapshot!(complaints(&output), @r"
    notice: unknown variable `HARNESS_READONLY`, did you mean `HARNESS_READ_ONLY`?
    notice: HARNESS_DEFAULT_ORG_ID is deprecated, use HARNESS_ORG instead
    notice: HARNESS_SKIP_ELICITATION is deprecated, use HARNESS_AUTO_APPROVE_RISK=all instead
    ");
}

#[test]
fn variables_come_from_a_file_too() {
    let place = Place::new();
    place.write(".env", "HARNESS_API_KEY=pat.account.id.secret\n");
    assert!(place.run(&["serve", "stdio"]).status.success());
    let place = Place::new();
    place.write("here/my.env", "export HARNESS_API_KEY='pat.account.id.secret'\n");
    assert!(place.run(&["serve", "stdio", "--env-file", "here/my.env"]).status.success());
    let output = place.run(&["serve", "stdio", "--env-file=missing.env"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(complaints(&output).contains("`missing.env`"));
}

#[test]
fn a_broken_resource_file_is_told_with_its_place_and_does_not_stop_the_server() {
    let place = with_key();
    place.write("types/widget.yaml", "resource: widget\ntitel: Widget\n");
    let output = place.run(&["serve", "stdio", "--catalog-dir", "types"]);
    assert!(output.status.success());
    let text = complaints(&output);
    assert!(text.contains("widget.yaml:2:1: "), "{text}");
    assert!(text.contains("`titel`"), "{text}");
}

fn with_key() -> Place {
    Place::new().with("HARNESS_API_KEY", "pat.account.id.secret")
}

fn complaints(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
