use proptest::prelude::*;

use super::*;

fn read(rest: &str) -> PastedUrl {
    PastedUrl::read(&format!("https://app.harness.io/ng/account/acc/{rest}"))
}

fn shown(url: &PastedUrl) -> String {
    let inputs: Vec<String> =
        url.inputs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!(
        "{} {:?} {}",
        url.resource_type.unwrap_or("-"),
        url.scope.map_or("-".into(), |scope| format!("{scope:?}")),
        inputs.join(" ")
    )
    .replace('"', "")
}

#[test]
fn pages_of_a_pipeline_name_the_pipeline_and_what_is_below_it() {
    let place = "all/orgs/o/projects/p/pipelines";
    let cases = [
        ("", "pipeline - account_id=acc org_id=o project_id=p"),
        (
            "/x/pipeline-studio",
            "pipeline - account_id=acc org_id=o project_id=p pipeline_id=x resource_id=x",
        ),
        ("/x/triggers", "trigger - account_id=acc org_id=o project_id=p pipeline_id=x"),
        (
            "/x/input-sets/i",
            "input_set - account_id=acc org_id=o project_id=p pipeline_id=x resource_id=i",
        ),
        (
            "/x/deployments/e/pipeline?step=s&stage=t&stageExecId=u",
            "execution - account_id=acc org_id=o project_id=p pipeline_id=x execution_id=e resource_id=e \
             step_id=s stage_id=t stage_execution_id=u",
        ),
        (
            "/x/pipeline-studio?branch=main&repoName=r&storeType=REMOTE&connectorRef=account.c",
            "pipeline - account_id=acc org_id=o project_id=p pipeline_id=x resource_id=x branch=main \
             repo_name=r store_type=REMOTE connector_ref=account.c",
        ),
    ];
    for (path, expected) in cases {
        assert_eq!(shown(&read(&format!("{place}{path}"))), expected, "{path}");
    }
}

#[test]
fn types_that_exist_on_several_levels_get_the_level_of_the_url() {
    let cases = [
        (
            "all/orgs/o/projects/p/services/s",
            "service Project account_id=acc org_id=o project_id=p resource_id=s",
        ),
        ("all/orgs/o/services/s", "service Org account_id=acc org_id=o resource_id=s"),
        ("all/services/s", "service Account account_id=acc resource_id=s"),
        ("settings/resources/connectors/c", "connector Account account_id=acc resource_id=c"),
        (
            "settings/organizations/o/setup/resources/connectors/c",
            "connector Org account_id=acc org_id=o resource_id=c",
        ),
        (
            "all/orgs/o/projects/p/environments/e/infrastructures/i",
            "infrastructure Project account_id=acc org_id=o project_id=p environment_id=e resource_id=i",
        ),
    ];
    for (path, expected) in cases {
        assert_eq!(shown(&read(path)), expected, "{path}");
    }
}

#[test]
fn a_module_is_read_in_both_spellings() {
    assert_eq!(read("module/cd/orgs/o/projects/p/pipelines").get("module"), Some("cd"));
    assert_eq!(read("all/cd/orgs/o/projects/p/pipelines/x").get("module"), Some("cd"));
    assert_eq!(read("all/orgs/o/projects/p/pipelines/x").get("module"), None);
}

#[test]
fn a_project_named_like_a_page_is_still_a_project() {
    let url = read("all/orgs/pipelines/projects/services/pipelines/connectors");
    assert_eq!(
        shown(&url),
        "pipeline - account_id=acc org_id=pipelines project_id=services pipeline_id=connectors resource_id=connectors"
    );
}

#[test]
fn a_path_alone_a_vanity_host_and_the_older_hash_form_are_read_alike() {
    let expected = read("all/services/s");
    for url in [
        "/ng/account/acc/all/services/s",
        "https://deploy.example.com/ng/account/acc/all/services/s",
        "https://app.harness.io/ng/#/account/acc/all/services/s",
        "  https://app.harness.io/ng/account/acc/all/services/s#top  ",
    ] {
        assert_eq!(PastedUrl::read(url), expected, "{url}");
    }
}

#[test]
fn pull_requests_and_repositories_are_read() {
    let place = "module/code/orgs/o/projects/p/repos/r";
    assert_eq!(read(place).resource_type, Some("repository"));
    let pull = read(&format!("{place}/pulls/42"));
    assert_eq!((pull.resource_type, pull.get("pr_number")), (Some("pull_request"), Some("42")));
    let talk = read(&format!("{place}/pulls/42/conversation?commentId=9"));
    assert_eq!((talk.resource_type, talk.get("comment_id")), (Some("pr_activity"), Some("9")));
    assert_eq!(talk.get("resource_id"), None);
}

#[test]
fn identifiers_are_decoded_once() {
    assert_eq!(read("all/services/a%20b%2Fc").get("resource_id"), Some("a b/c"));
}

#[test]
fn what_is_no_console_url_says_nothing() {
    for text in
        ["", "not a url", "ftp://app.harness.io/ng/account/a", "https://app.harness.io", "{}"]
    {
        assert_eq!(PastedUrl::read(text), PastedUrl::default(), "{text}");
    }
    assert_eq!(PastedUrl::read(&format!("/{}", "a/".repeat(8192))), PastedUrl::default());
}

#[test]
fn a_url_that_ends_at_a_project_shows_the_project() {
    assert_eq!(read("all/orgs/o/projects/p").resource_type, Some("project"));
    assert_eq!(read("settings/organizations/o").resource_type, Some("organization"));
    assert_eq!(read("all/orgs/o/projects/p/overview").resource_type, None);
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
        let _ = PastedUrl::read(&text);
    }

    #[test]
    fn any_path_below_an_account_keeps_the_account(path in "[a-z{}=%/?&.]{0,120}") {
        let found = read(&path);
        prop_assert_eq!(found.get("account_id"), Some("acc"));
    }
}
