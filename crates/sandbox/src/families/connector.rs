//! Connectors and their connection test.

use serde_json::{Value, json};

use super::connector_catalogue::{catalogue, category_of};
use super::{field_true, governance_pass, listed_in, refuse, require, tag_matches, text};
use crate::clock::Clock;
use crate::crud::{self, settle};
use crate::family::{Draft, Family};
use crate::paging::PageStyle;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::{Params, Route};
use crate::store::{Document, Key, Store};
use crate::world::World;

/// What each connector type must say in its `spec`.
const NEEDED: [(&str, &[&str]); 14] = [
    ("Github", &["url", "type", "authentication"]),
    ("Gitlab", &["url", "type", "authentication"]),
    ("Bitbucket", &["url", "type", "authentication"]),
    ("Git", &["url", "type", "spec"]),
    ("DockerRegistry", &["dockerRegistryUrl", "providerType", "auth"]),
    ("K8sCluster", &["credential"]),
    ("Aws", &["credential"]),
    ("Gcp", &["credential"]),
    ("Azure", &["credential", "azureEnvironmentType"]),
    ("Vault", &["vaultUrl", "renewalIntervalMinutes"]),
    ("HttpHelmRepo", &["helmRepoUrl", "auth"]),
    ("Artifactory", &["artifactoryServerUrl", "auth"]),
    ("Jira", &["jiraUrl"]),
    ("Slack", &[]),
];

pub(super) struct Connector;

impl Family for Connector {
    const KIND: &'static str = "connector";
    const NOUN: &'static str = "Connector";
    const RESOURCE_TYPE: &'static str = "CONNECTOR";
    const WRAPPER: &'static str = "connector";
    const WRAPPER_IS_NEEDED: bool = true;
    const REQUIRED: &'static [&'static str] = &["identifier", "name", "type", "spec"];
    const PAGE_STYLE: PageStyle = PageStyle::ng(100);
    const PARENT_SCOPES_FLAG: &'static str = "includeAllConnectorsAvailableAtScope";
    const GONE: (u16, &'static str) = (400, "CONNECTOR_NOT_FOUND_EXCEPTION");

    fn absence(account: &str, key: &Key) -> String {
        let mut place = format!("account [{account}]");
        for (noun, level) in [("org", &key.org), ("project", &key.project)] {
            if !level.is_empty() {
                place.push_str(&format!(", {noun} [{level}]"));
            }
        }
        format!("Connector with identifier [{}] in {place} not found", key.id)
    }

    fn check(_: &World, store: &Store, draft: &mut Draft) -> Result<(), Reply> {
        let kind = draft.text("type").to_owned();
        if category_of(&kind).is_none() {
            let error = format!("[{kind}] is not a known connector type; see the catalogue");
            return Err(refuse("connector.type", &error));
        }
        let spec = draft.body.get("spec").cloned().unwrap_or_default();
        let needed = NEEDED.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, n)| n);
        for field in needed {
            if spec.get(*field).is_none_or(Value::is_null) {
                return Err(refuse(&format!("connector.spec.{field}"), "must not be null"));
            }
        }
        inherits_without_spec(&spec)?;
        require_secrets(store, draft, &spec)
    }

    fn guard(document: &Document, _: bool) -> Result<(), Reply> {
        if field_true(&document.body, "harnessManaged") {
            let message = format!(
                "Connector [{}] is managed by the platform and cannot be changed or deleted",
                document.key.id
            );
            return Err(Reply::invalid(&message));
        }
        Ok(())
    }

    fn view(_: &World, _: &Store, document: &Document) -> Value {
        let mut connector = document.body.clone();
        if let Some(fields) = connector.as_object_mut() {
            fields.shift_remove("harnessManaged");
            fields.shift_remove("sandboxReachable");
        }
        json!({
            "connector": connector, "createdAt": document.created_ms,
            "lastModifiedAt": document.updated_ms, "status": status(document, document.updated_ms),
            "activityDetails": {"lastActivityTime": document.updated_ms},
            "harnessManaged": field_true(&document.body, "harnessManaged"),
            "gitDetails": null, "entityValidityDetails": {"valid": true, "invalidYaml": null},
            "governanceMetadata": governance_pass(), "isFavorite": false,
        })
    }

    fn lists(document: &Document, _: &Request, filter: &Value) -> bool {
        let kind = text(document, "type");
        let state = if is_reachable(document) { "SUCCESS" } else { "FAILURE" };
        listed_in(filter, "connectorIdentifiers", &document.key.id)
            && listed_in(filter, "connectorNames", text(document, "name"))
            && listed_in(filter, "types", kind)
            && listed_in(filter, "categories", category_of(kind).unwrap_or_default())
            && listed_in(filter, "connectivityStatuses", state)
            && tag_matches(document, filter.get("tags"))
    }
}

