//! `harness_list`: a page of one type.

use checkrein_mcp::{Answer, Caller};
use serde_json::Value;

use crate::Tools;
use crate::answer::result;
use crate::arguments::{Argument, Arguments, Is};
use crate::dispatch::Job;
use crate::failure::Failure;
use crate::pasted_url::PastedUrl;
use crate::tool::{
    ORG_ID, Output, PARAMS, PROJECT_ID, READS, RESOURCE_SCOPE, RESOURCE_TYPE, Tool, URL,
};
use crate::{choose, inputs};

/// More than this in one page is more than an agent can read.
const LARGEST_PAGE: i64 = 100;

const PAGE: Argument =
    Argument::new("page", Is::Whole { least: 0, most: i64::MAX, usual: Some(0) }, "Counted from 0");
const SIZE: Argument =
    Argument::new("size", Is::Whole { least: 1, most: LARGEST_PAGE, usual: Some(20) }, "");
const SEARCH_TERM: Argument = Argument::new("search_term", Is::Text, "");
const COMPACT: Argument =
    Argument::new("compact", Is::Flag, "false gives every field (default true)");
const FILTERS: Argument =
    Argument::new("filters", Is::Object, "Filters of the type; they win over params");

pub(crate) const TOOL: Tool = Tool {
    name: "harness_list",
    title: "List Harness Resources",
    about: "List resources of one type, filtered and page by page.",
    arguments: &[
        &RESOURCE_TYPE,
        &URL,
        &RESOURCE_SCOPE,
        &ORG_ID,
        &PROJECT_ID,
        &PAGE,
        &SIZE,
        &SEARCH_TERM,
        &COMPACT,
        &FILTERS,
        &PARAMS,
    ],
    annotations: READS,
    output: Output::List,
    run: |tools, arguments, caller| {
        Box::pin(async move {
            list(tools, arguments, caller).await.unwrap_or_else(Failure::into_answer)
        })
    },
};

async fn list(tools: &Tools, mut arguments: Arguments, caller: &Caller) -> Result<Answer, Failure> {
    let url = PastedUrl::read(arguments.text("url").unwrap_or_default());
    let resource = choose::resource(tools.catalog(), arguments.text("resource_type"), &url)?;
    let operation = choose::operation(tools.catalog(), resource, "list")?;
    let compact = arguments.flag("compact").unwrap_or(true) && !operation.never_compact;
    let own = ["org_id", "project_id", "page", "size", "search_term"];
    let mut inputs = inputs::merge(resource, &url, &mut arguments, &own)?;
    inputs::check_filters(resource, operation, &inputs.named)?;
    inputs::spell_values(resource, operation, &mut inputs.values);
    let mut ignored = arguments.unknown;
    ignored.extend(inputs::unused_filters(resource, operation, &inputs.named));
    if inputs.values.contains_key("search_term") && !resource.inputs.contains_key("search_term") {
        ignored.push("search_term".to_owned());
    }
    let job = Job::new(resource, "list", operation, inputs);
    let page: Value = if compact {
        tools.dispatch.list_compact(job, caller).await
    } else {
        tools.dispatch.list(job, caller).await
    }
    .map_err(|failure| failure.when_not_found(resource.hint_not_found.as_deref()))?;
    Ok(result(page, &ignored))
}
