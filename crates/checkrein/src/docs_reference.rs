//! Writes the pages of `docs/reference` from what the program itself uses.

use std::fs;
use std::path::{Path, PathBuf};

use checkrein_catalog::Catalog;
use checkrein_catalog::model::{Input, Operation, ResourceType};
use checkrein_mcp::{ToolInfo, ToolSet};
use checkrein_settings::{ServeSettings, Sources, Transport};
use clap::Args;
use serde_json::{Map, Value};

use crate::catalog::operations;
use crate::failure::Failure;
use crate::{proxy, serve};

/// What `docs-reference` is told.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The directory to write into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Writes settings, tools, the proxy and one page of resource types per toolset.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let catalog = checkrein_builtin::catalog();
    let out = &arguments.out;
    write(out, "settings.md", &checkrein_settings::reference::markdown())?;
    write(out, "resource-types.md", &index(&catalog))?;
    write(out, "proxy.md", &proxy::markdown())?;
    for toolset in &catalog.toolsets {
        let types: Vec<_> = catalog.of_toolset(&toolset.name).collect();
        if types.is_empty() {
            continue;
        }
        let mut page = format!("# {}\n\n{}\n", toolset.title, toolset.about);
        for resource in types {
            page.push_str(&section(resource));
        }
        write(&out.join("resource-types"), &format!("{}.md", toolset.name), &page)?;
    }
    write(out, "tools.md", &tools(catalog)?)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = folder.join(name);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| Failure::new(format!("failed to write `{}`: {error}", path.display())))
}

fn index(catalog: &Catalog) -> String {
    let mut page = String::from(
        "# Resource types\n\n\
         Every tool takes these as `resource_type`. A type belongs to a toolset; `HARNESS_TOOLSETS` \
         chooses among those.\n\n\
         | Type | Toolset | Operations | Actions |\n|---|---|---|---|\n",
    );
    for resource in catalog.types.values() {
        let names = |names: Vec<&String>| {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ")
        };
        page.push_str(&format!(
            "| `{}` | [{toolset}](resource-types/{toolset}.md) | {} | {} |\n",
            resource.name,
            names(resource.operations.keys().collect()),
            names(resource.actions.keys().collect()),
            toolset = resource.toolset,
        ));
    }
    page
}

fn section(resource: &ResourceType) -> String {
    let scopes: Vec<_> = resource.scopes.iter().map(|scope| scope.word()).collect();
    let mut page = format!("\n## `{}`\n\n{}\n\n", resource.name, resource.about);
    page.push_str(&format!("Scopes: {}. ", scopes.join(", ")));
    page.push_str(&match resource.ids.as_slice() {
        [] => "It has no identifier.\n".to_owned(),
        ids => format!("Identified by {}.\n", code_list(ids)),
    });
    page.push_str("\n| Operation | Request | Risk | Takes |\n|---|---|---|---|\n");
    for (name, operation) in operations(resource) {
        page.push_str(&row(name, operation));
    }
    if !resource.inputs.is_empty() {
        page.push_str("\n| Input | Kind | |\n|---|---|---|\n");
        for (name, input) in &resource.inputs {
            page.push_str(&input_row(name, input));
        }
    }
    page
}

fn row(name: &str, operation: &Operation) -> String {
    let request = &operation.request;
    let mut takes = operation.filters.clone();
    takes.extend(
        operation
            .fields
            .iter()
            .filter(|field| field.need)
            .map(|field| format!("body.{}", field.name)),
    );
    format!(
        "| `{name}` | `{} {}` | {} | {} |\n",
        request.method,
        request.path,
        operation.risk,
        code_list(&takes)
    )
}

fn input_row(name: &str, input: &Input) -> String {
    let values = match input.values.as_slice() {
        [] => String::new(),
        values => format!(" (one of {})", code_list(values)),
    };
    format!("| `{name}` | {} | {}{values} |\n", input.is, cell(&input.about))
}

fn code_list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn tools(catalog: Catalog) -> Result<String, Failure> {
    // What the tools look like does not depend on whose account they serve.
    let settings = ServeSettings::read(&Sources::default(), Transport::Stdio, true).0;
    let tools = serve::tools(&settings.map_err(Failure::new)?, catalog)?;
    let mut page = String::from(
        "# Tools\n\nWhat an agent is told. A result is JSON, the same as structure and as text.\n",
    );
    page.push_str(&format!("\n## Instructions\n\n> {}\n", tools.info().instructions));
    for tool in tools.tools() {
        page.push_str(&tool_section(&tool));
    }
    Ok(page)
}

fn tool_section(tool: &ToolInfo) -> String {
    let hints = tool.annotations;
    let mut says = vec![if hints.read_only { "changes nothing" } else { "writes" }];
    if hints.destructive {
        says.push("may destroy");
    }
    if hints.idempotent {
        says.push("twice is the same as once");
    }
    let mut page =
        format!("\n## `{}`\n\n{}\n\nHints: {}.\n", tool.name, tool.description, says.join(", "));
    let none = Map::new();
    let properties =
        tool.input_schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    page.push_str("\n| Argument | Kind | |\n|---|---|---|\n");
    for (name, schema) in properties {
        let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
        let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        page.push_str(&format!(
            "| `{name}`{} | {} | {} |\n",
            if is_required { ", required" } else { "" },
            kind(schema),
            cell(about)
        ));
    }
    page
}

fn kind(schema: &Value) -> String {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`"));
        return words.collect::<Vec<_>>().join(", ");
    }
    match schema.get("type") {
        Some(Value::String(one)) => one.clone(),
        Some(Value::Array(many)) => {
            many.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}
