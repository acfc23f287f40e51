//! `harness_update`: a resource as it should be from now on.

use checkrein_mcp::{Annotations, Answer, Caller};
use serde_json::{Map, Value};

use crate::Tools;
use crate::answer::result;
use crate::arguments::{Argument, Arguments};
use crate::dispatch::Job;
use crate::failure::Failure;
use crate::pasted_url::PastedUrl;
use crate::tool::{
    BODY, CONFIRM, ORG_ID, Output, PARAMS, PROJECT_ID, RESOURCE_ID, RESOURCE_SCOPE, RESOURCE_TYPE,
    Tool, URL,
};
use crate::{choose, inputs, target};

const TYPE: Argument = RESOURCE_TYPE.required();

pub(crate) const TOOL: Tool = Tool {
    name: "harness_update",
    title: "Update Harness Resource",
    about: "Update a resource; most types replace it, so get it first and send all of it back.",
    arguments: &[
        &TYPE,
        &BODY,
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
            update(tools, arguments, caller).await.unwrap_or_else(Failure::into_answer)
        })
    },
};

async fn update(
    tools: &Tools,
    mut arguments: Arguments,
    caller: &Caller,
) -> Result<Answer, Failure> {
    let url = PastedUrl::read(arguments.text("url").unwrap_or_default());
    let resource = choose::resource(tools.catalog(), arguments.text("resource_type"), &url)?;
    let operation = choose::operation(tools.catalog(), resource, "update")?;
    let confirmed = arguments.flag("confirm").unwrap_or(false);
    let own = ["org_id", "project_id", "resource_id", "body"];
    let mut inputs = inputs::merge(resource, &url, &mut arguments, &own)?;
    let id = target::settle(resource, &mut inputs.values, &inputs.named, "harness_update")?;
    take_from_body(&operation.need, &mut inputs.values);
    let mut ignored = arguments.unknown;
    ignored.extend(inputs::ignored(resource, &inputs.named));
    let job = Job::new(resource, "update", operation, inputs);
    let deed = job.deed(&tools.dispatch.defaults, id);
    tools.gate.check_read_only(&deed)?;
    tools.dispatch.check(&job)?;
    tools.gate.pass(&deed, confirmed, caller.confirm.as_ref()).await?;
    Ok(result(tools.dispatch.run(job, caller, None).await?, &ignored))
}

/// What the request needs beside the identifier (`version_label`) may stand in the body instead.
fn take_from_body(needed: &[String], values: &mut Map<String, Value>) {
    let Some(Value::Object(body)) = values.get("body") else { return };
    let found: Vec<(String, Value)> = needed
        .iter()
        .filter(|name| target::text_of(values, name).is_none())
        .filter_map(|name| Some((name.clone(), target::text_of(body, name)?.into())))
        .collect();
    values.extend(found);
}
