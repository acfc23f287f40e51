//! One operation with everything it needs, before it becomes a request.

use checkrein_catalog::call::Defaults;
use checkrein_catalog::model::{Operation, ResourceType, Scope};
use serde_json::{Map, Value};

use crate::confirm::Deed;
use crate::inputs::Inputs;
use crate::target::text_of;

/// One operation with its inputs.
#[derive(Clone)]
pub(crate) struct Job<'a> {
    pub(crate) resource: &'a ResourceType,
    pub(crate) op_name: &'a str,
    pub(crate) operation: &'a Operation,
    pub(crate) inputs: Map<String, Value>,
    pub(crate) scope: Option<Scope>,
}

impl<'a> Job<'a> {
    pub(crate) fn new(
        resource: &'a ResourceType,
        op_name: &'a str,
        operation: &'a Operation,
        inputs: Inputs,
    ) -> Self {
        Self { resource, op_name, operation, inputs: inputs.values, scope: inputs.scope }
    }

    /// What a person is asked about.
    pub(crate) fn deed(&self, defaults: &Defaults, id: Option<String>) -> Deed<'a> {
        Deed {
            operation: self.op_name,
            resource: &self.resource.name,
            id,
            place: self.place(defaults),
            risk: self.operation.risk,
        }
    }

    /// The identifier a new resource will have, when its body says so.
    pub(crate) fn id_in_body(&self) -> Option<String> {
        let Some(Value::Object(body)) = self.inputs.get("body") else { return None };
        let fields = match self.operation.wrapper.as_deref().and_then(|key| body.get(key)) {
            Some(Value::Object(fields)) => fields,
            _ => body,
        };
        text_of(fields, "identifier").or_else(|| text_of(fields, "name"))
    }

    /// Where it happens, in words.
    fn place(&self, defaults: &Defaults) -> String {
        let scope = self.scope.or(self.resource.scopes.first().copied());
        let or = |name: &str, usual: &Option<String>| {
            text_of(&self.inputs, name).or_else(|| usual.clone()).unwrap_or_else(|| "?".to_owned())
        };
        let org = || or("org_id", &defaults.org);
        match scope {
            Some(Scope::Project) => {
                let project = or("project_id", &defaults.project);
                format!("In project `{project}` of organization `{}`.", org())
            }
            Some(Scope::Org) => format!("In organization `{}`.", org()),
            Some(Scope::Account) | None => format!("In account `{}`.", defaults.account),
        }
    }
}
