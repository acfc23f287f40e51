//! The console's pages, as data.

/// A page of the console.
#[derive(Debug)]
pub(super) struct Page {
    /// Its path: words, `{input}` for an identifier, `{input=}` for the identifier of the resource
    /// itself, `{=}` for one whose input only the resource type knows.
    pub(super) path: &'static str,
    /// The resource type it shows; empty for a page that shows none.
    pub(super) resource: &'static str,
    /// The page exists for account, organization and project alike, so the URL tells the scope.
    pub(super) scoped: bool,
}

/// What an identifier in a page's path is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Capture {
    /// The input it fills, when the name is known.
    pub(super) input: Option<&'static str>,
    /// It identifies the resource shown.
    pub(super) is_resource: bool,
}

impl Capture {
    /// Reads one part of a page's path; a plain word is no capture.
    pub(super) fn read(part: &'static str) -> Option<Self> {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        let (name, is_resource) = match name.strip_suffix('=') {
            Some(name) => (name, true),
            None => (name, false),
        };
        Some(Self { input: (!name.is_empty()).then_some(name), is_resource })
    }
}

/// Path words whose next word is a place rather than a page.
pub(super) const PLACES: &[(&str, &str)] = &[
    ("account", "account_id"),
    ("module", "module"),
    ("orgs", "org_id"),
    ("organizations", "org_id"),
    ("projects", "project_id"),
];

/// The module words that may stand behind `all`.
pub(super) const MODULES: &[&str] = &[
    "cd", "ce", "cet", "cf", "chaos", "ci", "code", "cv", "dbops", "dh", "fme", "har", "iacm",
    "idp", "sei", "srm", "ssca", "sto",
];

/// Query parameters the console uses, and the inputs they fill.
pub(super) const QUERIES: &[(&str, &str)] = &[
    ("step", "step_id"),
    ("stage", "stage_id"),
    ("stageExecId", "stage_execution_id"),
    ("branch", "branch"),
    ("repoName", "repo_name"),
    ("repoIdentifier", "repo_name"),
    ("storeType", "store_type"),
    ("connectorRef", "connector_ref"),
    ("commentId", "comment_id"),
    ("versionLabel", "version_label"),
];

const fn page(path: &'static str, resource: &'static str) -> Page {
    Page { path, resource, scoped: false }
}

const fn scoped(path: &'static str, resource: &'static str) -> Page {
    Page { path, resource, scoped: true }
}

/// Every page; of those that fit, the one with the most words wins.
pub(super) const PAGES: &[Page] = &[
    // Pipelines.
    page("pipelines/{pipeline_id=}", "pipeline"),
    page("pipelines/{pipeline_id}/input-sets/{=}", "input_set"),
    page("pipelines/{pipeline_id}/triggers/{=}", "trigger"),
    page("pipelines/{pipeline_id}/executions/{execution_id=}", "execution"),
    page("pipelines/{pipeline_id}/deployments/{execution_id=}", "execution"),
    page("pipelines/{pipeline_id}/builds/{execution_id=}", "execution"),
    page("deployments/{execution_id=}", "execution"),
    page("executions/{execution_id=}", "execution"),
    page("builds/{execution_id=}", "execution"),
    page("templates/{=}", "template"),
    page("template/{=}", "template"),
    // What pipelines deploy, and where to.
    scoped("services/{=}", "service"),
    scoped("environments/{environment_id=}", "environment"),
    scoped("environments/{environment_id}/infrastructures/{=}", "infrastructure"),
    scoped("environments/{environment_id}/infrastructure-definitions/{=}", "infrastructure"),
    scoped("connectors/{=}", "connector"),
    scoped("secrets/{=}", "secret"),
    scoped("file-store/{=}", "file_store"),
    page("delegates", "delegate"),
    page("delegates/tokens", "delegate_token"),
    page("serviceOverrides", "service_override"),
    page("freeze-windows", "freeze_window"),
    page("freeze-windows/studio/window/{=}", "freeze_window"),
    // Who may do what, and who did.
    page("access-control/users/{=}", "user"),
    page("access-control/user-groups/{=}", "user_group"),
    page("access-control/roles/{=}", "role"),
    page("access-control/resource-groups/{=}", "resource_group"),
    page("access-control/service-accounts/{=}", "service_account"),
    page("audit-trail", "audit_event"),
    // Code.
    page("repos/{repo_id=}", "repository"),
    page("repos/{repo_id}/branches", "branch"),
    page("repos/{repo_id}/commits", "commit"),
    page("repos/{repo_id}/commit/{commit_sha=}", "commit"),
    page("repos/{repo_id}/tags", "tag"),
    page("repos/{repo_id}/files", "file_content"),
    page("repos/{repo_id}/pulls/{pr_number=}", "pull_request"),
    page("repos/{repo_id}/pulls/{pr_number}/conversation", "pr_activity"),
    page("repos/{repo_id}/pulls/{pr_number}/checks", "pr_check"),
    // GitOps.
    page("gitops/agents/{agent_id=}", "gitops_agent"),
    page("gitops/agents/{agent_id}/applications/{=}", "gitops_application"),
    page("gitops/applications/{=}", "gitops_application"),
    page("gitops/clusters/{=}", "gitops_cluster"),
    page("gitops/repositories/{=}", "gitops_repository"),
    // The other modules.
    page("agents/{agent_id=}", "agent"),
    page("feature-flags/{=}", "fme_feature_flag"),
    page("experiments/{=}", "chaos_experiment"),
    page("experiments/{experiment_id}/runs", "chaos_experiment_run"),
    page("experiments/{experiment_id}/inputsets", "chaos_input_set"),
    page("chaos/probes/{=}", "chaos_probe"),
    page("load-tests/{=}", "chaos_loadtest"),
    page("registries/{registry_id=}", "registry"),
    page("registries/{registry_id}/artifacts/{artifact_id=}", "artifact"),
    page("issues/{=}", "security_issue"),
    page("exemptions/{=}", "security_exemption"),
    page("scorecards/{=}", "scorecard"),
    page("catalog", "idp_entity"),
    page("catalog/{namespace}/{kind}/{=}", "idp_entity"),
    page("policies/edit/{=}", "policy"),
    page("policy-sets/{=}", "policy_set"),
    page("db-schemas/{=}", "database_schema"),
    page("workitems/{=}", "work_item"),
    page("dashboards", "dashboard"),
    page("dashboards/folder/{folder_id}/view/{=}", "dashboard"),
    scoped("release-management/releases/execution", ""),
    scoped("releases/{release_id=}", "release"),
    scoped("releases/{release_id=}/phases", "release_execution_phase"),
];
