//! Which deployment freeze, if any, forbids a stage.

use serde_json::Value;

use crate::scope::Scope;

/// A freeze window that is enabled and open now.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    /// Its name.
    pub(crate) name: String,
    /// Its `entityConfigs`.
    pub(crate) entities: Value,
}

/// The name of the first window that forbids a deployment stage of a pipeline.
pub(crate) fn forbids(
    windows: &[Window],
    scope: &Scope,
    pipeline: &str,
    stage: &Value,
    environment_type: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let covers = |window: &&Window| {
        let rules = window.entities.as_array().map(Vec::as_slice).unwrap_or_default();
        // A global freeze has no rules and covers everything.
        rules.is_empty()
            || rules.iter().any(|rule| is_covered(rule, scope, pipeline, stage, environment_type))
    };
    windows.iter().find(covers).map(|window| window.name.clone())
}

fn is_covered(
    rule: &Value,
    scope: &Scope,
    pipeline: &str,
    stage: &Value,
    environment_type: &dyn Fn(&str) -> Option<String>,
) -> bool {
    let text = |pointer: &str| stage.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let entities = rule.get("entities").and_then(Value::as_array);
    entities.into_iter().flatten().all(|entity| {
        let kind = entity.get("type").and_then(Value::as_str).unwrap_or_default();
        let environment = text("/spec/environment/environmentRef");
        let actual = match kind {
            "Service" => text("/spec/service/serviceRef").to_owned(),
            "Environment" => environment.to_owned(),
            "EnvType" => environment_type(environment).unwrap_or_default(),
            "Org" => scope.org.clone(),
            "Project" => scope.project.clone(),
            "Pipeline" => pipeline.to_owned(),
            _ => return true,
        };
        let refs = entity.get("entityRefs").and_then(Value::as_array);
        let is_named = refs.into_iter().flatten().any(|one| *one == actual);
        match entity.get("filterType").and_then(Value::as_str) {
            Some("Equals") => is_named,
            Some("NotEquals") => !is_named,
            _ => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Window, forbids};
    use crate::scope::Scope;

    #[test]
    fn a_window_forbids_what_all_of_its_entities_cover() {
        let windows = [Window {
            name: "xmas".to_owned(),
            entities: json!([{"name": "r", "entities": [
                {"type": "Service", "filterType": "All"},
                {"type": "EnvType", "filterType": "All"},
                {"type": "Environment", "filterType": "Equals", "entityRefs": ["prod"]}]}]),
        }];
        let scope = Scope::project("o", "p");
        let to = |env: &str| json!({"spec": {"environment": {"environmentRef": env}}});
        assert_eq!(forbids(&windows, &scope, "x", &to("prod"), &|_| None).as_deref(), Some("xmas"));
        assert_eq!(forbids(&windows, &scope, "x", &to("dev"), &|_| None), None);
    }

    #[test]
    fn a_window_may_be_about_one_type_of_environment() {
        let windows = [Window {
            name: "weekend".to_owned(),
            entities: json!([{"name": "r", "entities": [
                {"type": "EnvType", "filterType": "Equals", "entityRefs": ["Production"]}]}]),
        }];
        let to = |env: &str| {
            let stage = json!({"spec": {"environment": {"environmentRef": env}}});
            let kind = |env: &str| (env == "prod").then(|| "Production".to_owned());
            forbids(&windows, &Scope::project("o", "p"), "x", &stage, &kind)
        };
        assert_eq!(to("prod").as_deref(), Some("weekend"));
        assert_eq!(to("dev"), None);
    }
}
