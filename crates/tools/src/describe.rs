//! `harness_describe`: what there is and what it can do, without asking the platform.

use checkrein_catalog::describe;
use checkrein_mcp::{Annotations, Answer};

use crate::Tools;
use crate::answer::result;
use crate::arguments::{Argument, Arguments, Is};
use crate::choose;
use crate::failure::Failure;
use crate::tool::{Output, Tool};

const RESOURCE_TYPE: Argument =
    Argument::new("resource_type", Is::Text, "Everything about this type");
const TOOLSET: Argument = Argument::new("toolset", Is::Text, "The types of this toolset");
const SEARCH_TERM: Argument = Argument::new("search_term", Is::Text, "Types by name or meaning");
const PAGE: Argument =
    Argument::new("page", Is::Whole { least: 0, most: i64::MAX, usual: None }, "");

pub(crate) const TOOL: Tool = Tool {
    name: "harness_describe",
    title: "Describe Harness Resources",
    about: "Say which resource types there are and what each takes; start here.",
    arguments: &[&RESOURCE_TYPE, &TOOLSET, &SEARCH_TERM, &PAGE],
    annotations: Annotations {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    },
    output: Output::Object,
    run: |tools, arguments, _caller| {
        Box::pin(async move { describe(tools, arguments).unwrap_or_else(Failure::into_answer) })
    },
};

/// The narrowest question wins: a type, then a toolset, then words, then everything.
fn describe(tools: &Tools, mut arguments: Arguments) -> Result<Answer, Failure> {
    let catalog = tools.catalog();
    let page = arguments.take("page").and_then(|page| page.as_u64()).unwrap_or(0);
    let said = if let Some(name) = arguments.text("resource_type") {
        describe::resource_type(catalog, name).map_err(|_| choose::unknown_type(catalog, name))?
    } else if let Some(name) = arguments.text("toolset") {
        describe::toolset(catalog, name).map_err(|unknown| Failure::said(unknown.to_string()))?
    } else if let Some(term) = arguments.text("search_term") {
        describe::search(catalog, term)
    } else {
        describe::everything(catalog, usize::try_from(page).unwrap_or(usize::MAX))
    };
    Ok(result(said, &arguments.unknown))
}
