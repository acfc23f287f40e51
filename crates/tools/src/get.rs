//! `harness_get`: one resource.

use checkrein_mcp::{Answer, Caller};

use crate::Tools;
use crate::answer::result;
use crate::arguments::{Argument, Arguments, Is};
use crate::dispatch::Job;
use crate::failure::Failure;
use crate::hooks;
use crate::pasted_url::PastedUrl;
use crate::tool::{
    ORG_ID, Output, PARAMS, PROJECT_ID, READS, RESOURCE_ID, RESOURCE_SCOPE, RESOURCE_TYPE, Tool,
    URL,
};
use crate::{choose, inputs, target};

const RETURN_DOWNLOAD_URL: Argument =
    Argument::new("return_download_url", Is::Flag, "For execution_log: a link instead of text");

pub(crate) const TOOL: Tool = Tool {
    name: "harness_get",
    title: "Get Harness Resource",
    about: "Get one resource with all its fields, or the log of a pipeline run (execution_log).",
    arguments: &[
        &RESOURCE_TYPE,
        &RESOURCE_ID,
        &URL,
        &RESOURCE_SCOPE,
        &ORG_ID,
        &PROJECT_ID,
        &PARAMS,
        &RETURN_DOWNLOAD_URL,
    ],
    annotations: READS,
    output: Output::Object,
    run: |tools, arguments, caller| {
        Box::pin(
            async move { get(tools, arguments, caller).await.unwrap_or_else(Failure::into_answer) },
        )
    },
};

async fn get(tools: &Tools, mut arguments: Arguments, caller: &Caller) -> Result<Answer, Failure> {
    let url = PastedUrl::read(arguments.text("url").unwrap_or_default());
    let resource = choose::resource(tools.catalog(), arguments.text("resource_type"), &url)?;
    let operation = choose::operation(tools.catalog(), resource, "get")?;
    let own = ["org_id", "project_id", "resource_id", "return_download_url"];
    let mut inputs = inputs::merge(resource, &url, &mut arguments, &own)?;
    let hook = operation.hook.as_deref().and_then(hooks::find);
    if !hook.is_some_and(|hook| hook.reads_resource_id) {
        target::fill(resource, &mut inputs.values);
    }
    let mut ignored = arguments.unknown;
    ignored.extend(inputs::ignored(resource, &inputs.named));
    let job = Job::new(resource, "get", operation, inputs);
    let found = tools
        .dispatch
        .run(job, caller, None)
        .await
        .map_err(|failure| failure.when_not_found(resource.hint_not_found.as_deref()))?;
    Ok(result(found, &ignored))
}
