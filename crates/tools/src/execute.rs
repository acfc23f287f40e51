//! `harness_execute`: an action of a resource type, such as running a pipeline.

mod batch;

use std::time::Duration;

use checkrein_mcp::{Annotations, Answer, Caller};

use crate::Tools;
use crate::answer::result;
use crate::arguments::{Argument, Arguments, Is};
use crate::dispatch::Job;
use crate::failure::Failure;
use crate::hooks::Wait;
use crate::pasted_url::PastedUrl;
use crate::tool::{
    CONFIRM, ORG_ID, Output, PARAMS, PROJECT_ID, RESOURCE_ID, RESOURCE_SCOPE, RESOURCE_TYPE, Tool,
    URL,
};
use crate::{choose, inputs, target};

const ACTION: Argument =
    Argument::new("action", Is::Text, "As harness_describe names it: run, retry, …").required();
const BODY: Argument = Argument::new("body", Is::Object, "Fields of the action");
const INPUTS: Argument = Argument::new(
    "inputs",
    Is::ObjectOrText,
    "Runtime inputs of a pipeline: names and values, or YAML",
);
const INPUT_SET_IDS: Argument = Argument::new("input_set_ids", Is::Texts, "");
const WAIT: Argument = Argument::new("wait", Is::Flag, "Stay until the started run ends");
const WAIT_TIMEOUT: Argument =
    Argument::new("wait_timeout_seconds", Is::Seconds { least: 10, most: 7200 }, "");
const WAIT_INTERVAL: Argument =
    Argument::new("wait_poll_interval_seconds", Is::Seconds { least: 2, most: 60 }, "");
const QUERIES: Argument = Argument::new(
    "queries",
    Is::Objects { most: batch::MOST_QUERIES },
    "Several queries in one call: query_string, timeout_ms, max_results",
);

pub(crate) const TOOL: Tool = Tool {
    name: "harness_execute",
    title: "Execute Harness Action",
    about: "Run an action: run or retry a pipeline, approve, merge, toggle, test a connection.",
    arguments: &[
        &RESOURCE_TYPE,
        &ACTION,
        &RESOURCE_ID,
        &URL,
        &RESOURCE_SCOPE,
        &ORG_ID,
        &PROJECT_ID,
        &PARAMS,
        &BODY,
        &INPUTS,
        &INPUT_SET_IDS,
        &WAIT,
        &WAIT_TIMEOUT,
        &WAIT_INTERVAL,
        &QUERIES,
        &CONFIRM,
    ],
    annotations: Annotations {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
    },
    output: Output::Object,
    run: |tools, arguments, caller| {
        Box::pin(async move {
            execute(tools, arguments, caller).await.unwrap_or_else(Failure::into_answer)
        })
    },
};

async fn execute(
    tools: &Tools,
    mut arguments: Arguments,
    caller: &Caller,
) -> Result<Answer, Failure> {
    let url = PastedUrl::read(arguments.text("url").unwrap_or_default());
    let resource = choose::resource(tools.catalog(), arguments.text("resource_type"), &url)?;
    let name = arguments.text("action").unwrap_or_default().to_owned();
    let (name, operation) = choose::action(resource, &name)?;
    let confirmed = arguments.flag("confirm").unwrap_or(false);
    let wait = wait_of(&arguments);
    let queries = arguments.objects("queries").to_vec();
    let own = ["org_id", "project_id", "resource_id", "body", "inputs", "input_set_ids"];
    let mut inputs = inputs::merge(resource, &url, &mut arguments, &own)?;
    target::aim(resource, operation, &mut inputs.values, &inputs.named)?;
    let id = target::text_of(&inputs.values, "resource_id");
    let mut ignored = arguments.unknown;
    ignored.extend(inputs::ignored(resource, &inputs.named));
    // Only a hook knows how to wait for what its action starts.
    if wait.is_some() && operation.hook.is_none() {
        ignored.push("wait".to_owned());
    }
    let job = Job::new(resource, name, operation, inputs);
    let deed = job.deed(&tools.dispatch.defaults, id);
    tools.gate.check_read_only(&deed)?;
    if queries.is_empty() {
        tools.dispatch.check(&job)?;
    } else {
        batch::check(&job)?;
    }
    tools.gate.pass(&deed, confirmed, caller.confirm.as_ref()).await?;
    let value = if queries.is_empty() {
        tools.dispatch.run(job, caller, wait).await?
    } else {
        batch::run(tools, &job, &queries, caller).await
    };
    Ok(result(value, &ignored))
}

fn wait_of(arguments: &Arguments) -> Option<Wait> {
    let seconds =
        |name| arguments.number(name).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    arguments.flag("wait").unwrap_or(false).then(|| Wait {
        timeout: seconds("wait_timeout_seconds"),
        interval: seconds("wait_poll_interval_seconds"),
    })
}
