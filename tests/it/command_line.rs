//! Help, version, and what is not understood.

use checkrein_testkit::Place;

#[test]
fn help_and_version_are_on_standard_output_and_succeed() {
    let place = Place::new();
    for arguments in [
        vec!["--help"],
        vec!["--version"],
        vec!["help", "serve"],
        vec!["serve", "--help"],
        vec!["serve", "--version"],
        vec!["catalog", "check", "--help"],
    ] {
        let output = place.run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!output.stdout.is_empty(), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_commands_are_listed() {
    let output = Place::new().run(&["--help"]);
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(help.starts_with("Serves the Harness platform to AI agents"), "{help}");
    for line in [
        "demo           Play a short scripted agent against the sandbox: no account, no network",
        "serve          Serve the platform to an agent",
        "sandbox        Run the local platform alone, on loopback",
        "catalog        Check, list, show and test resource files, your own too",
        "client-config  Print or install the configuration for an agent",
    ] {
        assert!(help.contains(&format!("\n  {line}\n")), "{line} is missing:\n{help}");
    }
    assert!(!help.contains("docs-reference"), "{help}");
}

#[test]
fn what_is_not_understood_is_on_standard_error_with_status_2() {
    let place = Place::new();
    for (arguments, says) in [
        (vec![], "Usage"),
        (vec!["srve"], "serve"),
        (vec!["serve", "--read-onyl"], "--read-only"),
        (vec!["serve", "htpp"], "`htpp` is not one of stdio, http"),
        (vec!["client-config", "cursr"], "cursor"),
        (vec!["catalog", "chek"], "check"),
    ] {
        let output = place.run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(says), "{arguments:?}: {text}");
    }
}

#[test]
fn an_unknown_resource_type_gets_the_nearest() {
    let output = Place::new().run(&["catalog", "show", "pipelin"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("did you mean `pipeline`?"), "{text}");
}

#[test]
fn tables_are_also_json() {
    let place = Place::new();
    for arguments in [
        vec!["catalog", "list", "--json"],
        vec!["catalog", "show", "pipeline", "--json"],
        vec!["catalog", "check", "--json"],
        vec!["client-config", "cursor", "--json"],
    ] {
        let output = place.run(&arguments);
        assert!(output.status.success(), "{arguments:?}");
        let parsed = serde_json::from_slice::<serde_json::Value>(&output.stdout);
        assert!(parsed.is_ok(), "{arguments:?}");
    }
}
