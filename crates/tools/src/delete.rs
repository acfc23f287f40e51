//! `harness_delete`: a resource that goes away.

use checkrein_catalog::model::Risk;
use checkrein_mcp::{Annotations, Answer, Caller};
use serde_json::{Map, Value};

use crate::Tools;
use crate::answer::result;
use crate::arguments::{Argument, Arguments};
use crate::dispatch::Job;
use crate::failure::Failure;
use crate::pasted_url::PastedUrl;
use crate::tool::{
    CONFIRM, ORG_ID, Output, PARAMS, PROJECT_ID, RESOURCE_ID, RESOURCE_SCOPE, RESOURCE_TYPE, Tool,
    URL,
};
use crate::{choose, inputs, target};

const TYPE: Argument = RESOURCE_TYPE.required();

pub(crate) const TOOL: Tool = Tool {
    name: "harness_delete",
    title: "Delete Harness Resource",
    about: "Delete a resource for good.",
    arguments: &[
        &TYPE,
        &RESOURCE_ID,
        &URL,
        &RESOURCE_SCOPE,
        &ORG_ID,
        &PROJECT_ID,
        &PARAMS,
        &CONFIRM,
    ],
    annotations: Annotations {
        read_only: false,
        destructive: true,
        idempotent: true,
        open_world: true,
    },
    output: Output::Object,
    run: |tools, arguments, caller| {
        Box::pin(async move {
            delete(tools, arguments, caller).await.unwrap_or_else(Failure::into_answer)
        })
    },
};

async fn delete(
    tools: &Tools,
    mut arguments: Arguments,
    caller: &Caller,
) -> Result<Answer, Failure> {
    let url = PastedUrl::read(arguments.text("url").unwrap_or_default());
    let resource = choose::resource(tools.catalog(), arguments.text("resource_type"), &url)?;
    let operation = choose::operation(tools.catalog(), resource, "delete")?;
    let confirmed = arguments.flag("confirm").unwrap_or(false);
    let own = ["org_id", "project_id", "resource_id"];
    let mut inputs = inputs::merge(resource, &url, &mut arguments, &own)?;
    let id = target::settle(resource, &mut inputs.values, &inputs.named, "harness_delete")?;
    let version = target::text_of(&inputs.values, "version_label");
    let mut ignored = arguments.unknown;
    ignored.extend(inputs::ignored(resource, &inputs.named));
    let job = Job::new(resource, "delete", operation, inputs);
    let mut deed = job.deed(&tools.dispatch.defaults, id.clone());
    // Whatever a file says, nothing that is deleted comes back by itself.
    deed.risk = Risk::Destructive;
    tools.gate.check_read_only(&deed)?;
    tools.dispatch.check(&job)?;
    tools.gate.pass(&deed, confirmed, caller.confirm.as_ref()).await?;
    let reply = tools.dispatch.run(job, caller, None).await?;
    Ok(result(deleted(&resource.name, id, version, reply), &ignored))
}

/// The platform answers a delete in a dozen ways; the agent gets one.
fn deleted(resource: &str, id: Option<String>, version: Option<String>, reply: Value) -> Value {
    let mut said = Map::new();
    said.insert("deleted".to_owned(), true.into());
    said.insert("resource_type".to_owned(), resource.into());
    if let Some(id) = id {
        said.insert("resource_id".to_owned(), id.into());
    }
    if let Some(version) = version {
        said.insert("version_label".to_owned(), version.into());
    }
    if let Value::Object(details) = reply
        && !details.is_empty()
    {
        said.insert("details".to_owned(), details.into());
    }
    said.into()
}
