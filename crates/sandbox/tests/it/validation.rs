//! What the platform refuses, family by family.

use serde_json::{Value, json};

use crate::client::{STOREFRONT, Shop};

/// A family: where it is made, an entity it takes, and the key that wraps it.
struct Family {
    name: &'static str,
    path: String,
    wrapper: &'static str,
    entity: Value,
    needed: &'static [&'static str],
}

fn families() -> Vec<Family> {
    let at = |path: &str| format!("{path}?{STOREFRONT}");
    let infrastructure = "infrastructureDefinition:\n  name: New\n  identifier: fresh\n  \
        environmentRef: staging\n  deploymentType: Kubernetes\n  type: KubernetesDirect\n  spec: {}\n";
    vec![
        Family {
            name: "organization",
            path: "/ng/api/organizations".to_owned(),
            wrapper: "organization",
            entity: json!({"identifier": "fresh", "name": "New"}),
            needed: &["identifier", "name"],
        },
        Family {
            name: "project",
            path: "/ng/api/projects?orgIdentifier=default".to_owned(),
            wrapper: "project",
            entity: json!({"identifier": "fresh", "name": "New"}),
            needed: &["identifier", "name"],
        },
        Family {
            name: "service",
            path: at("/ng/api/servicesV2"),
            wrapper: "",
            entity: json!({"identifier": "fresh", "name": "New"}),
            needed: &["identifier", "name"],
        },
        Family {
            name: "environment",
            path: at("/ng/api/environmentsV2"),
            wrapper: "",
            entity: json!({"identifier": "fresh", "name": "New", "type": "Production"}),
            needed: &["identifier", "name", "type"],
        },
        Family {
            name: "infrastructure",
            path: at("/ng/api/infrastructures"),
            wrapper: "",
            entity: json!({"identifier": "fresh", "name": "New", "environmentRef": "staging",
                "type": "KubernetesDirect", "yaml": infrastructure}),
            needed: &["identifier", "name", "environmentRef", "type", "yaml"],
        },
        Family {
            name: "connector",
            path: at("/ng/api/connectors"),
            wrapper: "connector",
            entity: json!({"identifier": "fresh", "name": "New", "type": "K8sCluster",
                "spec": {"credential": {"type": "InheritFromDelegate"}}}),
            needed: &["identifier", "name", "type", "spec"],
        },
        Family {
            name: "secret",
            path: at("/ng/api/v2/secrets"),
            wrapper: "secret",
            entity: json!({"identifier": "fresh", "name": "New", "type": "SecretText", "spec": {
                "secretManagerIdentifier": "account.harnessSecretManager", "valueType": "Inline"}}),
            needed: &["identifier", "name", "type", "spec"],
        },
        Family {
            name: "user group",
            path: at("/ng/api/user-groups"),
            wrapper: "",
            entity: json!({"identifier": "fresh", "name": "New"}),
            needed: &["identifier", "name"],
        },
        Family {
            name: "service account",
            path: at("/ng/api/serviceaccount"),
            wrapper: "",
            entity: json!({"identifier": "fresh", "name": "New", "email": "a@example.com"}),
            needed: &["identifier", "name", "email"],
        },
        Family {
            name: "role",
            path: at("/authz/api/roles"),
            wrapper: "",
            entity: json!({"identifier": "fresh", "name": "New"}),
            needed: &["identifier", "name"],
        },
        Family {
            name: "resource group",
            path: at("/authz/api/v2/resourcegroup"),
            wrapper: "resourceGroup",
            entity: json!({"identifier": "fresh", "name": "New"}),
            needed: &["identifier", "name"],
        },
    ]
}

impl Family {
    fn body(&self, change: &[(&str, Value)]) -> Value {
        let mut entity = self.entity.clone();
        for (field, value) in change {
            entity[field] = value.clone();
        }
        if self.wrapper.is_empty() { entity } else { json!({self.wrapper: entity}) }
    }
}

