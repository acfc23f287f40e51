//! The narrow way from a hook to the platform.

use checkrein_catalog::request::WireRequest;
use checkrein_mcp::{BoxFuture, CancellationToken};
use checkrein_platform::logs::{Log, LogError};
use checkrein_platform::{ApiError, Reply};
use serde_json::{Map, Value};

use super::{Dispatch, Job};
use crate::choose;
use crate::failure::Failure;
use crate::hooks::Ask;

/// What the hook of one call may ask.
pub(super) struct Asking<'a> {
    pub(super) dispatch: &'a Dispatch,
    pub(super) job: &'a Job<'a>,
    pub(super) cancel: &'a CancellationToken,
}

impl Ask for Asking<'_> {
    fn own<'a>(&'a self, inputs: &'a Map<String, Value>) -> BoxFuture<'a, Result<Value, Failure>> {
        Box::pin(async move {
            let job = Job { inputs: inputs.clone(), ..self.job.clone() };
            self.dispatch.plain(&job, self.cancel).await
        })
    }

    fn operation<'a>(
        &'a self,
        resource: &'a str,
        operation: &'a str,
        inputs: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value, Failure>> {
        Box::pin(async move {
            let catalog = &self.dispatch.catalog;
            let resource =
                catalog.get(resource).ok_or_else(|| choose::unknown_type(catalog, resource))?;
            let (op_name, operation) = match resource.operations.get_key_value(operation) {
                Some((name, operation)) => (name.as_str(), operation),
                None => choose::action(resource, operation)?,
            };
            let scope = self.job.scope.filter(|scope| resource.scopes.contains(scope));
            let mut inputs = inputs.clone();
            for place in ["org_id", "project_id"] {
                if let Some(value) =
                    self.job.inputs.get(place).filter(|_| !inputs.contains_key(place))
                {
                    inputs.insert(place.to_owned(), value.clone());
                }
            }
            let job = Job { resource, op_name, operation, inputs, scope };
            self.dispatch.plain(&job, self.cancel).await
        })
    }

    fn send<'a>(&'a self, request: &'a WireRequest) -> BoxFuture<'a, Result<Reply, ApiError>> {
        Box::pin(self.dispatch.client.send(request, self.cancel))
    }

    fn fetch_log<'a>(&'a self, link: &'a str) -> BoxFuture<'a, Result<Log, LogError>> {
        Box::pin(self.dispatch.client.fetch_log(link, self.cancel))
    }
}
