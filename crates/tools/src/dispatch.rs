//! From inputs to a result: build the request, send it, shape the reply, add the deep link.

mod asking;
mod bytes;
mod job;

use checkrein_catalog::call::{Call, Defaults};
use checkrein_catalog::catalog::Catalog;
use checkrein_catalog::compact::{self, Keep};
use checkrein_catalog::request::{self, WireRequest};
use checkrein_catalog::{link, shape};
use checkrein_mcp::{Caller, CancellationToken};
use checkrein_platform::{Client, Reply};
use serde_json::Value;

pub(crate) use self::job::Job;

use self::asking::Asking;
use crate::failure::Failure;
use crate::hooks::{self, HookCall, TemplateCache, Wait};

/// Turns inputs into requests and replies into results; the only place that does.
pub(crate) struct Dispatch {
    pub(crate) catalog: Catalog,
    pub(crate) client: Client,
    pub(crate) defaults: Defaults,
    pub(crate) base_url: String,
    pub(crate) templates: TemplateCache,
}

impl Dispatch {
    /// Refuses what could not be sent, before anybody is asked about it.
    ///
    /// A hook may fill in what is missing, so its operation is checked when it asks.
    pub(crate) fn check(&self, job: &Job<'_>) -> Result<(), Failure> {
        if job.operation.hook.is_none() {
            request::build(&self.call(job)?)?;
        }
        Ok(())
    }

    /// The result of any operation but a list.
    pub(crate) async fn run(
        &self,
        job: Job<'_>,
        caller: &Caller,
        wait: Option<Wait>,
    ) -> Result<Value, Failure> {
        let Some(hook) = job.operation.hook.as_deref() else {
            return self.plain(&job, &caller.cancel).await;
        };
        let Some(hook) = hooks::find(hook) else {
            return Err(Failure::said(format!(
                "`{}` needs the hook `{hook}`, which this server does not have; correct `hook` in \
                 the type's file",
                job.resource.name
            )));
        };
        let asking = Asking { dispatch: self, job: &job, cancel: &caller.cancel };
        (hook.run)(HookCall {
            resource: job.resource,
            op_name: job.op_name,
            operation: job.operation,
            scope: job.scope,
            inputs: job.inputs.clone(),
            defaults: &self.defaults,
            ask: &asking,
            templates: &self.templates,
            wait,
            cancel: &caller.cancel,
            progress: caller.progress.as_ref(),
        })
        .await
    }

    /// A page with everything the platform says.
    pub(crate) async fn list(&self, job: Job<'_>, caller: &Caller) -> Result<Value, Failure> {
        let page = job.inputs.get("page").cloned();
        let reply = self.run(job, caller, None).await?;
        Ok(compact::normalise_list(reply, page.as_ref()))
    }

    /// A page with what an agent needs to choose from it.
    pub(crate) async fn list_compact(
        &self,
        job: Job<'_>,
        caller: &Caller,
    ) -> Result<Value, Failure> {
        let keep = Keep::of(job.resource);
        if job.operation.hook.is_some() {
            let page = self.list(job, caller).await?;
            return Ok(compact::compact_list(page, &keep));
        }
        let call = self.call(&job)?;
        let (request, reply) = self.send(&call, &caller.cancel).await?;
        Ok(shape::shape_list_compact(&call, &request, &reply.body, &keep, &self.base_url)?)
    }

    /// One request, without the operation's hook.
    async fn plain(&self, job: &Job<'_>, cancel: &CancellationToken) -> Result<Value, Failure> {
        let call = self.call(job)?;
        let (request, reply) = self.send(&call, cancel).await?;
        if request.binary {
            return bytes::result(&reply);
        }
        let mut value = shape::shape(&call, &request, reply.json()?)?;
        link::add(&call, &request, &self.base_url, &mut value);
        Ok(value)
    }

    async fn send(
        &self,
        call: &Call<'_>,
        cancel: &CancellationToken,
    ) -> Result<(WireRequest, Reply), Failure> {
        let request = request::build(call)?;
        let reply = self.client.send(&request, cancel).await?;
        Ok((request, reply))
    }

    fn call<'a>(&'a self, job: &'a Job<'_>) -> Result<Call<'a>, Failure> {
        let dialect = self.catalog.dialect(job.resource).ok_or_else(|| {
            Failure::said(format!(
                "`{}` names the unknown dialect `{}`",
                job.resource.name, job.resource.dialect
            ))
        })?;
        Ok(Call {
            resource: job.resource,
            op_name: job.op_name,
            operation: job.operation,
            dialect,
            inputs: &job.inputs,
            scope: job.scope,
            defaults: &self.defaults,
        })
    }
}