/// A cluster that takes its credentials from the delegate must not carry a `spec` as well.
fn inherits_without_spec(spec: &Value) -> Result<(), Reply> {
    let Some(credential) = spec.get("credential") else { return Ok(()) };
    let inherits = credential.get("type").and_then(Value::as_str) == Some("InheritFromDelegate");
    if inherits && credential.get("spec").is_some_and(|inner| !inner.is_null()) {
        return Err(Reply::unreadable(
            "No subtype of credential takes a `spec` together with type InheritFromDelegate",
        ));
    }
    Ok(())
}

fn require_secrets(store: &Store, draft: &Draft, value: &Value) -> Result<(), Reply> {
    match value {
        Value::Object(fields) => fields.iter().try_for_each(|(name, field)| match field {
            Value::String(reference)
                if name.ends_with("Ref") && name != "connectorRef" && !reference.is_empty() =>
            {
                require(store, "secret", &draft.key.scope(), reference)
            }
            other => require_secrets(store, draft, other),
        }),
        Value::Array(items) => {
            items.iter().try_for_each(|item| require_secrets(store, draft, item))
        }
        _ => Ok(()),
    }
}

/// A connector whose tags or URL say `unreachable` fails its test, so that both ends can be tried.
fn is_reachable(document: &Document) -> bool {
    let tagged = document.body.get("tags").and_then(|tags| tags.get("unreachable")).is_some();
    let spec = document.body.get("spec").map(Value::to_string).unwrap_or_default();
    !tagged && !spec.contains("unreachable")
}

fn status(document: &Document, at_ms: i64) -> Value {
    if is_reachable(document) {
        return json!({
            "status": "SUCCESS", "errorSummary": null, "errors": [], "testedAt": at_ms,
            "lastTestedAt": 0, "lastConnectedAt": at_ms, "lastAlertSent": null,
        });
    }
    json!({
        "status": "FAILURE", "errorSummary": "Connection refused",
        "errors": [{"reason": "Unexpected Error", "message": "Connection refused", "code": 450}],
        "testedAt": at_ms, "lastTestedAt": 0, "lastConnectedAt": 0, "lastAlertSent": null,
    })
}

/// A failed test is a success of HTTP: the status inside says what happened.
fn test_connection(world: &World, request: &Request, params: &Params) -> Reply {
    settle(|| {
        let store = world.store();
        let key = crud::key::<Connector>(&store, request, params)?;
        let document = crud::find::<Connector>(&store, &key)?;
        let now = Clock::now_ms(&world.clock);
        let mut result = status(&document, now);
        if let Some(fields) = result.as_object_mut() {
            fields.retain(|name, _| !name.starts_with("last"));
            fields.insert("delegateId".to_owned(), json!(world.fresh_id()));
            fields.insert("taskId".to_owned(), json!(world.fresh_id()));
        }
        Ok(Reply::ng(result))
    })
}

fn list_catalogue(_: &World, _: &Request, _: &Params) -> Reply {
    Reply::ng(json!({"catalogue": catalogue()}))
}

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/ng/api/connectors";
    const ONE: &str = "/ng/api/connectors/{id}";
    vec![
        Route::new("GET", PATH, crud::list::<Connector>),
        Route::new("POST", "/ng/api/connectors/listV2", crud::list::<Connector>),
        Route::new("GET", "/ng/api/connectors/catalogue", list_catalogue),
        Route::new("POST", "/ng/api/connectors/testConnection/{id}", test_connection),
        Route::new("POST", PATH, crud::create::<Connector>),
        Route::new("PUT", PATH, crud::update::<Connector>),
        Route::new("GET", ONE, crud::get::<Connector>),
        Route::new("DELETE", ONE, crud::delete::<Connector>),
    ]
}