#[tokio::test]
async fn every_family_needs_its_fields_and_says_which() {
    let shop = Shop::open().await;
    for family in families() {
        for field in family.needed {
            let refused = shop.post(&family.path, family.body(&[(field, Value::Null)])).await;
            assert_eq!(refused.status, 400, "{} without {field}", family.name);
            let (body, name) = (refused.json(), family.name);
            assert_eq!(body["status"], "FAILURE", "{name} {body}");
            assert_eq!(body["code"], "INVALID_REQUEST", "{name} {body}");
            let errors = body["errors"].as_array().unwrap();
            assert!(errors.iter().any(|e| e["fieldId"] == **field), "{name} {field} {body}");
        }
    }
}

#[tokio::test]
async fn every_family_refuses_identifiers_that_break_its_rule() {
    let shop = Shop::open().await;
    for family in families() {
        for (id, said) in [
            ("", "cannot be empty"),
            ("9lives", "not start with a number"),
            ("a b", "can only contain"),
            ("../x", "can only contain"),
            ("stepGroup", "is a keyword"),
            (&"x".repeat(129), "128 characters"),
        ] {
            let refused = shop.post(&family.path, family.body(&[("identifier", json!(id))])).await;
            let body = refused.json().to_string();
            assert_eq!(refused.status, 400, "{} {id} {body}", family.name);
            assert!(body.contains(said), "{} {id} {body}", family.name);
        }
    }
}

