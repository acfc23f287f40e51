//! `harness_create`: a new resource.

use checkrein_mcp::{Annotations, Answer, Caller};

use crate::Tools;
use crate::answer::result;
use crate::arguments::Arguments;
use crate::dispatch::Job;
use crate::failure::Failure;
use crate::pasted_url::PastedUrl;
use crate::tool::{
    BODY, CONFIRM, ORG_ID, Output, PARAMS, PROJECT_ID, RESOURCE_SCOPE, RESOURCE_TYPE, Tool, URL,
};
use crate::{choose, inputs};

const TYPE: crate::arguments::Argument = RESOURCE_TYPE.required();

pub(crate) const TOOL: Tool = Tool {
    name: "harness_create",
    title: "Create Harness Resource",
    about: "Create a resource; harness_describe lists the fields of its body.",
    arguments: &[&TYPE, &BODY, &URL, &RESOURCE_SCOPE, &ORG_ID, &PROJECT_ID, &PARAMS, &CONFIRM],
    annotations: Annotations {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: true,
    },
    output: Output::Object,
    run: |tools, arguments, caller| {
        Box::pin(async move {
            create(tools, arguments, caller).await.unwrap_or_else(Failure::into_answer)
        })
    },
};

async fn create(
    tools: &Tools,
    mut arguments: Arguments,
    caller: &Caller,
) -> Result<Answer, Failure> {
    let url = PastedUrl::read(arguments.text("url").unwrap_or_default());
    let resource = choose::resource(tools.catalog(), arguments.text("resource_type"), &url)?;
    let operation = choose::operation(tools.catalog(), resource, "create")?;
    let confirmed = arguments.flag("confirm").unwrap_or(false);
    let inputs = inputs::merge(resource, &url, &mut arguments, &["org_id", "project_id", "body"])?;
    let mut ignored = arguments.unknown;
    ignored.extend(inputs::ignored(resource, &inputs.named));
    let job = Job::new(resource, "create", operation, inputs);
    let deed = job.deed(&tools.dispatch.defaults, job.id_in_body());
    tools.gate.check_read_only(&deed)?;
    tools.dispatch.check(&job)?;
    tools.gate.pass(&deed, confirmed, caller.confirm.as_ref()).await?;
    Ok(result(tools.dispatch.run(job, caller, None).await?, &ignored))
}
