//! The connector types there are, by category.

use serde_json::{Value, json};

const CATALOGUE: [(&str, &[&str]); 9] = [
    ("CLOUD_PROVIDER", &["Aws", "Azure", "Gcp", "K8sCluster", "Pdc", "Spot", "Tas", "Rancher"]),
    ("CODE_REPO", &["AzureRepo", "Bitbucket", "Git", "Github", "Gitlab", "Codecommit"]),
    (
        "ARTIFACTORY",
        &[
            "AmazonS3",
            "Artifactory",
            "AzureArtifacts",
            "Bamboo",
            "DockerRegistry",
            "HttpHelmRepo",
            "Jenkins",
            "Nexus",
            "OciHelmRepo",
        ],
    ),
    (
        "SECRET_MANAGER",
        &[
            "AwsKms",
            "AwsSecretManager",
            "AzureKeyVault",
            "CustomSecretManager",
            "GcpKms",
            "GcpSecretManager",
            "Local",
            "Vault",
        ],
    ),
    ("TICKETING", &["Jira", "ServiceNow"]),
    (
        "MONITORING",
        &[
            "AppDynamics",
            "CustomHealth",
            "Datadog",
            "Dynatrace",
            "ElasticSearch",
            "NewRelic",
            "PagerDuty",
            "Prometheus",
            "Splunk",
            "SignalFX",
            "SumoLogic",
        ],
    ),
    ("CLOUD_COST", &["CEAws", "CEAzure", "CEK8sCluster", "GcpCloudCost"]),
    ("COMMUNICATION", &["ErrorTracking", "Slack", "MsTeams"]),
    ("AI", &["OpenAi", "Anthropic", "AzureOpenAi", "GoogleAi"]),
];

/// The category of a connector type, if it is one.
pub(super) fn category_of(kind: &str) -> Option<&'static str> {
    CATALOGUE.iter().find(|(_, kinds)| kinds.contains(&kind)).map(|(category, _)| *category)
}

/// The catalogue as the platform shows it.
pub(super) fn catalogue() -> Vec<Value> {
    let entry =
        |(category, kinds): &(&str, &[&str])| json!({"category": category, "connectors": kinds});
    CATALOGUE.iter().map(entry).collect()
}