#[tokio::test]
async fn every_family_refuses_a_duplicate_and_an_unknown_place() {
    let shop = Shop::open().await;
    for family in families() {
        let made = shop.post(&family.path, family.body(&[])).await;
        assert_eq!(made.status, 200, "{} {}", family.name, made.json());
        let twice = shop.post(&family.path, family.body(&[])).await;
        assert_eq!((twice.status, twice.at("/code")), (400, json!("DUPLICATE_FIELD")));
        assert!(twice.at("/message").as_str().unwrap().contains("already exists"));
        if family.name == "organization" {
            continue;
        }
        let (path, _) = family.path.split_once('?').unwrap();
        let nowhere = shop.post(&format!("{path}?orgIdentifier=nowhere"), family.body(&[])).await;
        assert_eq!(nowhere.status, 404, "{}", family.name);
        let message = nowhere.at("/message");
        assert_eq!(message, "Organization with identifier [nowhere] not found", "{}", family.name);
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_is_told_apart_from_a_bad_entity() {
    let shop = Shop::open().await;
    for body in ["{", "", "[1]", "\"x\""] {
        let refused = shop.send("POST", &format!("/ng/api/servicesV2?{STOREFRONT}"), body).await;
        assert_eq!((refused.status, refused.at("/code")), (400, json!(400)), "{body}");
        assert_eq!(refused.at("/message"), "Unable to process JSON");
    }
}

#[tokio::test]
async fn long_descriptions_and_tags_of_the_wrong_form_are_refused() {
    let shop = Shop::open().await;
    let target = format!("/ng/api/servicesV2?{STOREFRONT}");
    for (field, value) in [("description", json!("x".repeat(1025))), ("tags", json!(["a"]))] {
        let refused =
            shop.post(&target, json!({"identifier": "a", "name": "A", field: value})).await;
        assert_eq!((refused.status, refused.at("/errors/0/fieldId")), (400, json!(field)));
    }
}

#[tokio::test]
async fn values_outside_the_known_ones_name_them() {
    let shop = Shop::open().await;
    for (path, body, said) in [
        (
            "/ng/api/environmentsV2",
            json!({"identifier": "a", "name": "A", "type": "Test"}),
            "PreProduction, Production",
        ),
        (
            "/ng/api/v2/secrets",
            json!({"secret": {"identifier": "a", "name": "A", "type": "Text", "spec": {}}}),
            "SecretText, SecretFile, SSHKey, WinRmCredentials",
        ),
        (
            "/ng/api/connectors",
            json!({"connector": {"identifier": "a", "name": "A", "type": "Fax", "spec": {}}}),
            "[Fax] is not a known connector type",
        ),
        (
            "/ng/api/serviceOverrides",
            json!({"environmentRef": "staging", "type": "ODD"}),
            "ENV_GLOBAL_OVERRIDE, ENV_SERVICE_OVERRIDE",
        ),
    ] {
        let refused = shop.post(&format!("{path}?{STOREFRONT}"), body).await;
        assert_eq!(refused.status, 400);
        assert!(refused.json().to_string().contains(said), "{}", refused.json());
    }
}

#[tokio::test]
async fn references_to_what_is_not_there_are_refused() {
    let shop = Shop::open().await;
    let github = json!({"connector": {"identifier": "a", "name": "A", "type": "Github", "spec": {
        "url": "https://x", "type": "Repo", "authentication": {"spec": {"tokenRef": "nothing"}}}}});
    let infrastructure = json!({"identifier": "a", "name": "A", "environmentRef": "nowhere",
        "type": "KubernetesDirect", "yaml": "infrastructureDefinition: {}"});
    let secret = json!({"secret": {"identifier": "a", "name": "A", "type": "SecretText",
        "spec": {"secretManagerIdentifier": "vault", "valueType": "Inline"}}});
    for (path, body, noun) in [
        ("/ng/api/connectors", github, "secret"),
        ("/ng/api/infrastructures", infrastructure, "environment"),
        ("/ng/api/v2/secrets", secret, "connector"),
    ] {
        let refused = shop.post(&format!("{path}?{STOREFRONT}"), body).await;
        assert_eq!(refused.at("/code"), "INVALID_IDENTIFIER_REF", "{}", refused.json());
        let message = refused.at("/message");
        assert!(message.as_str().unwrap().starts_with(&format!("There is no {noun}")), "{message}");
    }
}

#[tokio::test]
async fn a_connector_that_inherits_and_has_a_spec_does_not_parse() {
    let shop = Shop::open().await;
    let body = json!({"connector": {"identifier": "a", "name": "A", "type": "K8sCluster", "spec": {
        "credential": {"type": "InheritFromDelegate", "spec": {"x": 1}}}}});
    let refused = shop.post(&format!("/ng/api/connectors?{STOREFRONT}"), body).await;
    assert_eq!((refused.status, refused.at("/code")), (400, json!(400)));
    assert!(refused.at("/details").as_str().unwrap().contains("InheritFromDelegate"));
}

#[tokio::test]
async fn yaml_inside_a_body_must_agree_with_the_fields_beside_it() {
    let shop = Shop::open().await;
    let body = json!({"identifier": "a", "name": "A",
        "yaml": "service:\n  name: A\n  identifier: other\n"});
    let refused = shop.post(&format!("/ng/api/servicesV2?{STOREFRONT}"), body).await;
    assert_eq!(refused.status, 400);
    assert!(refused.at("/message").as_str().unwrap().contains("does not match"));
}

#[tokio::test]
async fn families_in_yaml_keep_the_same_rules() {
    let shop = Shop::open().await;
    let place = "orgIdentifier: default\n  projectIdentifier: storefront";
    let pipeline = format!("pipeline:\n  name: N\n  identifier: ID\n  {place}\n  stages: []\n");
    let trigger = format!(
        "trigger:\n  name: N\n  identifier: ID\n  {place}\n  pipelineIdentifier: smoke_tests\n  source: {{}}\n"
    );
    let freeze = "freeze:\n  name: N\n  identifier: ID\n  status: Enabled\n".to_owned();
    for (path, yaml) in [
        ("/pipeline/api/pipelines/v2", pipeline),
        ("/pipeline/api/triggers", trigger),
        ("/ng/api/freeze", freeze),
    ] {
        let target = format!("{path}?{STOREFRONT}&targetIdentifier=smoke_tests");
        for (id, said) in
            [("a-b", "can only contain"), ("1a", "not start"), ("null", "must not be null")]
        {
            let refused = shop.send("POST", &target, &yaml.replace("ID", id)).await;
            let body = refused.json().to_string();
            assert_eq!(
                (refused.status, refused.at("/status")),
                (400, json!("FAILURE")),
                "{path} {body}"
            );
            assert!(body.contains(said), "{path} {id} {body}");
        }
        let nameless = shop.send("POST", &target, &yaml.replace("  name: N\n", "")).await;
        assert_eq!(nameless.at("/errors/0/fieldId"), "name", "{path}");
    }
}
